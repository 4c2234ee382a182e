//! Each image gets its block of what the root has, in whatever order that lies in memory; halos stay.

use coarray::ndarray::{Array, Axis, Dim, Dimension, ShapeBuilder};
use coarray::prelude::*;
use coarray_proptests::{Sample, Wide, bits, config};
use proptest::prelude::*;

use crate::case::{Case, any_case, cells};

/// The whole array, with the first axis the fastest, or with some axes backwards.
fn whole<T: Sample, const D: usize>(case: &Case<D>, order: u64) -> Array<T, Dim<[usize; D]>>
where
    Dim<[usize; D]>: Dimension,
{
    let mut shape = Dim::<[usize; D]>::zeros(D);
    (0..D).for_each(|axis| shape[axis] = case.shape[axis]);
    let cells = case.part::<T>(&case.whole());
    let standard = Array::from_shape_vec(shape, cells).unwrap();
    let mut array = match order % 2 {
        0 => standard,
        _ => {
            let mut array = Array::from_elem(shape.f(), T::sample(0));
            array.assign(&standard);
            array
        }
    };
    for axis in (0..D).filter(|axis| order >> (axis + 1) & 1 == 1) {
        // The cells, put in the opposite order, under indices that are turned round as well, are where they were.
        let mut turned = array.clone();
        turned.invert_axis(Axis(axis));
        turned.assign(&array);
        array = turned;
    }
    array
}

fn scattered<T: Sample, const D: usize>(case: &Case<D>)
where
    Dim<[usize; D]>: Dimension,
{
    case.run(|| {
        let mut array = case.array::<T>(0, false);
        let mine = whole::<T, D>(case, case.seed);
        assert!(bits(&cells(mine.view())[..]) == bits(&case.part::<T>(&case.whole())[..]));
        // What others than the root give does not matter.
        let is_given = this_image() == case.root || case.seed.is_multiple_of(3);
        let given = is_given.then(|| mine.view());
        array.scatter_global(case.root, given).unwrap();
        case.check(&array, 0, true);
        if let Some(back) = array.gather_global(0) {
            assert!(bits(&cells(back.view())[..]) == bits(&cells(mine.view())[..]));
        }
        // And the other way round.
        let gathered = array.gather_global(case.root);
        let mut again = case.array::<T>(1, false);
        again
            .scatter_global(case.root, gathered.as_ref().map(|array| array.view()))
            .unwrap();
        case.check(&again, 1, true);
    });
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn scattering_in_one_dimension_gives_every_image_its_block(case in any_case::<1>()) {
        scattered::<u16, 1>(&case);
        scattered::<char, 1>(&case);
    }

    #[test]
    fn scattering_in_two_dimensions_gives_every_image_its_block(case in any_case::<2>()) {
        scattered::<f64, 2>(&case);
        scattered::<Wide, 2>(&case);
    }

    #[test]
    fn scattering_in_three_dimensions_gives_every_image_its_block(case in any_case::<3>()) {
        scattered::<f32, 3>(&case);
        scattered::<u8, 3>(&case);
    }

    #[test]
    fn scattering_in_four_dimensions_gives_every_image_its_block(case in any_case::<4>()) {
        scattered::<i64, 4>(&case);
    }
}
