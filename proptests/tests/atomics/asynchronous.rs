//! Atomic operations that do not wait, against the same operations on variables.

use coarray::Plain;
use coarray::asynchronous::{Cofuture, CofutureSet};
use coarray::prelude::*;
use coarray_proptests::{Celsius, Particle, Sample, Setting, bits, config, mix};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Arithmetic, Logic, alike};

/// What to do to which of a few coatomics, with which values.
type Step = (Index, Index, [u64; 2]);

/// How many coatomics of one image are used.
const PLACES: usize = 3;

/// An operation that was begun, and what it returns; none if it returns nothing.
type Begun<'a, T> = Option<(Cofuture<'a, T>, T)>;

/// Begins an operation with two values, and does it to a variable.
type Begin<T> = for<'a> fn(&'a Coref<Coatomic<T>>, &mut T, [T; 2]) -> Begun<'a, T>;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), [0u64..4, 0..4]), 0..80)
}

/// Lets every image do the steps on coatomics of its right neighbour, which nobody else uses, and waits for what they return at the end.
fn follow<T: Sample>(kinds: &[Vec<Begin<T>>], setting: Setting, steps: &[Step], seed: u64) {
    let operations: Vec<_> = kinds.iter().flatten().collect();
    let operations = &operations;
    setting.run(|| {
        let right = (this_image() + 1) % num_images();
        let sample = |seed_of: u64| T::sample(mix(seed, seed_of));
        let first = |index: usize| sample(index as u64);
        let coatomics =
            Coarray::<[Coatomic<T>]>::from_fn(PLACES, |index| Coatomic::new(first(index)));
        let mut models: [T; PLACES] = std::array::from_fn(first);
        let there = coatomics.at(right);
        let (mut begun, mut expected) = (CofutureSet::new(), Vec::new());
        for (operation, index, seeds) in steps {
            let (index, operation) = (index.index(PLACES), operation.index(operations.len()));
            let (place, model) = (&there[index], &mut models[index]);
            if let Some((cofuture, old)) = operations[operation](place, model, seeds.map(sample)) {
                begun.push(cofuture);
                expected.push(old);
            }
            if seeds[0] == 3 && operation % 4 == 0 {
                quiet();
            }
        }
        let seen = begun.wait_all();
        assert_eq!(seen.len(), expected.len());
        for (seen, expected) in seen.iter().zip(&expected) {
            assert!(alike(seen, expected));
        }
        sync_all();
        // All images did the same.
        for (index, model) in models.iter().enumerate() {
            assert!(alike(&there[index].load(), model) && alike(&coatomics[index].load(), model));
        }
        sync_all();
    });
}

macro_rules! returning {
    ($name:ident, $model:expr) => {
        |place, variable, [value, _]| {
            let old = *variable;
            *variable = $model(old, value);
            Some((place.$name(value), old))
        }
    };
}

macro_rules! silent {
    ($name:ident, $model:expr) => {
        |place, variable, [value, _]| {
            *variable = $model(*variable, value);
            place.$name(value);
            None
        }
    };
}

fn common<T: Sample>() -> Vec<Begin<T>> {
    vec![
        |place, variable, _| Some((place.load_async(), *variable)),
        returning!(swap_async, |_, value| value),
        silent!(store_async, |_, value| value),
        |place, variable, [current, new]| {
            let old = *variable;
            if bits(&old) == bits(&current) {
                *variable = new;
            }
            let exchanged = place.compare_exchange_async(current, new);
            let expected = bits(&old) == bits(&current);
            Some((
                exchanged.map(move |exchanged| {
                    assert_eq!(exchanged.is_ok(), expected);
                    exchanged.unwrap_or_else(|old| old)
                }),
                old,
            ))
        },
    ]
}

fn arithmetic<T: Arithmetic>() -> Vec<Begin<T>> {
    vec![
        returning!(fetch_add_async, T::plus),
        returning!(fetch_sub_async, T::minus),
        returning!(fetch_min_async, T::smaller),
        returning!(fetch_max_async, T::larger),
        silent!(add_async, T::plus),
        silent!(sub_async, T::minus),
    ]
}

fn logic<T: Logic>() -> Vec<Begin<T>> {
    vec![
        returning!(fetch_and_async, T::both),
        returning!(fetch_or_async, T::either),
        returning!(fetch_xor_async, T::differing),
        silent!(and_async, T::both),
        silent!(or_async, T::either),
        silent!(xor_async, T::differing),
    ]
}

/// Compiled once, for all types.
fn for_any(follow: fn(Setting, &[Step], u64)) {
    let setting = Setting::anywhere();
    proptest!(config(40), |(setting in setting, steps in steps(), seed in any::<u64>())| {
        follow(setting, &steps, seed);
    });
}

/// Expands to a property for each type.
macro_rules! in_order {
    ($($name:ident: $type:ty, $($kind:ident)+;)*) => { $(
        #[test]
        fn $name() {
            for_any(|setting, steps, seed| follow::<$type>(&[$($kind()),+], setting, steps, seed));
        }
    )* };
}

in_order! {
    operations_in_flight_on_bytes_are_in_order: u8, common arithmetic logic;
    operations_in_flight_on_words_of_16_bits_are_in_order: i16, common arithmetic logic;
    operations_in_flight_on_words_of_32_bits_are_in_order: u32, common arithmetic logic;
    operations_in_flight_on_words_of_64_bits_are_in_order: i64, common arithmetic logic;
    operations_in_flight_on_truth_values_are_in_order: bool, common logic;
    operations_in_flight_on_floats_are_in_order: f64, common arithmetic;
    operations_in_flight_on_characters_are_in_order: char, common;
    operations_in_flight_on_structs_are_in_order: Particle, common;
    operations_in_flight_on_foreign_floats_are_in_order: Plain<Celsius>, common;
}

/// All images add to all, and nobody waits: the barrier does.
#[test]
fn no_sum_in_flight_is_lost() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let sums = Coarray::<[Coatomic<u64>; 2]>::from_fn(|_| Coatomic::new(0));
            for step in 0..200 {
                let place = &sums.at(step % num_images())[step % 2];
                place.add_async(1);
                drop(place.fetch_add_async(1 << 32));
            }
            sync_all();
            let mut all: u64 = sums.iter().map(Coatomic::load).sum();
            co_sum(&mut all);
            assert_eq!(all, num_images() as u64 * (200 << 32 | 200));
        });
    }
}
