//! Values of every type move whole, and none is lost or doubled.

use std::num::{NonZeroI128, NonZeroU32};

use coarray::Plain;
use coarray::prelude::*;
use coarray_proptests::{Celsius, Level, Particle, Sample, Setting, Wide, config, mix};
use proptest::prelude::*;

use crate::contended::eight;
use crate::sorted;

/// Every image swaps values in, by `swap` and by comparing and exchanging. What came out, and what is left,
/// is what went in.
fn swap<T: Sample>(setting: Setting, seed: u64, turns: usize) {
    let value = |image: usize, turn: usize| T::sample(mix(mix(seed, image as u64), turn as u64));
    let first = value(99, 0);
    let out = setting.run(|| {
        let me = this_image();
        let coatomic = Coarray::new(Coatomic::new(first));
        let place = coatomic.at(0);
        let mut out = Vec::new();
        for turn in 0..turns {
            let new = value(me, turn);
            if turn % 3 == 0 {
                let mut seen = place.load();
                while let Err(other) = place.compare_exchange(seen, new) {
                    seen = other;
                }
                out.push(seen);
            } else {
                out.push(place.swap(new));
            }
        }
        sync_all();
        if me == 0 {
            out.push(coatomic.load());
        }
        out
    });
    let into = (0..8).flat_map(|image| (0..turns).map(move |turn| value(image, turn)));
    assert_eq!(
        sorted(out.into_iter().flatten()),
        sorted(into.chain([first]))
    );
}

/// Compiled once, for all types.
fn for_any(swap: fn(Setting, u64, usize)) {
    proptest!(config(12), |(setting in eight(), seed in any::<u64>(), turns in 1usize..150)| {
        swap(setting, seed, turns);
    });
}

/// Expands to a property for each type.
macro_rules! swaps {
    ($($name:ident: $type:ty;)*) => { $(
        #[test]
        fn $name() {
            for_any(swap::<$type>);
        }
    )* };
}

swaps! {
    words_that_are_swapped_are_neither_lost_nor_doubled: u64;
    small_words_that_are_swapped_are_neither_lost_nor_doubled: i16;
    truth_values_that_are_swapped_are_neither_lost_nor_doubled: bool;
    floats_that_are_swapped_are_neither_lost_nor_doubled: f32;
    copointers_that_are_swapped_are_neither_lost_nor_doubled: Coptr<u16>;
    characters_that_are_swapped_are_neither_lost_nor_doubled: char;
    nonzero_integers_that_are_swapped_are_neither_lost_nor_doubled: NonZeroU32;
    wide_integers_that_are_swapped_are_neither_lost_nor_doubled: NonZeroI128;
    enums_that_are_swapped_are_neither_lost_nor_doubled: Level;
    small_structs_that_are_swapped_are_neither_lost_nor_doubled: Particle;
    large_structs_that_are_swapped_are_neither_lost_nor_doubled: Wide;
    foreign_values_that_are_swapped_are_neither_lost_nor_doubled: Plain<Celsius>;
}

/// So much that many a reader is interrupted in the middle of it.
const BULK: usize = 2000;

/// Two numbers, of which the second is made of the first, around some bulk.
#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(C)]
struct Account {
    deposits: u64,
    bulk: [u64; BULK],
    check: u64,
}

impl Account {
    fn new(deposits: u64) -> Self {
        let bulk = [deposits; BULK];
        let check = mix(deposits, 0);
        Self {
            deposits,
            bulk,
            check,
        }
    }

    #[track_caller]
    fn audited(self) -> Self {
        assert_eq!(
            self,
            Self::new(self.deposits),
            "this is made of two accounts"
        );
        self
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn structs_are_never_seen_half_changed(
        setting in eight(),
        turns in 1u64..200,
        reading in prop::collection::vec(0usize..6, 8),
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let accounts = Coarray::new([(); 2].map(|()| Coatomic::new(Account::new(0))));
            for turn in 0..turns {
                let [counted, replaced] = [0, 1].map(|index| &accounts.at(turn as usize % images)[index]);
                let mut seen = counted.load().audited();
                while let Err(other) = counted.compare_exchange(seen, Account::new(seen.deposits + 1)) {
                    seen = other.audited();
                }
                replaced.store(Account::new(mix(me as u64, turn)));
                replaced.swap(Account::new(turn)).audited();
                for _ in 0..reading[me] {
                    replaced.load().audited();
                    accounts[0].load().audited();
                }
            }
            sync_all();
            let total: u64 = (0..images).map(|image| accounts.at(image)[0].load().deposits).sum();
            assert_eq!(total, turns * images as u64);
            sync_all();
        });
    }
}

#[test]
fn threads_that_are_no_images_share_coatomics_with_images() {
    for setting in Setting::all() {
        setting.run(|| {
            let accounts = Coarray::new(Coatomic::new(Account::new(0)));
            let coatomic = &*accounts;
            let deposit = || {
                let mut seen = coatomic.load().audited();
                while let Err(other) =
                    coatomic.compare_exchange(seen, Account::new(seen.deposits + 1))
                {
                    seen = other.audited();
                }
            };
            std::thread::scope(|scope| {
                scope.spawn(|| (0..500).for_each(|_| deposit()));
                (0..500).for_each(|_| deposit());
            });
            assert_eq!(coatomic.load(), Account::new(1000));
        });
    }
}
