//! As long as one image uses a coatomic, it is a variable.

use std::num::{NonZeroI128, NonZeroU8, NonZeroU32};

use coarray::Plain;
use coarray::prelude::*;
use coarray_proptests::{
    Celsius, Even, Kind, Level, Particle, Sample, Setting, Wide, bits, config, mix,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Operation, alike, arithmetic, common, logic};

/// An operation, or none to compare and exchange; whether the image does it on its own coatomic; and what
/// values to take.
type Step = (Option<Index>, bool, [u64; 2]);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Few values, or else no comparison would find what it expects.
    let seeds = [0u64..4, 0..4];
    let operation = prop::option::weighted(0.7, any::<Index>());
    prop::collection::vec((operation, any::<bool>(), seeds), 0..60)
}

/// Lets every image do the steps on a coatomic of its own, and on one of its right neighbour.
fn follow<T: Sample>(kinds: &[Vec<Operation<T>>], setting: Setting, steps: &[Step], seed: u64) {
    let operations: Vec<_> = kinds.iter().flatten().collect();
    let operations = &operations;
    setting.run(|| {
        let (me, images) = (this_image(), num_images());
        let right = (me + 1) % images;
        let sample = |seed_of: u64| T::sample(mix(seed, seed_of));
        let coatomics = Coarray::<[[Coatomic<T>; 2]]>::from_fn(images, |_| {
            [0, 1].map(|seed_of| Coatomic::new(sample(seed_of)))
        });
        let (mine, theirs) = (&coatomics[me][0], &coatomics.at(right)[me][1]);
        let mut models = [0, 1].map(sample);
        for (operation, local, seeds) in steps {
            let model = &mut models[usize::from(!local)];
            let [value, other] = seeds.map(sample);
            let Some(operation) = operation else {
                let exchanged = if *local {
                    mine.compare_exchange(value, other)
                } else {
                    theirs.compare_exchange(value, other)
                };
                assert_eq!(exchanged.is_ok(), bits(model) == bits(&value));
                let (Ok(old) | Err(old)) = exchanged;
                assert_eq!(bits(&old), bits(model));
                if exchanged.is_ok() {
                    *model = other;
                }
                continue;
            };
            let operation = operations[operation.index(operations.len())];
            let (old, now) = if *local {
                ((operation.local)(mine, value), mine.load())
            } else {
                ((operation.remote)(theirs, value), theirs.load())
            };
            assert!(old.is_none_or(|old| bits(&old) == bits(model)));
            assert!(alike(&now, &(operation.model)(*model, value)));
            *model = now;
        }
        assert_eq!(bits(&mine.load()), bits(&models[0]));
        assert_eq!(bits(&theirs.load()), bits(&models[1]));
        sync_all();
        // All images did the same.
        let left = (me + images - 1) % images;
        assert_eq!(
            bits(&coatomics.at(right)[right][0].load()),
            bits(&models[0])
        );
        assert_eq!(bits(&coatomics[left][1].load()), bits(&models[1]));
    });
}

/// Compiled once, for all types.
fn for_any(follow: fn(Setting, &[Step], u64)) {
    let setting = Setting::anywhere();
    proptest!(config(40), |(setting in setting, steps in steps(), seed in any::<u64>())| {
        follow(setting, &steps, seed);
    });
}

/// Expands to a property for each type.
macro_rules! variables {
    ($($name:ident: $type:ty, $($kind:ident)+;)*) => { $(
        #[test]
        fn $name() {
            for_any(|setting, steps, seed| follow::<$type>(&[$($kind()),+], setting, steps, seed));
        }
    )* };
}

variables! {
    bytes_are_variables: u8, common arithmetic logic;
    words_of_16_bits_are_variables: u16, common arithmetic logic;
    words_of_32_bits_are_variables: u32, common arithmetic logic;
    words_of_64_bits_are_variables: u64, common arithmetic logic;
    sizes_are_variables: usize, common arithmetic logic;
    signed_bytes_are_variables: i8, common arithmetic logic;
    signed_words_of_16_bits_are_variables: i16, common arithmetic logic;
    signed_words_of_32_bits_are_variables: i32, common arithmetic logic;
    signed_words_of_64_bits_are_variables: i64, common arithmetic logic;
    distances_are_variables: isize, common arithmetic logic;
    truth_values_are_variables: bool, common logic;
    floats_of_32_bits_are_variables: f32, common arithmetic;
    floats_of_64_bits_are_variables: f64, common arithmetic;
    copointers_are_variables: Coptr<u16>, common;
    integers_of_128_bits_are_variables: u128, common;
    characters_are_variables: char, common;
    nonzero_bytes_are_variables: NonZeroU8, common;
    nonzero_words_are_variables: NonZeroU32, common;
    nonzero_integers_of_128_bits_are_variables: NonZeroI128, common;
    enums_of_a_byte_are_variables: Kind, common;
    enums_of_a_word_are_variables: Level, common;
    small_structs_are_variables: Particle, common;
    large_structs_are_variables: Wide, common;
    foreign_floats_are_variables: Plain<Celsius>, common;
    foreign_integers_are_variables: Plain<Even>, common;
}

#[test]
fn arrays_are_variables() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let coatomics = Coarray::new(Coatomic::new([[false; 3]; 2]));
            let (mine, other) = (coatomics.at(this_image()), [[true; 3]; 2]);
            assert_eq!(mine.compare_exchange(other, other), Err([[false; 3]; 2]));
            assert_eq!(mine.swap(other), [[false; 3]; 2]);
            assert_eq!(mine.compare_exchange(other, [[false; 3]; 2]), Ok(other));
            assert_eq!(mine.load(), [[false; 3]; 2]);
            sync_all();
        });
    }
}

#[test]
fn coatomics_are_shown_and_made_as_their_values() {
    assert_eq!(format!("{:?}", Coatomic::new([1.5, 2.0])), "[1.5, 2.0]");
    assert_eq!(Coatomic::<i16>::default().load(), 0);
    assert!(Coatomic::from(true).load());
}
