//! Atomic operations on the plain values of an open coarray.

use coarray::atomics::LockFree;
use coarray::prelude::*;
use coarray_proptests::{Sample, Setting, bits, config, mix};
use proptest::prelude::*;

use crate::{Arithmetic, Operation, alike, arithmetic, common, logic};

/// Every operation in place is the one of a coatomic, and puts and gets see what it does.
fn same_place<T: Sample + LockFree>(operations: &[Operation<T>], setting: Setting, seed: u64) {
    setting.run(|| {
        let right = (this_image() + 1) % num_images();
        let mut plain = Coarray::<[T; 3]>::from_fn(|index| T::sample(mix(seed, index as u64)));
        let mut expected = *plain;
        let open = plain.open();
        let place = &open.at(right)[1];
        for (turn, operation) in operations.iter().enumerate() {
            let value = T::sample(mix(seed, turn as u64));
            let old = (operation.in_place)(place.as_atomic(), value);
            assert!(old.is_none_or(|old| bits(&old) == bits(&expected[1])));
            expected[1] = (operation.model)(expected[1], value);
            assert!(alike(&place.get(), &expected[1]));
            expected[1] = T::sample(mix(seed, turn as u64 + 1));
            place.put(expected[1]);
            assert_eq!(bits(&place.as_atomic().load()), bits(&expected[1]));
        }
        open.close();
        assert_eq!(bits(&*plain), bits(&expected));
    });
}

/// All images add to all items of all images, while nobody puts.
fn count<T: Arithmetic + LockFree>(setting: Setting, turns: usize) {
    setting.run(|| {
        let images = num_images();
        let mut counts = Coarray::<[T; 5]>::from_fn(|_| T::number(0));
        let open = counts.open();
        for turn in 0..turns {
            let place = open.at((this_image() + turn) % images);
            place[turn % 5].as_atomic().add(T::number(3));
            place[turn % 5].as_atomic().fetch_sub(T::number(1));
        }
        open.close();
        let mine = |index: usize| {
            let turn_of =
                |me: usize| (0..turns).filter(move |turn| (me + turn) % images == this_image());
            (0..images)
                .flat_map(turn_of)
                .filter(|turn| turn % 5 == index)
                .count() as u64
        };
        for index in 0..5 {
            assert_eq!(bits(&counts[index]), bits(&T::number(2 * mine(index))));
        }
    });
}

/// Compiled once, for all types.
fn for_any(property: fn(Setting, u64, usize)) {
    let setting = Setting::anywhere();
    proptest!(config(12), |(setting in setting, seed in any::<u64>(), turns in 0usize..300)| {
        property(setting, seed, turns);
    });
}

/// Expands to a property for each type.
macro_rules! in_place {
    ($($name:ident: $type:ty, $($kind:ident)+ $(; $count:ident)?.)*) => { $(
        #[test]
        fn $name() {
            for_any(|setting, seed, _turns| {
                $( same_place::<$type>(&$kind(), setting, seed); )+
                $( $count::<$type>(setting, _turns); )?
            });
        }
    )* };
}

in_place! {
    bytes_are_atomic_in_place: u8, common arithmetic logic; count.
    words_of_16_bits_are_atomic_in_place: u16, common arithmetic logic; count.
    words_of_32_bits_are_atomic_in_place: u32, common arithmetic logic; count.
    words_of_64_bits_are_atomic_in_place: u64, common arithmetic logic; count.
    sizes_are_atomic_in_place: usize, common arithmetic logic; count.
    signed_bytes_are_atomic_in_place: i8, common arithmetic logic; count.
    signed_words_of_16_bits_are_atomic_in_place: i16, common arithmetic logic; count.
    signed_words_of_32_bits_are_atomic_in_place: i32, common arithmetic logic; count.
    signed_words_of_64_bits_are_atomic_in_place: i64, common arithmetic logic; count.
    distances_are_atomic_in_place: isize, common arithmetic logic; count.
    truth_values_are_atomic_in_place: bool, common logic.
    floats_of_32_bits_are_atomic_in_place: f32, common arithmetic; count.
    floats_of_64_bits_are_atomic_in_place: f64, common arithmetic; count.
    copointers_are_atomic_in_place: Coptr<u16>, common.
}

/// What images race for is one of the values that they wrote, whichever way.
#[test]
fn puts_and_atomic_operations_may_race() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut seen = Coarray::new([[false; 8]; 8]);
            let open = seen.open();
            for turn in 0..500 {
                let row = &open.at(turn % num_images())[turn % 8];
                match (turn + this_image()) % 3 {
                    0 => row.put([turn % 2 == 0; 8]),
                    1 => _ = row[turn % 7].as_atomic().fetch_xor(true),
                    _ => row[turn % 5].put(row[turn % 3].as_atomic().load()),
                }
            }
        });
    }
}
