//! The release mask, by which images learn that nobody reaches their copy of a shared block any more, in every
//! interleaving and every order in which memory may show writes.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod release_mask;
}

use std::sync::Arc;

use lockfree::release_mask::ReleaseMask;
use loom::cell::UnsafeCell;
use loom::thread;
use primitives::AtomicU64;

/// An image's copy of a block: values that every image may reach until it drops the block.
struct Copy {
    mask: [AtomicU64; 1],
    /// One place for each image, which only that image writes, until the owner uses the copy again.
    values: Vec<UnsafeCell<usize>>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Copy {}

impl Copy {
    fn mask(&self) -> ReleaseMask<'_> {
        ReleaseMask::new(&self.mask, self.values.len())
    }
}

/// The alarm's bit for the failure of an image.
fn failed(image: usize) -> u32 {
    1 << image
}

fn has_failed(image: usize) -> bool {
    primitives::alarm() & failed(image) != 0
}

/// Writes to all copies, drops the block, and uses the own copy again if it is free. Returns whether it is.
///
/// A victim `(image, steps)` fails at its step `steps`: steps are writes and drops, copy by copy.
fn live(copies: &[Copy], me: usize, victim: Option<(usize, usize)>) -> bool {
    let mut left = victim
        .filter(|(victim, _)| *victim == me)
        .map_or(usize::MAX, |(_, steps)| steps);
    let mut dies = || {
        left = left.saturating_sub(1);
        left == 0
    };
    for copy in copies {
        if dies() {
            primitives::raise_alarm(failed(me));
            return false;
        }
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        copy.values[me].with_mut(|value| unsafe { *value = me });
    }
    for copy in copies {
        if dies() {
            primitives::raise_alarm(failed(me));
            return false;
        }
        copy.mask().release(me);
    }
    let is_free = copies[me].mask().is_empty(has_failed);
    if is_free {
        for value in &copies[me].values {
            // SAFETY: loom fails the model if another thread uses the cell at the same time.
            value.with_mut(|value| unsafe { *value = usize::MAX });
        }
    }
    is_free
}

fn images(count: usize, preemptions: usize, victim: Option<(usize, usize)>) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let copies: Arc<Vec<Copy>> = Arc::new(
            (0..count)
                .map(|_| Copy {
                    mask: Default::default(),
                    values: (0..count).map(|_| UnsafeCell::new(0)).collect(),
                })
                .collect(),
        );
        let others: Vec<_> = (1..count)
            .map(|me| {
                let copies = Arc::clone(&copies);
                thread::spawn(move || live(&copies, me, victim))
            })
            .collect();
        live(&copies, 0, victim);
        for other in others {
            other.join().expect("loom reports panics itself");
        }
        for copy in copies.iter() {
            let is_free = copy.mask().is_empty(has_failed);
            assert!(is_free, "in the end every copy is free");
        }
    });
}

#[test]
fn a_copy_is_used_again_only_when_two_images_have_let_go_of_it() {
    images(2, 3, None);
}

#[test]
fn a_copy_is_used_again_only_when_three_images_have_let_go_of_it() {
    images(3, 2, None);
}

#[test]
fn a_failed_image_holds_nothing_wherever_it_was() {
    for steps in 1..=4 {
        images(2, 3, Some((1, steps)));
        images(2, 3, Some((0, steps)));
    }
    images(3, 1, Some((2, 5)));
}
