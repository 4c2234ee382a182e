//! Atomic operations on the items of a list, against loops over it.

use coarray::atomics::{Bits, CoatomicList};
use coarray::prelude::*;
use coarray_proptests::{Sample, Setting, config, mix};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Arithmetic, Logic, alike};

/// An operation on a list, and what it makes of a variable and a value.
type Operation<T> = (fn(&Coref<[Coatomic<T>]>, &[usize], &[T]), fn(T, T) -> T);

/// Which operation, on which items, with which values.
type Step = (Index, Vec<Index>, u64);

fn arithmetic<T: Arithmetic>() -> Vec<Operation<T>> {
    vec![
        (
            |list, indices, values| list.add_at(indices, values),
            T::plus,
        ),
        (
            |list, indices, values| list.min_at(indices, values),
            T::smaller,
        ),
        (
            |list, indices, values| list.max_at(indices, values),
            T::larger,
        ),
        (
            |list, indices, values| list.add_at_async(indices, values),
            T::plus,
        ),
        (
            |list, indices, values| list.min_at_async(indices, values),
            T::smaller,
        ),
        (
            |list, indices, values| list.max_at_async(indices, values),
            T::larger,
        ),
    ]
}

fn logic<T: Logic + Bits>() -> Vec<Operation<T>> {
    vec![
        (
            |list, indices, values| list.and_at(indices, values),
            T::both,
        ),
        (
            |list, indices, values| list.or_at(indices, values),
            T::either,
        ),
        (
            |list, indices, values| list.xor_at(indices, values),
            T::differing,
        ),
        (
            |list, indices, values| list.and_at_async(indices, values),
            T::both,
        ),
        (
            |list, indices, values| list.or_at_async(indices, values),
            T::either,
        ),
        (
            |list, indices, values| list.xor_at_async(indices, values),
            T::differing,
        ),
    ]
}

/// Each image works on the part of the next one, which nobody else uses.
fn follow<T: Sample>(
    kinds: &[Vec<Operation<T>>],
    setting: Setting,
    length: usize,
    steps: &[Step],
    value: impl Fn(u64) -> T + Sync,
) {
    let operations: Vec<_> = kinds.iter().flatten().collect();
    let operations = &operations;
    setting.run(|| {
        let next = (this_image() + 1) % num_images();
        let first = |index: usize| value(mix(0, index as u64));
        let coatomics =
            Coarray::<[Coatomic<T>]>::from_fn(length, |index| Coatomic::new(first(index)));
        let mut model: Vec<T> = (0..length).map(first).collect();
        let list = coatomics.at(next);
        for (operation, picks, seed) in steps {
            let indices: Vec<usize> = picks.iter().map(|pick| pick.index(length)).collect();
            let mut values: Vec<T> = (0..indices.len())
                .map(|at| value(mix(*seed, at as u64)))
                .collect();
            let (operate, on_variable) = operations[operation.index(operations.len())];
            operate(list, &indices, &values);
            for (&index, value) in indices.iter().zip(&values) {
                model[index] = on_variable(model[index], *value);
            }
            // They may be changed: they were copied.
            values.fill(value(17));
            if let Some(&index) = indices.first() {
                assert!(alike(&list[index].load(), &model[index]), "item {index}");
            }
        }
        sync_all();
        // All images did the same.
        for (index, model) in model.iter().enumerate() {
            assert!(alike(&coatomics[index].load(), model), "item {index}");
        }
    });
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let picks = prop::collection::vec(any::<Index>(), 0..120);
    prop::collection::vec((any::<Index>(), picks, any::<u64>()), 1..6)
}

/// Compiled once, for all types.
fn for_any(follow: fn(Setting, usize, &[Step])) {
    let setting = Setting::anywhere();
    proptest!(config(30), |(setting in setting, length in 1usize..400, steps in steps())| {
        follow(setting, length, &steps);
    });
}

/// Expands to a property for each type.
macro_rules! as_loops {
    ($($name:ident: $type:ty, $($kind:ident)+, $value:expr;)*) => { $(
        #[test]
        fn $name() {
            for_any(|setting, length, steps| {
                follow::<$type>(&[$($kind()),+], setting, length, steps, $value);
            });
        }
    )* };
}

as_loops! {
    lists_of_bytes_do_as_loops_do: u8, arithmetic logic, |seed| seed as u8;
    lists_of_words_of_16_bits_do_as_loops_do: i16, arithmetic logic, |seed| seed as i16;
    lists_of_words_of_32_bits_do_as_loops_do: i32, arithmetic logic, |seed| seed as i32;
    lists_of_words_of_64_bits_do_as_loops_do: u64, arithmetic logic, |seed| seed;
    lists_of_truth_values_do_as_loops_do: bool, logic, |seed| seed % 2 == 1;
    // Whole numbers: their sums are exact in every order.
    lists_of_floats_do_as_loops_do: f64, arithmetic, |seed| (seed % 1000) as f64;
    lists_of_short_floats_do_as_loops_do: f32, arithmetic, |seed| (seed % 100) as f32;
}

/// All images change the same few items, with repeats, at the same time.
#[test]
fn every_value_of_every_list_counts() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (sums, floats) = (
                Coarray::<[Coatomic<u64>]>::from_fn(4, |_| Coatomic::new(0)),
                Coarray::<[Coatomic<f64>]>::from_fn(4, |_| Coatomic::new(0.0)),
            );
            let bytes = Coarray::<[Coatomic<u8>]>::from_fn(5, |_| Coatomic::new(0));
            let indices: Vec<usize> = (0..60).map(|at| at * at % 4).collect();
            for _ in 0..5 {
                sums.at(0).add_at(&indices, &[1; 60]);
                floats.at(0).add_at_async(&indices, &[1.0; 60]);
                bytes.at(0).add_at(&indices, &[1; 60]);
                bytes
                    .at(0)
                    .or_at_async(&[4, 4], &[1 << (this_image() % 8), 0]);
            }
            sync_all();
            if this_image() == 0 {
                let times = 5 * num_images() as u64;
                for (index, sum) in sums.iter().enumerate() {
                    let count = indices.iter().filter(|&&at| at == index).count() as u64;
                    assert_eq!(sum.load(), count * times);
                    assert_eq!(floats[index].load(), (count * times) as f64);
                    assert_eq!(bytes[index].load(), (count * times) as u8);
                }
                let all = (0..num_images()).fold(0, |all, image| all | 1_u8 << (image % 8));
                assert_eq!(bytes[4].load(), all);
            }
            sync_all();
        });
    }
}
