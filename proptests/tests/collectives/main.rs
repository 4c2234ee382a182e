//! Collective operations give every image the bits of the sequential fold from image 0 upwards.

mod by_value;
mod containers;
mod in_place;
mod lent;
mod located;
mod mixed;
mod ndarrays;
mod nested;
mod posts;
mod serialised;
mod structs;
mod values;

use coarray::collectives::{co_broadcast, co_max, co_min, co_reduce, co_sum};
use coarray::this_image;
use coarray_proptests::{Sample, Setting, bits, config};
use proptest::prelude::*;
use values::{Count, Digits, Matrix, input};

/// Bytes that pass in one turn, and up to which everyone reads everyone's.
const TURN: usize = 256 << 10;
const FEW: usize = 2048;

/// Numbers of elements of `size` bytes: few, at the borders of a turn and of the few, and many.
fn lengths(size: usize) -> impl Strategy<Value = usize> {
    let border = |bytes: usize| (bytes / size).saturating_sub(2)..bytes / size + 3;
    prop_oneof![
        2 => 0usize..20,
        2 => border(FEW),
        2 => border(TURN),
        1 => border(2 * TURN),
        2 => 0..40_000usize.min(10 * TURN / size),
    ]
}

/// All images' values, and what they are combined.
fn expected<T: Copy>(inputs: &[Vec<T>], join: impl Fn(T, T) -> T) -> Vec<T> {
    let mut combined = inputs[0].clone();
    for values in &inputs[1..] {
        combined
            .iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum = join(*sum, *value));
    }
    combined
}

/// Runs `operation` on all images' values, and compares the bits that each of them gets.
fn compare<T: Sample>(
    setting: Setting,
    length: usize,
    value: impl Fn(usize, usize) -> T + Sync,
    operation: impl Fn(&mut [T]) + Sync,
    outcome: impl FnOnce(&[Vec<T>]) -> Vec<T>,
) {
    let inputs: Vec<Vec<T>> = (0..setting.images)
        .map(|image| (0..length).map(|index| value(image, index)).collect())
        .collect();
    let results = setting.run(|| {
        let mut values = inputs[this_image()].clone();
        operation(&mut values);
        values
    });
    let outcome = outcome(&inputs);
    for (image, result) in results.iter().enumerate() {
        let differs = |index: &usize| bits(&result[*index]) != bits(&outcome[*index]);
        let first = (0..length).find(differs);
        assert!(
            first.is_none(),
            "image {image} got {:?} for {:?} at {first:?}",
            result[first.unwrap()],
            outcome[first.unwrap()]
        );
    }
}

macro_rules! sums_and_extremes {
    ($($name:ident: $type:ty, $settings:ident;)*) => {
        proptest! {
            #![proptest_config(config(24))]
            $(
                #[test]
                fn $name(
                    setting in Setting::$settings(),
                    length in lengths(size_of::<$type>()),
                    seed: u64,
                ) {
                    let value = |image, index| <$type>::count(input(seed, image, index));
                    let least = |a, b| if b < a { b } else { a };
                    let most = |a, b| if b > a { b } else { a };
                    let sums = |inputs: &[Vec<$type>]| expected(inputs, |a, b| a + b);
                    compare(setting, length, value, |values| co_sum(values), sums);
                    let minima = |inputs: &[Vec<$type>]| expected(inputs, least);
                    compare(setting, length, value, |values| co_min(values), minima);
                    let maxima = |inputs: &[Vec<$type>]| expected(inputs, most);
                    compare(setting, length, value, |values| co_max(values), maxima);
                }
            )*
        }
    };
}

// Between nodes sums are grouped in another way, so that those of floats are rounded otherwise.
sums_and_extremes! {
    sums_and_extremes_of_u8_are_those_of_the_sequential_fold: u8, anywhere;
    sums_and_extremes_of_i16_are_those_of_the_sequential_fold: i16, anywhere;
    sums_and_extremes_of_u32_are_those_of_the_sequential_fold: u32, anywhere;
    sums_and_extremes_of_i64_are_those_of_the_sequential_fold: i64, anywhere;
    sums_and_extremes_of_i128_are_those_of_the_sequential_fold: i128, anywhere;
    sums_and_extremes_of_f32_are_those_of_the_sequential_fold: f32, any;
    sums_and_extremes_of_f64_are_those_of_the_sequential_fold: f64, any;
}

macro_rules! broadcasts {
    ($($name:ident: $type:ty;)*) => {
        proptest! {
            #![proptest_config(config(24))]
            $(
                #[test]
                fn $name(
                    setting in Setting::anywhere(),
                    length in lengths(size_of::<$type>()),
                    root: prop::sample::Index,
                    seed: u64,
                ) {
                    let root = root.index(setting.images);
                    let value = |image, index| <$type>::sample(input(seed, image, index));
                    let outcome = |inputs: &[Vec<$type>]| inputs[root].clone();
                    compare(setting, length, value, |values| co_broadcast(values, root), outcome);
                }
            )*
        }
    };
}

broadcasts! {
    broadcasts_of_bool_bring_the_values_of_the_root: bool;
    broadcasts_of_u16_bring_the_values_of_the_root: u16;
    broadcasts_of_char_bring_the_values_of_the_root: char;
    broadcasts_of_f64_bring_the_values_of_the_root: f64;
    broadcasts_of_structs_bring_the_values_of_the_root: coarray_proptests::Particle;
    broadcasts_of_wide_structs_bring_the_values_of_the_root: coarray_proptests::Wide;
    broadcasts_of_sizes_that_do_not_divide_a_turn_bring_the_values_of_the_root: values::Odd;
    broadcasts_of_plain_types_bring_the_values_of_the_root: coarray::Plain<coarray_proptests::Even>;
}

/// Compares a reduction of samples of `T`.
fn reduce<T: Sample>(
    setting: Setting,
    length: usize,
    seed: u64,
    join: impl Fn(T, T) -> T + Sync + Copy,
) {
    let value = |image, index| T::sample(input(seed, image, index));
    let operation = |values: &mut [T]| co_reduce(values, join);
    compare(setting, length, value, operation, |inputs| {
        expected(inputs, join)
    });
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn reductions_join_from_image_0_upwards(
        setting in Setting::anywhere(),
        length in lengths(size_of::<Digits>()),
        seed: u64,
    ) {
        reduce(setting, length, seed, Digits::then);
    }

    #[test]
    fn reductions_of_matrices_are_their_products_in_order(
        setting in Setting::anywhere(),
        length in lengths(size_of::<Matrix>()),
        seed: u64,
    ) {
        reduce(setting, length, seed, Matrix::times);
    }

    #[test]
    fn reductions_of_truth_values_are_those_of_the_sequential_fold(
        setting in Setting::anywhere(),
        length in lengths(1),
        seed: u64,
    ) {
        reduce(setting, length, seed, |a: bool, b| a ^ b);
    }
}

#[test]
fn of_values_that_are_equal_but_not_the_same_the_first_image_has_its_way() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let zeros = if this_image() == 0 {
                [0.0, -0.0f64]
            } else {
                [-0.0, 0.0]
            };
            let (mut least, mut most) = (zeros, zeros);
            co_min(&mut least);
            co_max(&mut most);
            assert_eq!(
                (bits(&least), bits(&most)),
                (bits(&[0.0, -0.0]), bits(&[0.0, -0.0]))
            );
        });
    }
}
