//! Slices of coatomics, loaded and stored in one call, against loops over them.

use std::fmt::Debug;
use std::ops::Range;

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;
use proptest::sample::Index;

/// Each image stores in a range of the next one's coatomics, which nobody else uses, and loads another range.
fn follow<T: Remote + PartialEq + Debug>(
    setting: Setting,
    length: usize,
    ranges: &[[(Index, Index); 2]],
    value: impl Fn(u64) -> T + Sync,
) {
    let range = |(one, other): (Index, Index)| -> Range<usize> {
        let (one, other) = (one.index(length + 1), other.index(length + 1));
        one.min(other)..one.max(other)
    };
    setting.run(|| {
        let next = (this_image() + 1) % num_images();
        let first = |index: usize| value(mix(0, index as u64));
        let coatomics =
            Coarray::<[Coatomic<T>]>::from_fn(length, |index| Coatomic::new(first(index)));
        let mut model: Vec<T> = (0..length).map(first).collect();
        let list = coatomics.at(next);
        for (step, &[stored, loaded]) in (1..).zip(ranges) {
            let (stored, loaded) = (range(stored), range(loaded));
            let values: Vec<T> = stored
                .clone()
                .map(|index| value(mix(step, index as u64)))
                .collect();
            list[stored.clone()].store_from(&values);
            model[stored].copy_from_slice(&values);
            let mut target: Vec<T> = loaded.clone().map(|_| value(17)).collect();
            list[loaded.clone()].load_into(&mut target);
            assert_eq!(target, model[loaded.clone()]);
            assert_eq!(list[loaded.clone()].load_vec(), model[loaded]);
        }
        sync_all();
        // All images did the same.
        assert_eq!(coatomics.load_vec(), model);
        // One's own.
        let last: Vec<T> = (0..length)
            .map(|index| value(mix(99, index as u64)))
            .collect();
        coatomics.store_from(&last);
        let mut target = model;
        coatomics[..].load_into(&mut target);
        assert_eq!(target, last);
        sync_all();
        assert_eq!(list.load_vec(), last);
    });
}

/// Expands to a property for each type.
macro_rules! as_loops {
    ($($name:ident: $type:ty, $value:expr;)*) => {
        proptest! {
            #![proptest_config(config(16))]
            $(
                #[test]
                fn $name(
                    setting in Setting::anywhere(),
                    length in 0usize..2500,
                    ranges in prop::collection::vec(any::<[(Index, Index); 2]>(), 1..4),
                ) {
                    follow::<$type>(setting, length, &ranges, $value);
                }
            )*
        }
    };
}

as_loops! {
    slices_of_bytes_are_loaded_and_stored_as_loops_do: u8, |seed| seed as u8;
    slices_of_words_are_loaded_and_stored_as_loops_do: i64, |seed| seed as i64;
    slices_of_short_words_are_loaded_and_stored_as_loops_do: i16, |seed| seed as i16;
    slices_of_truth_values_are_loaded_and_stored_as_loops_do: bool, |seed| seed % 2 == 1;
    slices_of_floats_are_loaded_and_stored_as_loops_do: f32, |seed| seed as u32 as f32;
    // By a lock.
    slices_of_arrays_are_loaded_and_stored_as_loops_do: [u32; 3], |seed| [seed as u32; 3];
}

#[test]
fn a_slice_takes_as_many_values_as_it_has() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let coatomics = Coarray::<[Coatomic<u8>]>::from_fn(4, |_| Coatomic::new(1));
            let place = coatomics.at(num_images() - 1);
            for text in [
                panic_of(|| place.load_into(&mut [0; 3])),
                panic_of(|| coatomics.load_into(&mut [0; 3])),
                panic_of(|| place.store_from(&[0; 3])),
                panic_of(|| coatomics.store_from(&[0; 3])),
            ] {
                assert!(text.contains("3 values for 4 coatomics"), "{text}");
            }
            assert_eq!(place.load_vec(), [1; 4]);
        });
    }
}
