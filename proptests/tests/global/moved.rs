//! What is moved from one division to another is the same array; halos stay, and so does what was moved from.

use coarray::grid::gmove;
use coarray::ndarray::{Dim, Dimension};
use coarray_proptests::{Particle, Sample, Wide, config};
use proptest::prelude::*;

use crate::case::{Case, any_case};

fn moved<T: Sample, const D: usize>(case: &Case<D>)
where
    Dim<[usize; D]>: Dimension,
{
    case.run(|| {
        let from = case.array::<T>(0, true);
        let mut to = case.array::<T>(1, false);
        gmove(&from, &mut to).unwrap();
        case.check(&from, 0, true);
        case.check(&to, 1, true);
        let mut back = case.array::<T>(0, false);
        gmove(&to, &mut back).unwrap();
        case.check(&to, 1, true);
        case.check(&back, 0, true);
        // Within one division.
        let mut like = case.array::<T>(0, false);
        gmove(&back, &mut like).unwrap();
        case.check(&like, 0, true);
    });
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn moving_in_one_dimension_gives_every_image_its_new_block(case in any_case::<1>()) {
        moved::<u8, 1>(&case);
        moved::<Particle, 1>(&case);
    }

    #[test]
    fn moving_in_two_dimensions_gives_every_image_its_new_block(case in any_case::<2>()) {
        moved::<f64, 2>(&case);
        moved::<bool, 2>(&case);
    }

    #[test]
    fn moving_in_three_dimensions_gives_every_image_its_new_block(case in any_case::<3>()) {
        moved::<u32, 3>(&case);
        moved::<Wide, 3>(&case);
    }

    #[test]
    fn moving_in_four_dimensions_gives_every_image_its_new_block(case in any_case::<4>()) {
        moved::<i16, 4>(&case);
    }
}
