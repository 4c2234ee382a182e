//! Lists of indices, against loops over them.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;
use coarray_proptests::{Kind, Sample, Setting, config, mix};
use proptest::prelude::*;
use proptest::sample::Index;

/// Each image works on the part of the next one, which nobody else uses.
fn run<T: Sample + PartialEq>(setting: Setting, length: usize, lists: &[(u8, Vec<Index>, u64)]) {
    setting.run(|| {
        let next = (this_image() + 1) % num_images();
        let value = |seed: u64, index: usize| T::sample(mix(seed, index as u64));
        let mut coarray = Coarray::<[T]>::from_fn(length, |index| value(0, index));
        let mut model: Vec<T> = (0..length).map(|index| value(0, index)).collect();
        let open = coarray.open();
        let place = open.at(next);
        for (action, picks, seed) in lists {
            let indices: Vec<usize> = picks.iter().map(|pick| pick.index(length)).collect();
            let values: Vec<T> = (0..indices.len()).map(|at| value(*seed, at)).collect();
            if action % 4 < 2 {
                let mut seen = values.clone();
                match action % 4 {
                    0 => place.gather_from(&indices, &mut seen),
                    _ => async_scope(|scope| {
                        drop(place.gather_from_async(&indices, &mut seen, scope));
                    }),
                }
                assert!(seen.iter().eq(indices.iter().map(|&index| &model[index])));
                continue;
            }
            match action % 4 {
                2 => place.scatter_to(&indices, &values),
                _ => drop(place.scatter_to_async(&indices, &values)),
            }
            for (&index, value) in indices.iter().zip(values) {
                model[index] = value;
            }
        }
        assert!(place.to_vec() == model);
    });
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn lists_of_indices_do_as_loops_over_them_do(
        setting in Setting::anywhere(),
        kind in 0u8..3,
        length in 1usize..3000,
        lists in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<Index>(), 0..300), any::<u64>()), 1..6),
    ) {
        match kind {
            0 => run::<u64>(setting, length, &lists),
            1 => run::<Kind>(setting, length, &lists),
            _ => run::<char>(setting, length, &lists),
        }
    }
}
