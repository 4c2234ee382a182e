//! Regions of three dimensions, of long and short rows, against the slices of `ndarray`.

use coarray::asynchronous::async_scope;
use coarray::ndarray::{Array3, Slice};
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

/// Each image works on the part of the next one, which nobody else uses.
fn run<const COLUMNS: usize>(setting: Setting, planes: usize, steps: &[(u8, Cut, u64)]) {
    let extents = [planes, MIDDLE, COLUMNS];
    let count: usize = extents.iter().product();
    setting.run(|| {
        let next = (this_image() + 1) % num_images();
        let mut coarray = Coarray::<[[[u64; COLUMNS]; MIDDLE]]>::from_fn(planes, |plane| {
            std::array::from_fn(|row| {
                std::array::from_fn(|column| ((plane * MIDDLE + row) * COLUMNS + column) as u64)
            })
        });
        let mut model = Array3::from_shape_vec(extents, (0..count as u64).collect()).unwrap();
        let open = coarray.open();
        let place = open.at(next);
        for &(action, ref cut, seed) in steps {
            let region = place.region(selection(cut));
            let expected = part(&model, cut);
            assert_eq!(region.extents(), *expected.shape());
            let values = expected.mapv(|old| mix(seed, old));
            let flat: Vec<u64> = values.iter().copied().collect();
            match action % 8 {
                0 => assert!(region.to_vec().iter().eq(&expected)),
                1 => {
                    let mut turned =
                        Array3::zeros([expected.dim().2, expected.dim().0, expected.dim().1]);
                    region.get_into_array(&mut turned.view_mut().permuted_axes([1, 2, 0]));
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
                    region.put_from_array(&stored);
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
                _ => {
                    let from = moved(cut, extents, seed);
                    region.copy_from(&place.region(selection(&from)));
                    let moved = part(&model, &from);
                    assign(&mut model, cut, &moved);
                }
            }
        }
        let whole: Vec<u64> = place.region((.., .., ..)).to_vec();
        assert_eq!(whole, model.into_raw_vec_and_offset().0);
    });
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
