//! A lock that goes from image to image.
//!
//! # The bound
//! A token goes round the images, as a flag that each advances for the next; its owner adds to a counter in shared
//! memory.

use std::rc::Rc;

use coarray::prelude::*;

use super::{Operation, Part, Trial};
use crate::baseline::{Barrier, Flags};
use crate::stopwatch::Action;

/// Lock, add 1 to the counter on image 0, unlock, by all images at once: the time of one of them all.
pub const MUTEX: Operation = Operation {
    name: "mutex",
    sizes: &[0],
    prepare: |_, barrier| Trial {
        own: contended(),
        bound: vec![Part::new(1.0, token(barrier))],
    },
};

/// How many of `times` turns are this image's: first image 0 has one, then image 1, and so on round.
fn share(times: usize) -> usize {
    (times + num_images() - 1 - this_image()) / num_images()
}

/// Collective. All images lock and unlock, ready to run; checked once.
fn contended() -> Action {
    const CHECKED: usize = 1000;
    let counter = Coarray::new(Comutex::new(0));
    let count = move |counter: &Coarray<Comutex<usize>>, times| {
        for _ in 0..share(times) {
            counter.at(0).lock().update(|count| *count += 1);
        }
    };
    count(&counter, CHECKED);
    sync_all();
    let counted = counter.at(0).lock().get();
    assert_eq!(counted, CHECKED, "two images had the lock at once");
    Box::new(move |times| count(&counter, times))
}

/// Collective. The token goes to `times` images, ready to run; checked once.
fn token(barrier: &Rc<Barrier>) -> Action {
    const CHECKED: usize = 1000;
    let flags = Flags::new(1, barrier);
    let (images, me) = (num_images(), this_image());
    let counter = flags.words(0);
    // The number of the first turn of a batch.
    let mut first = 0;
    let mut take_turns = move |times: usize| {
        for turn in (me..times).step_by(images) {
            let now = first + turn as u64;
            flags.wait(me, now);
            // SAFETY: a word in memory that lives as long as `flags`, which this closure owns; only the owner of the
            // token accesses it.
            unsafe { *counter += 1 }
            // Image 0 begins every batch.
            let next = if turn + 1 == times {
                0
            } else {
                (me + 1) % images
            };
            flags.set(next, now + 1);
        }
        first += times as u64;
        if me == 0 {
            flags.wait(0, first);
            // SAFETY: the same word; the token is back.
            let counted = unsafe { *counter };
            assert_eq!(counted, first, "two images had the token at once");
        }
    };
    take_turns(CHECKED);
    Box::new(take_turns)
}
