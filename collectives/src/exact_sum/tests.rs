use super::extraction::{BLOCK, add_block};
use super::superaccumulator::Words;
use super::{Addend, Superaccumulator, sum_columns};

/// Adds without blocks.
fn accumulated<T: Addend>(values: &[T]) -> Superaccumulator {
    let mut sum = Superaccumulator::new();
    values.chunks(BLOCK).for_each(|few| sum.add_few(few));
    sum
}

fn total<T: Addend>(values: &[T]) -> T {
    let mut sum = Superaccumulator::new();
    sum.add_all(values);
    sum.round()
}

fn merged(sums: impl IntoIterator<Item = Superaccumulator>) -> Superaccumulator {
    let all: Vec<Words> = sums.into_iter().map(Superaccumulator::into_words).collect();
    let slices: Vec<&[i64]> = all.iter().map(|words| words.as_slice()).collect();
    Superaccumulator::merged(&slices)
}

/// Some that are all ones, and some that are not, with each exponent.
fn of_every_exponent() -> impl Iterator<Item = f64> {
    (0..0x7ff).flat_map(|exponent: u64| {
        [0, 1, 0x000f_f0f0_1234_5678, (1 << 52) - 1]
            .map(|fraction| f64::from_bits(exponent << 52 | fraction))
    })
}

/// Pseudo-random bits.
fn noise(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 27)
}

#[test]
fn a_number_of_every_exponent_is_its_own_sum() {
    for value in of_every_exponent().flat_map(|value| [value, -value]) {
        let sum: f64 = accumulated(&[value]).round();
        assert_eq!(sum.to_bits(), value.to_bits());
        let cancelled: f64 = accumulated(&[value, 0.75, -value]).round();
        assert_eq!(cancelled, 0.75);
        // The conversion rounds in the same way, once.
        let narrow: f32 = accumulated(&[value]).round();
        assert_eq!(narrow.to_bits(), (value as f32).to_bits());
    }
}

#[test]
fn carries_of_millions_of_equal_numbers_are_not_lost() {
    const COUNT: usize = 1 << 21;
    for value in [
        f64::MIN_POSITIVE,
        -1.0 - f64::EPSILON,
        f64::MAX / (1 << 22) as f64,
        f64::from_bits(1),
        -f64::from_bits((1 << 52) - 1),
        // In the highest place of its chunk, so that it adds most to the next.
        f64::from_bits((1056 << 52) - 1),
    ] {
        let values = vec![value; COUNT];
        let expected = value * COUNT as f64;
        let sum = accumulated(&values);
        assert_eq!(sum.clone().round::<f64>().to_bits(), expected.to_bits());
        assert_eq!(total(&values).to_bits(), expected.to_bits());
        let negative = accumulated(&vec![-value; COUNT]);
        assert_eq!(merged([sum, negative]).round::<f64>().to_bits(), 0);
    }
}

#[test]
fn carries_of_every_exponent_are_not_lost() {
    for value in of_every_exponent().flat_map(|value| [value, -value]) {
        let sum: f64 = accumulated(&[value; 4096]).round();
        assert_eq!(sum.to_bits(), (value * 4096.0).to_bits());
    }
}

#[test]
fn overflow_buffer_way_is_no_overflow() {
    let mut values = vec![f64::MAX; 5000];
    values.extend([-f64::MAX; 4999]);
    assert_eq!(total(&values), f64::MAX);
    values.push(f64::MAX);
    assert_eq!(total(&values), f64::INFINITY);
    // Half of the last place is a tie; it goes to the even number, infinity. Less does not.
    let buffer = 2.0_f64.powi(970);
    assert_eq!(total(&[f64::MAX, buffer]), f64::INFINITY);
    assert_eq!(total(&[-f64::MAX, -buffer]), -f64::INFINITY);
    assert_eq!(total(&[f64::MAX, buffer, -f64::from_bits(1)]), f64::MAX);
    let buffer = 2.0_f32.powi(103);
    assert_eq!(total(&[f32::MAX, buffer]), f32::INFINITY);
    assert_eq!(total(&[f32::MAX, buffer, -f32::from_bits(1)]), f32::MAX);
}

#[test]
fn merged_sums_are_the_sum_of_all() {
    let values: Vec<f64> = (0..10_000)
        .map(|index| f64::from_bits(noise(index)))
        .filter(|value| value.is_finite())
        .collect();
    let expected = accumulated(&values).into_words();
    for parts in [1, 2, 3, 100, 5000] {
        let sums = values.chunks(values.len().div_ceil(parts)).map(accumulated);
        assert_eq!(merged(sums).into_words(), expected);
        let sums = values.chunks(values.len().div_ceil(parts)).map(accumulated);
        let sums: Vec<Superaccumulator> = sums.collect();
        assert_eq!(merged(sums.into_iter().rev()).into_words(), expected);
    }
}

#[test]
fn merged_sums_have_seen_what_any_has_seen() {
    let sum = |values: &[f64]| accumulated(values);
    let nothing = Superaccumulator::new;
    let round = |sums: [Superaccumulator; 2]| merged(sums).round::<f64>().to_bits();
    assert_eq!(round([nothing(), nothing()]), 0);
    assert_eq!(round([sum(&[-0.0]), nothing()]), (-0.0_f64).to_bits());
    assert_eq!(round([sum(&[-0.0]), sum(&[-0.0])]), (-0.0_f64).to_bits());
    assert_eq!(round([sum(&[-0.0]), sum(&[0.0])]), 0);
    assert_eq!(round([sum(&[1.0]), sum(&[-1.0, -0.0])]), 0);
    let infinity = f64::INFINITY;
    assert_eq!(round([sum(&[infinity]), sum(&[1.0])]), infinity.to_bits());
    assert_eq!(
        round([sum(&[infinity]), sum(&[-infinity])]),
        f64::NAN.to_bits()
    );
    assert_eq!(
        round([sum(&[infinity]), sum(&[-f64::NAN])]),
        f64::NAN.to_bits()
    );
}

#[test]
fn blocks_have_the_exact_sum() {
    for (highest, spread) in [(0, 1), (0, 30), (1000, 40), (-900, 40), (500, 41)] {
        for length in [64, 71, 1000, BLOCK] {
            let values: Vec<f64> = (0..length as u64)
                .map(|index| {
                    let bits = noise(index);
                    let exponent = 1023 + highest - (bits % spread) as i64;
                    f64::from_bits(bits & !(0x7ff << 52) | (exponent as u64) << 52)
                })
                .collect();
            let mut sum = Superaccumulator::new();
            let added = add_block(&mut sum, &values);
            assert!(
                added || spread > 40,
                "{length} numbers are not far apart: {highest} {spread}"
            );
            let expected = if added {
                accumulated(&values).into_words()
            } else {
                Superaccumulator::new().into_words()
            };
            assert_eq!(sum.into_words(), expected);
        }
    }
}

#[test]
fn blocks_of_the_largest_parts_do_not_round() {
    for place in 30..=52 {
        // All ones down to a place of which lanes have odd multiples, in the first round and in the second.
        let ones = 2.0 - 2.0_f64.powi(-place);
        let mut second = [ones * 2.0_f64.powi(-47); BLOCK];
        second[..8].fill(1.0);
        for block in [[ones; BLOCK], [-ones; BLOCK], second] {
            let mut sum = Superaccumulator::new();
            let added = add_block(&mut sum, &block);
            assert!(added || block == second && place > 45);
            if added {
                assert_eq!(sum.into_words(), accumulated(&block).into_words());
            }
        }
    }
}

#[test]
fn blocks_leave_what_they_cannot_add() {
    let ones = [1.0; BLOCK];
    let with = |value: f64| {
        let mut block = ones;
        block[17] = value;
        block
    };
    for block in [
        with(f64::NAN),
        with(f64::INFINITY),
        with(1e-30),
        with(f64::MAX),
        with(f64::from_bits(1)),
        [-0.0; BLOCK],
        [f64::NAN; BLOCK],
        [f64::MAX; BLOCK],
        [f64::from_bits(1); BLOCK],
    ] {
        let mut sum = Superaccumulator::new();
        assert!(!add_block(&mut sum, &block));
        assert_eq!(sum.into_words(), Superaccumulator::new().into_words());
        let sums = [total(&block), accumulated(&block).round()];
        assert_eq!(sums[0].to_bits(), sums[1].to_bits());
    }
}

#[test]
fn columns_have_the_exact_sum() {
    let kinds: [fn(u64, u64) -> f64; 5] = [
        |_, bits| bits as i64 as f64,
        |_, bits| f64::from_bits(bits),
        |_, bits| f64::from_bits(bits & !(0x7f0 << 52) | 0x3f0 << 52),
        |image, bits| [1.0, -1.1, -1.0, 1.1][image as usize % 4] * (bits % 9) as f64,
        |image, bits| [1.0, f64::EPSILON / 2.0, 1e-300][(image + bits) as usize % 3],
    ];
    for kind in kinds {
        for (images, length) in [(1, 40), (2, 40), (3, 1), (3, 16), (4, 131), (9, 100)] {
            let value = |image, index| kind(image, noise(image << 32 | index));
            let sources: Vec<Vec<f64>> = (0..images)
                .map(|image| (0..length).map(|index| value(image, index)).collect())
                .collect();
            check_columns(&sources);
            let narrow = |source: &Vec<f64>| source.iter().map(|value| *value as f32).collect();
            check_columns(&sources.iter().map(narrow).collect::<Vec<Vec<f32>>>());
        }
    }
}

fn check_columns<T: Addend + std::fmt::Debug>(sources: &[Vec<T>]) {
    let slices: Vec<&[T]> = sources.iter().map(Vec::as_slice).collect();
    let mut sums = vec![T::one(); sources[0].len()];
    sum_columns(&slices, &mut sums);
    for (index, sum) in sums.into_iter().enumerate() {
        let column: Vec<T> = sources.iter().map(|source| source[index]).collect();
        let expected: T = accumulated(&column).round();
        assert_eq!(sum.integer_decode(), expected.integer_decode());
        assert_eq!(sum.is_nan(), expected.is_nan(), "{column:?}");
    }
}

#[test]
fn no_columns_have_no_sum() {
    let mut sums = [1.0_f32; 3];
    sum_columns(&[], &mut sums);
    assert_eq!(sums.map(f32::to_bits), [0; 3]);
}
