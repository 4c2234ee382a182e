//! What the root gets is the array, or a part of it; nobody else gets anything, and nothing changes.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::ndarray::{Array, Dim, Dimension};
use coarray::prelude::*;
use coarray_proptests::{Sample, Setting, Wide, bits, config};
use proptest::prelude::*;
use std::num::NonZeroU32;
use std::ops::Range;

use crate::case::{Case, any_case};

#[track_caller]
fn check<T: Sample, const D: usize>(
    case: &Case<D>,
    gathered: Option<Array<T, Dim<[usize; D]>>>,
    part: &[Range<usize>; D],
) where
    Dim<[usize; D]>: Dimension,
{
    assert_eq!(gathered.is_some(), this_image() == case.root);
    if let Some(gathered) = gathered {
        assert_eq!(gathered.shape(), part.clone().map(|range| range.len()));
        let found = gathered.as_slice().expect("it is in the standard order");
        assert!(bits(found) == bits(&case.part::<T>(part)[..]), "{found:?}");
    }
}

fn gathered<T: Sample, const D: usize>(case: &Case<D>)
where
    Dim<[usize; D]>: Dimension,
{
    case.run(|| {
        let array = case.array::<T>(0, true);
        check(case, array.gather_global(case.root), &case.whole());
        check(
            case,
            array.gather_slice(case.root, case.slice.clone()),
            &case.slice,
        );
        check(
            case,
            array.gather_slice(case.root, case.whole()),
            &case.whole(),
        );
        case.check(&array, 0, true);
    });
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn gathering_in_one_dimension_gives_the_root_all_cells(case in any_case::<1>()) {
        gathered::<u8, 1>(&case);
        gathered::<f64, 1>(&case);
    }

    #[test]
    fn gathering_in_two_dimensions_gives_the_root_all_cells(case in any_case::<2>()) {
        gathered::<NonZeroU32, 2>(&case);
        gathered::<Wide, 2>(&case);
    }

    #[test]
    fn gathering_in_three_dimensions_gives_the_root_all_cells(case in any_case::<3>()) {
        gathered::<f64, 3>(&case);
        gathered::<bool, 3>(&case);
    }

    #[test]
    fn gathering_in_four_dimensions_gives_the_root_all_cells(case in any_case::<4>()) {
        gathered::<u16, 4>(&case);
    }
}

/// Rows that are fetched one by one, several at a time, and in more than one piece.
#[test]
fn arrays_that_are_larger_than_what_is_fetched_at_once() {
    for setting in [
        Setting {
            direct: false,
            ..Setting::of(2)
        },
        Setting {
            nodes: 2,
            ..Setting::of(2)
        },
    ] {
        for shape in [[300, 400], [40, 3000], [3, 70_000]] {
            for extents in [[1, 2], [2, 1]] {
                setting.run_in(4 << 20, || {
                    let blocks = Blocks::new(shape, ImageGrid::new(extents).unwrap()).unwrap();
                    let value = |[i, j]: [usize; 2]| (i * shape[1] + j) as f64;
                    let array = HaloArray::from_fn(&blocks, [1, 2], value).unwrap();
                    let part = [1..shape[0], 3..shape[1] - 1];
                    if let Some(found) = array.gather_slice(1, part.clone()) {
                        let at = |(i, j)| value([i + part[0].start, j + part[1].start]);
                        assert!(
                            found
                                .indexed_iter()
                                .all(|(index, &found)| found == at(index))
                        );
                    }
                });
            }
        }
    }
}

#[test]
fn every_gathering_sees_what_was_written_before() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let blocks = Blocks::new([3 * num_images()], ImageGrid::balanced()).unwrap();
            let mut array = HaloArray::filled(&blocks, 1, 0).unwrap();
            for step in 0..50 {
                array.interior_mut().fill(10 * step + this_image());
                let root = step % num_images();
                if let Some(whole) = array.gather_global(root) {
                    let image = |cell| blocks.locate([cell]).0;
                    let expected = (0..whole.len()).map(|cell| 10 * step + image(cell));
                    assert!(whole.iter().copied().eq(expected), "step {step}: {whole:?}");
                }
            }
        });
    }
}

#[test]
fn an_exchange_that_was_forgotten_is_over_before() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let grid = ImageGrid::balanced().with_periodic([true, true]);
            let blocks = Blocks::new([9, 10], grid).unwrap();
            let mut array = HaloArray::from_fn(&blocks, 1, |[i, j]| 100 * i + j).unwrap();
            std::mem::forget(array.exchange_start());
            let whole = array.gather_global(0);
            assert!(whole.is_none_or(|whole| whole[[7, 3]] == 703));
        });
    }
}

fn this_team() -> usize {
    coarray::team_number().expect("this is a team that was formed") as usize
}

#[test]
fn a_team_gathers_its_own_array() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let team = Team::form(this_image() as u64 % 2);
            team.change(|| {
                let blocks = Blocks::new([2 * num_images(), 3], ImageGrid::balanced()).unwrap();
                let team = this_team();
                let value = |[i, j]: [usize; 2]| 100 * team + 10 * i + j;
                let array = HaloArray::from_fn(&blocks, 0, value).unwrap();
                let whole = array.gather_global(num_images() - 1);
                assert_eq!(whole.is_some(), this_image() == num_images() - 1);
                for ((i, j), &found) in whole.iter().flat_map(|whole| whole.indexed_iter()) {
                    assert_eq!(found, value([i, j]));
                }
            });
        });
    }
}
