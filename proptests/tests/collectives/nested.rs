//! Collective operations that are called while another one joins values.

use std::cell::Cell;
use std::num::NonZeroU8;

use coarray::prelude::*;
use coarray_proptests::Setting;

/// Joins values that are all one, and lets the first join on each image do something else on top.
/// Returns how many values that nobody had were joined.
fn strangers(length: usize, nested: impl Fn()) -> usize {
    let (first, strangers) = (Cell::new(true), Cell::new(0));
    co_reduce(&mut vec![NonZeroU8::MIN; length], |one, other| {
        if first.replace(false) {
            nested();
        }
        // It may not even be a value of its type.
        let seen = std::hint::black_box(other).get();
        strangers.set(strangers.get() + usize::from(seen != 1));
        one
    });
    strangers.get()
}

#[test]
fn values_that_are_being_joined_are_never_overwritten_by_another_operation() {
    for setting in Setting::all().filter(|setting| setting.images > 1) {
        for length in [1, 3, 100, 4000] {
            let sums = || {
                co_sum(&mut [0u8; 8000]);
                co_sum(&mut [0u8; 8000]);
            };
            nest(setting, length, sums);
            nest(setting, length, sync_all);
            nest(setting, length, || drop(Coarray::new(0u64)));
        }
    }
}

/// Lets each image do something else while it joins. No value may come out that nobody had.
#[track_caller]
fn nest(setting: Setting, length: usize, nested: impl Fn() + Sync) {
    let outcome = setting.launch().run(|| strangers(length, &nested));
    // The program may as well be told that it must not do this.
    if let Ok(strangers) = outcome {
        assert_eq!(strangers, vec![0; setting.images], "{setting:?}");
    }
}
