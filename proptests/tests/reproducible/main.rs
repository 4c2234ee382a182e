//! Reproducible sums are the exact sums, rounded once, whoever has the addends, in any order and any team.

mod addends;
mod oracle;

use addends::{Hardship, addends, hardship, shuffle};
use coarray::collectives::{co_sum_reproducible, co_total_reproducible};
use coarray::{Team, this_image};
use coarray_proptests::{Setting, bits, config, mix};
use oracle::{Exact, sum};
use proptest::prelude::*;

/// Some images, in any order, each with what it adds.
#[derive(Clone, Copy, Debug)]
struct Division {
    setting: Setting,
    seed: u64,
}

impl Division {
    fn any() -> impl Strategy<Value = Self> {
        let nodes = prop_oneof![3 => Just(1), 1 => 2usize..=4];
        let choices = (1usize..=9, any::<bool>(), nodes, any::<u64>());
        choices.prop_map(|(images, direct, nodes, seed)| Self {
            setting: Setting {
                images,
                direct,
                nodes,
            },
            seed,
        })
    }

    /// What `body` returns on the images, in a team in which they have another order.
    fn run<R: Send>(self, body: impl Fn() -> R + Sync) -> Vec<R> {
        let mut order: Vec<usize> = (0..self.setting.images).collect();
        shuffle(&mut order, self.seed);
        self.setting
            .run(|| Team::form_with_index(1, order[this_image()]).change(&body))
    }
}

/// The total, which all images must agree on.
fn total<T: Exact>(division: Division, values: &[T]) -> T {
    let Division { setting, seed } = division;
    let mut values = values.to_vec();
    shuffle(&mut values, seed);
    let mut parts = vec![Vec::new(); setting.images];
    for (index, value) in values.into_iter().enumerate() {
        // Few images get most.
        let choice = mix(seed, index as u64) as usize % (setting.images * setting.images);
        parts[choice.isqrt()].push(value);
    }
    let totals = division.run(|| co_total_reproducible(&parts[this_image()]));
    assert!(
        totals.iter().all(|total| bits(total) == bits(&totals[0])),
        "images disagree: {totals:?}"
    );
    totals[0]
}

fn check_total<T: Exact>(divisions: [Division; 2], kind: Hardship, count: usize, seed: u64) {
    let values: Vec<T> = addends(kind, count, seed);
    let expected = sum(&values);
    for division in divisions {
        let total = total(division, &values);
        assert_eq!(
            bits(&total),
            bits(&expected),
            "{total:?} for {expected:?} in {division:?}"
        );
    }
}

/// As many columns of so many addends, divided among at least as many images; the others add nothing.
fn check_sums<T: Exact>(
    divisions: [Division; 2],
    kind: Hardship,
    count: usize,
    length: usize,
    seed: u64,
) {
    // To take the sums of all would take long.
    let different = length.min(50);
    let columns: Vec<Vec<T>> = (0..different as u64)
        .map(|column| addends(kind, count, mix(seed, column)))
        .collect();
    let expected: Vec<T> = columns.iter().map(|column| sum(column)).collect();
    for mut division in divisions {
        division.setting.images = division.setting.images.max(count);
        let images = division.setting.images;
        let mut parts = vec![vec![-T::zero(); length]; images];
        for index in 0..length {
            let mut column = columns[index % different].clone();
            column.resize(images, -T::zero());
            shuffle(&mut column, mix(division.seed, index as u64));
            for (part, value) in parts.iter_mut().zip(column) {
                part[index] = value;
            }
        }
        let results = division.run(|| {
            let mut values = parts[this_image()].clone();
            co_sum_reproducible(&mut values);
            values
        });
        for (index, results) in results.iter().flat_map(|values| values.iter().enumerate()) {
            let expected = expected[index % different];
            assert_eq!(
                bits(results),
                bits(&expected),
                "{results:?} for {expected:?}, the sum of {:?}, in {division:?}",
                columns[index % different]
            );
        }
    }
}

/// Few and many, with the borders of the fast ways.
fn counts() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..20, 60usize..70, 1000usize..1100, 0usize..20_000]
}

/// Few and many, with the borders of what passes at a time.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 0usize..40,
        2 => 250usize..520,
        1 => 8185usize..8200,
        1 => 16380usize..16390,
    ]
}

macro_rules! sums {
    ($($total:ident, $sums:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(config(192))]
            $(
                #[test]
                fn $total(
                    divisions in [Division::any(), Division::any()],
                    kind in hardship(),
                    count in counts(),
                    seed: u64,
                ) {
                    check_total::<$type>(divisions, kind, count, seed);
                }

                #[test]
                fn $sums(
                    divisions in [Division::any(), Division::any()],
                    kind in hardship(),
                    count in 1usize..=9,
                    length in lengths(),
                    seed: u64,
                ) {
                    check_sums::<$type>(divisions, kind, count, length, seed);
                }
            )*
        }
    };
}

sums! {
    totals_of_f32_are_exact_sums_rounded_once, sums_of_f32_are_exact_sums_rounded_once: f32;
    totals_of_f64_are_exact_sums_rounded_once, sums_of_f64_are_exact_sums_rounded_once: f64;
}

#[test]
fn images_without_numbers_have_the_total_of_the_others() {
    for setting in Setting::everywhere() {
        let totals = setting.run(|| {
            let mine: &[f64] = if this_image() == 0 {
                &[1e300, 1.0, -1e300]
            } else {
                &[]
            };
            (
                co_total_reproducible(mine),
                co_total_reproducible::<[f64]>(&[]),
            )
        });
        for (total, nothing) in totals {
            assert_eq!((total, nothing.to_bits()), (1.0, 0));
        }
    }
}
