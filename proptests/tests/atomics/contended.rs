//! No operation is lost when all images do them at once, and each happens between two others.

use coarray::prelude::*;
use coarray_proptests::{Setting, bits, config, mix};
use proptest::prelude::*;

use crate::{Arithmetic, Logic, sorted};

/// More images than there are cores, most of the time.
pub(crate) fn eight() -> impl Strategy<Value = Setting> {
    (any::<bool>(), prop::sample::select(&[1, 1, 2, 3, 8])).prop_map(|(direct, nodes)| Setting {
        images: 8,
        direct,
        nodes,
    })
}

/// Random operations, so many for each of eight images.
fn operations() -> impl Strategy<Value = Vec<Vec<u64>>> {
    prop::collection::vec(prop::collection::vec(any::<u64>(), 0..200), 8)
}

/// Every image draws numbers from the counter of image 0, by adding, and by comparing and exchanging. No
/// number is drawn twice.
fn draw<T: Arithmetic>(setting: Setting, operations: &[Vec<u64>]) {
    let drawn = setting.run(|| {
        let counter = Coarray::new(Coatomic::new(T::number(0)));
        let counter = counter.at(0);
        let mut drawn = Vec::new();
        for operation in &operations[this_image()] {
            if operation % 2 == 0 {
                drawn.push(counter.fetch_add(T::number(1)));
                continue;
            }
            let mut seen = counter.load();
            while let Err(other) = counter.compare_exchange(seen, seen.plus(T::number(1))) {
                seen = other;
            }
            drawn.push(seen);
        }
        sync_all();
        let last = counter.load();
        sync_all();
        (drawn, last)
    });
    let total = operations.iter().flatten().count() as u64;
    assert!(
        drawn
            .iter()
            .all(|(_, last)| bits(last) == bits(&T::number(total)))
    );
    let drawn = drawn.into_iter().flat_map(|(drawn, _)| drawn);
    assert_eq!(sorted(drawn), sorted((0..total).map(T::number)));
}

/// Every image does each operation on coatomics of all images, of which all other images do the same. The
/// order makes no difference in the end.
fn accumulate<T: Arithmetic>(setting: Setting, operations: &[Vec<u64>]) {
    // Small numbers, of which sums of floats are exact.
    let amount = |operation: &u64| T::number(operation >> 8 & 7);
    let middle = T::number(60);
    let results = setting.run(|| {
        let (me, images) = (this_image(), num_images());
        let totals = Coarray::<[Coatomic<T>; 4]>::from_fn(|_| Coatomic::new(middle));
        let mut seen = [middle; 2];
        for (turn, operation) in operations[me].iter().enumerate() {
            let [sum, difference, smallest, largest] =
                [0, 1, 2, 3].map(|index| &totals.at((me + turn) % images)[index]);
            let amount = amount(operation);
            if operation % 2 == 0 {
                sum.add(amount);
                difference.sub(amount);
                smallest.min(amount);
                largest.max(middle.plus(amount));
            } else {
                sum.fetch_add(amount);
                difference.fetch_sub(amount);
                let extremes = [
                    smallest.fetch_min(amount),
                    largest.fetch_max(middle.plus(amount)),
                ];
                if (me + turn) % images == 0 {
                    // The smallest only becomes smaller, the largest only larger.
                    assert_eq!(bits(&extremes[0]), bits(&extremes[0].smaller(seen[0])));
                    assert_eq!(bits(&extremes[1]), bits(&extremes[1].larger(seen[1])));
                    seen = extremes;
                }
            }
        }
        sync_all();
        [0, 1, 2, 3].map(|index| totals[index].load())
    });
    for (image, result) in results.into_iter().enumerate() {
        let amounts = || {
            let of = |me: usize| {
                let turns = operations[me].iter().enumerate();
                turns.filter(move |(turn, _)| (me + turn) % 8 == image)
            };
            (0..8).flat_map(of).map(|(_, operation)| amount(operation))
        };
        let expected = [
            amounts().fold(middle, T::plus),
            amounts().fold(middle, T::minus),
            amounts().fold(middle, T::smaller),
            amounts()
                .map(|amount| middle.plus(amount))
                .fold(middle, T::larger),
        ];
        assert_eq!(bits(&result), bits(&expected));
    }
}

/// Every image does logic on the coatomics of image 0. The order makes no difference in the end.
fn combine<T: Logic>(setting: Setting, operations: &[Vec<u64>]) {
    // Mostly ones to keep, and mostly zeros to set, so that something is left to be seen.
    let some = |operation: u64, salt: u64| T::sample(mix(operation, salt));
    let few = |operation| {
        [1, 2, 3]
            .map(|salt| some(operation, salt))
            .into_iter()
            .reduce(T::both)
    };
    let few = |operation: u64| few(operation).expect("three samples");
    let start = T::sample(77);
    let results = setting.run(|| {
        let combined = Coarray::<[Coatomic<T>; 3]>::from_fn(|_| Coatomic::new(start));
        let [and, or, xor] = [0, 1, 2].map(|index| &combined.at(0)[index]);
        for &operation in &operations[this_image()] {
            let bit = few(operation);
            if operation % 2 == 0 {
                and.and(bit.differing(start));
                or.or(bit);
                xor.xor(bit);
            } else {
                and.fetch_and(bit.differing(start));
                let before = or.fetch_or(bit);
                let after = or.load();
                // Bits that are set stay set.
                assert_eq!(
                    bits(&after.both(before.either(bit))),
                    bits(&before.either(bit))
                );
                xor.fetch_xor(bit);
            }
        }
        sync_all();
        let result = [0, 1, 2].map(|index| combined.at(0)[index].load());
        sync_all();
        result
    });
    let values = || operations.iter().flatten().map(|&operation| few(operation));
    let expected = [
        values()
            .map(|bit| bit.differing(start))
            .fold(start, T::both),
        values().fold(start, T::either),
        values().fold(start, T::differing),
    ];
    for result in results {
        assert_eq!(bits(&result), bits(&expected));
    }
}

/// Compiled once, for all types.
fn for_any(property: fn(Setting, &[Vec<u64>])) {
    proptest!(config(12), |(setting in eight(), operations in operations())| {
        property(setting, &operations);
    });
}

/// Expands to a property for each type.
macro_rules! under_contention {
    ($($name:ident: $type:ty, $($property:ident)+;)*) => { $(
        #[test]
        fn $name() {
            for_any(|setting, operations| {
                $($property::<$type>(setting, operations);)+
            });
        }
    )* };
}

under_contention! {
    no_operation_on_bytes_is_lost: u8, draw accumulate combine;
    no_operation_on_words_of_16_bits_is_lost: u16, draw accumulate combine;
    no_operation_on_words_of_32_bits_is_lost: u32, draw accumulate combine;
    no_operation_on_words_of_64_bits_is_lost: u64, draw accumulate combine;
    no_operation_on_sizes_is_lost: usize, draw accumulate combine;
    no_operation_on_signed_bytes_is_lost: i8, draw accumulate combine;
    no_operation_on_signed_words_of_16_bits_is_lost: i16, draw accumulate combine;
    no_operation_on_signed_words_of_32_bits_is_lost: i32, draw accumulate combine;
    no_operation_on_signed_words_of_64_bits_is_lost: i64, draw accumulate combine;
    no_operation_on_distances_is_lost: isize, draw accumulate combine;
    no_operation_on_truth_values_is_lost: bool, combine;
    no_operation_on_floats_of_32_bits_is_lost: f32, draw accumulate;
    no_operation_on_floats_of_64_bits_is_lost: f64, draw accumulate;
}
