//! Values that images read where others have them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use coarray::Launch;
use coarray::collectives::{
    Algorithm, Collective, co_allgather, co_broadcast, co_sum, try_co_broadcast,
};
use coarray::failure::fail_image;
use coarray::prelude::*;
use coarray_proptests::Setting;

/// 4 MiB: memory of this size is returned to the system as soon as it is free, and whoever reads it then crashes.
const LENGTH: usize = 1 << 19;

fn in_place() -> Collective {
    Collective::new().algorithm(Algorithm::InPlace)
}

/// An image that unwinds waits for those who read its values.
#[test]
fn values_stay_until_others_have_read_them() {
    for _ in 0..8 {
        let calls = AtomicUsize::new(0);
        let outcome = Launch::new(3).run(|| {
            let mut values = vec![this_image() as u64; LENGTH];
            // Image 2 panics at once; image 0 has combined its share soon, and image 1 reads that of image 0 all the while.
            in_place().co_reduce(&mut values, |one, other| {
                match this_image() {
                    1 => {
                        std::hint::black_box(calls.fetch_add(1, Ordering::Relaxed));
                    }
                    2 => panic!("no sum"),
                    _ => {}
                }
                one + other
            });
        });
        let failure = outcome.unwrap_err();
        assert!(failure.to_string().contains("no sum"), "{failure}");
    }
}

/// All survivors learn who has failed, in whatever part of the operation they are.
#[test]
fn an_image_that_fails_in_an_operator_takes_no_values_from_readers() {
    for victim in 0..3 {
        let survivors = Launch::new(3).keep_going(true).run(|| {
            let mut values = vec![this_image() as u64; LENGTH];
            let calls = Cell::new(0);
            let reduced = in_place().try_co_reduce(&mut values, |one, other| {
                calls.set(calls.get() + 1);
                if this_image() == victim && calls.get() == LENGTH / 4 {
                    fail_image();
                }
                one + other
            });
            drop(values);
            (
                reduced.unwrap_err(),
                try_co_broadcast(&mut [1; LENGTH / 64], victim).unwrap_err(),
            )
        });
        for (reduced, broadcast) in survivors.unwrap() {
            assert_eq!(
                (reduced.images, broadcast.images),
                (vec![victim], vec![victim])
            );
        }
    }
}

/// What an operator has begun, and panicked, is no other operation's.
#[test]
fn a_panic_of_an_operator_that_is_caught_is_found_by_all() {
    let outcome = Launch::new(3).run(|| {
        let mut values = vec![this_image() as u64; LENGTH];
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            in_place().co_reduce(&mut values, |one, other| {
                assert!(this_image() != 2, "no sum");
                one + other
            });
        }));
        assert!(attempt.is_err(), "an image has the sums");
        // The values are this image's again.
        values.fill(7);
        drop(values);
        in_place().co_reduce(&mut [1, 2], |one, other| one + other);
    });
    assert!(outcome.is_err(), "images go on together: {outcome:?}");
}

/// The values of each operation are changed, dropped or moved as soon as it is over.
#[test]
fn values_are_the_images_own_again_afterwards() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image() as u64, num_images() as u64);
            let length = 40_000 + images as usize;
            for round in 0..20 {
                let mut closed = Coarray::<[u64]>::from_fn(length, |_| me + round);
                co_broadcast(&mut closed, round as usize % num_images());
                let root = round % images;
                assert!(closed.iter().all(|&value| value == root + round));
                closed.fill(me);
                let mut all = vec![0; length * num_images()];
                co_allgather(&closed[..], &mut all);
                let open = closed.open();
                open.at((this_image() + 1) % num_images())[0].put(me);
                drop(open);
                closed[1..].fill(1);
                match round % 2 {
                    0 => co_sum(&mut closed[1..]),
                    _ => in_place().co_sum(&mut closed[1..]),
                }
                assert_eq!(closed[0], (me + images - 1) % images);
                assert!(closed[1..].iter().all(|&value| value == images));
                drop(closed);
                let expected = (0..images).flat_map(|image| vec![image; length]);
                assert!(all.into_iter().eq(expected));
            }
        });
    }
}
