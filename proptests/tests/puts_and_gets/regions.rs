//! Regions of three dimensions, of long and short rows, of whatever has them, against the slices of `ndarray`.

use coarray::asynchronous::async_scope;
use coarray::grid::{Blocks, Halo, HaloArray, ImageGrid};
use coarray::ndarray::{Array3, Slice};
use coarray::places::Region;
use coarray::prelude::*;
use coarray_proptests::{Sample, Setting, config, mix};
use proptest::prelude::*;

/// Columns of the blocks: with `u64`, a run is short, longer than what fabrics stage, or the gaps are long.
const WIDE: usize = 700;
const NARROW: usize = 3;
const MIDDLE: usize = 4;

/// Start, end and step in each dimension, within the extents.
type Cut = [(usize, usize, usize); 3];

fn cut(extents: [usize; 3]) -> impl Strategy<Value = Cut> {
    extents.map(|extent| {
        let ends = (
            0..=extent,
            0..=extent,
            prop_oneof![Just(1), 1..=extent.max(1)],
        );
        ends.prop_map(|(one, other, step)| (one.min(other), one.max(other), step))
    })
}

/// The same extents elsewhere in the array.
fn moved(cut: &Cut, extents: [usize; 3], seed: u64) -> Cut {
    let mut moved = *cut;
    for (dimension, (start, end, _)) in moved.iter_mut().enumerate() {
        let room = extents[dimension] - (*end - *start) + 1;
        let shift = mix(seed, dimension as u64) as usize % room;
        (*start, *end) = (shift, shift + (*end - *start));
    }
    moved
}

fn part(array: &Array3<u64>, cut: &Cut) -> Array3<u64> {
    let slice = |axis: usize| {
        Slice::new(
            cut[axis].0 as isize,
            Some(cut[axis].1 as isize),
            cut[axis].2 as isize,
        )
    };
    array
        .slice_each_axis(|axis| slice(axis.axis.index()))
        .to_owned()
}

fn assign(array: &mut Array3<u64>, cut: &Cut, values: &Array3<u64>) {
    let slice = |axis: usize| {
        Slice::new(
            cut[axis].0 as isize,
            Some(cut[axis].1 as isize),
            cut[axis].2 as isize,
        )
    };
    array
        .slice_each_axis_mut(|axis| slice(axis.axis.index()))
        .assign(values);
}

fn selection(cut: &Cut) -> [coarray::places::Every<std::ops::Range<usize>>; 3] {
    cut.map(|(start, end, step)| (start..end).every(step))
}

/// Item number `index` in row order.
fn item<const COLUMNS: usize>(index: [usize; 3]) -> u64 {
    ((index[0] * MIDDLE + index[1]) * COLUMNS + index[2]) as u64
}

/// Each image works on the array of the next one, which nobody else uses: a coarray whose extents are in its type, one whose
/// extents are known at run time only, a run that is seen as an array, and the block of a halo array.
fn run<const COLUMNS: usize>(setting: Setting, planes: usize, steps: &[(u8, Cut, u64)]) {
    let extents = [planes, MIDDLE, COLUMNS];
    setting.run(|| {
        let next = (this_image() + 1) % num_images();
        let mut typed = Coarray::<[[[u64; COLUMNS]; MIDDLE]]>::from_fn(planes, |plane| {
            std::array::from_fn(|row| {
                std::array::from_fn(|column| item::<COLUMNS>([plane, row, column]))
            })
        });
        work::<COLUMNS>(typed.open().at(next).region((.., .., ..)), steps);
        let mut sized = NdCoarray::<u64, 3>::from_fn(extents, item::<COLUMNS>);
        work::<COLUMNS>(sized.open().at(next), steps);
        let mut ragged =
            Ragged::from_fn(extents.iter().product::<usize>() + this_image(), |index| {
                index as u64
            });
        work::<COLUMNS>(ragged.open().at(next).with_extents(extents).unwrap(), steps);
        if planes == 0 {
            return;
        }
        let grid = ImageGrid::new([num_images(), 1, 1]).unwrap();
        let blocks = Blocks::new([planes * num_images(), MIDDLE, COLUMNS], grid).unwrap();
        let halo = Halo {
            lower: [planes % 2, 1, 0],
            upper: [1, 0, 2],
        };
        let mut array = HaloArray::filled(&blocks, halo, u64::MAX).unwrap();
        for (index, cell) in array.interior_mut().indexed_iter_mut() {
            *cell = item::<COLUMNS>(index.into());
        }
        let before = array.local().to_owned();
        work::<COLUMNS>(array.open().at(next), steps);
        let outside = array
            .local()
            .iter()
            .filter(|&&cell| cell == u64::MAX)
            .count();
        assert_eq!(
            outside,
            before.len() - array.interior().len(),
            "the halo is as it was"
        );
    });
}

/// Does the steps to `whole`, an array with [these items](item), and the same to a model.
fn work<const COLUMNS: usize>(whole: Region<'_, u64, 3>, steps: &[(u8, Cut, u64)]) {
    let extents = whole.extents();
    let mut model = Array3::from_shape_fn(extents, |index| item::<COLUMNS>(index.into()));
    for &(action, ref cut, seed) in steps {
        let region = whole.region(selection(cut));
        let expected = part(&model, cut);
        assert_eq!(region.extents(), *expected.shape());
        let values = expected.mapv(|old| mix(seed, old));
        let flat: Vec<u64> = values.iter().copied().collect();
        match action % 11 {
            0 => assert!(region.to_vec().iter().eq(&expected)),
            1 => {
                let mut turned =
                    Array3::zeros([expected.dim().2, expected.dim().0, expected.dim().1]);
                let mut view = turned.view_mut().permuted_axes([1, 2, 0]);
                match seed % 2 {
                    0 => region.get_into_array(&mut view),
                    _ => async_scope(|scope| drop(region.get_into_array_async(&mut view, scope))),
                }
                assert_eq!(turned.permuted_axes([1, 2, 0]), expected);
            }
            2 => {
                let mut got = vec![0; region.len()];
                async_scope(|scope| drop(region.get_into_async(&mut got, scope)));
                assert!(got.iter().eq(&expected));
            }
            3 => {
                region.put_from(&flat);
                assign(&mut model, cut, &values);
            }
            4 => {
                let mut backwards = values.clone();
                backwards.invert_axis(coarray::ndarray::Axis(2));
                let mut stored = backwards.to_owned();
                stored.invert_axis(coarray::ndarray::Axis(2));
                match seed % 2 {
                    0 => region.put_from_array(&stored),
                    _ => async_scope(|scope| drop(region.put_from_array_async(&stored, scope))),
                }
                assign(&mut model, cut, &values);
            }
            5 => {
                async_scope(|scope| drop(region.put_from_async(&flat, scope)));
                assign(&mut model, cut, &values);
            }
            6 => {
                region.fill(seed);
                assign(&mut model, cut, &values.mapv(|_| seed));
            }
            7 => {
                let from = moved(cut, extents, seed);
                region.copy_from(&whole.region(selection(&from)));
                let moved = part(&model, &from);
                assign(&mut model, cut, &moved);
            }
            8 => {
                let within = region.extents().map(|extent| extent.div_ceil(2)..extent);
                let inner = region.region(within.clone());
                let expected =
                    expected.slice_each_axis(|axis| within[axis.axis.index()].clone().into());
                assert!(inner.to_vec().iter().eq(&expected));
                if let Some(run) = inner.as_coref() {
                    assert_eq!(run.to_vec(), inner.to_vec());
                }
            }
            9 => {
                let index =
                    |axis: usize| mix(seed, axis as u64) as usize % region.extents()[axis].max(1);
                let index: [usize; 3] = std::array::from_fn(index);
                if !region.is_empty() {
                    assert_eq!(region[index].get(), expected[index]);
                    region[index].put(seed);
                    let corner =
                        std::array::from_fn(|axis| cut[axis].0 + index[axis] * cut[axis].2);
                    model[corner as [usize; 3]] = seed;
                }
            }
            _ => {
                let lines = [expected.dim().0 * expected.dim().1, expected.dim().2];
                // Side by side only if each row is whole.
                if let Some(plane) = region
                    .as_coref()
                    .and_then(|run| run.with_extents(lines).ok())
                {
                    let flat = expected.to_shape(lines).unwrap();
                    for row in 0..lines[0] {
                        assert!(plane.row(row).to_vec().iter().eq(flat.row(row)));
                    }
                    for column in 0..lines[1].min(5) {
                        assert!(plane.column(column).to_vec().iter().eq(flat.column(column)));
                    }
                } else {
                    assert!(
                        region.len() > 1,
                        "what is one item or none lies side by side"
                    );
                }
            }
        }
    }
    assert_eq!(whole.to_vec(), model.into_raw_vec_and_offset().0);
}

fn steps(extents: [usize; 3]) -> impl Strategy<Value = Vec<(u8, Cut, u64)>> {
    prop::collection::vec((any::<u8>(), cut(extents), any::<u64>()), 1..12)
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn regions_of_short_rows_do_as_slices_of_arrays_do(
        setting in Setting::anywhere(),
        (planes, steps) in (0usize..40).prop_flat_map(|planes| (Just(planes), steps([planes, MIDDLE, NARROW]))),
    ) {
        run::<NARROW>(setting, planes, &steps);
    }

    #[test]
    fn regions_of_long_rows_do_as_slices_of_arrays_do(
        setting in Setting::anywhere(),
        (planes, steps) in (0usize..6).prop_flat_map(|planes| (Just(planes), steps([planes, MIDDLE, WIDE]))),
    ) {
        run::<WIDE>(setting, planes, &steps);
    }

    #[test]
    fn regions_of_checked_values_do_as_slices_do(setting in Setting::anywhere(), seed: u64, cut in cut([5, 4, 3])) {
        setting.run(|| {
            let value = |index: usize| bool::sample(mix(seed, index as u64));
            let mut coarray = Coarray::new([[[false; 3]; 4]; 5]);
            for (index, element) in coarray.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
                *element = value(index);
            }
            let coarray = coarray.publish();
            let region = coarray.at(num_images() - 1).region(selection(&cut));
            let numbers = Array3::from_shape_vec([5, 4, 3], (0..60).collect()).unwrap();
            let expected: Vec<bool> = part(&numbers, &cut).iter().map(|&index| value(index as usize)).collect();
            assert_eq!(region.to_vec(), expected);
            let mut later = vec![false; region.len()];
            async_scope(|scope| drop(region.get_into_async(&mut later, scope)));
            assert_eq!(later, expected);
        });
    }
}
