//! The primitives for models in which an image is killed before a chosen atomic operation.
//!
//! A kill unwinds the image's stack. No code of the algorithm may run then, so it has no destructors with effects.

// Each model uses a part of this.
#![allow(dead_code, unused_imports)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use crate::model;

pub(crate) use crate::model::{Ordering, alarm, fence, pause, yield_now};

loom::thread_local! {
    /// The atomic operations after which this image is killed.
    static LEFT: Cell<Option<u32>> = Cell::new(None);
}

struct Killed;

/// Counts an operation of a mortal image.
fn step() {
    let left = LEFT.with(|left| {
        let now = left.get();
        left.set(now.map(|steps| steps.saturating_sub(1)));
        now
    });
    if left == Some(0) {
        resume_unwind(Box::new(Killed));
    }
}

/// Runs `body`, and kills it after `steps` atomic operations; returns none then.
pub(crate) fn live_for<R>(steps: u32, body: impl FnOnce() -> R) -> Option<R> {
    LEFT.with(|left| left.set(Some(steps)));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    LEFT.with(|left| left.set(None));
    match outcome {
        Ok(result) => Some(result),
        Err(killed) if killed.is::<Killed>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

macro_rules! mortal {
    ($name:ident, $word:ty) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name(model::$name);

        impl $name {
            pub(crate) fn load(&self, order: Ordering) -> $word {
                step();
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $word, order: Ordering) {
                step();
                self.0.store(value, order);
            }

            pub(crate) fn swap(&self, value: $word, order: Ordering) -> $word {
                step();
                self.0.swap(value, order)
            }

            pub(crate) fn fetch_add(&self, value: $word, order: Ordering) -> $word {
                step();
                self.0.fetch_add(value, order)
            }

            pub(crate) fn fetch_or(&self, value: $word, order: Ordering) -> $word {
                step();
                self.0.fetch_or(value, order)
            }

            pub(crate) fn fetch_and(&self, value: $word, order: Ordering) -> $word {
                step();
                self.0.fetch_and(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $word,
                new: $word,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$word, $word> {
                step();
                self.0.compare_exchange(current, new, success, failure)
            }

            pub(crate) fn fetch_update(
                &self,
                success: Ordering,
                failure: Ordering,
                change: impl FnMut($word) -> Option<$word>,
            ) -> Result<$word, $word> {
                step();
                self.0.fetch_update(success, failure, change)
            }
        }
    };
}

mortal!(AtomicU32, u32);
mortal!(AtomicU64, u64);

pub(crate) fn sleep_while_equal(word: &AtomicU64, value: u64, nap: Duration) -> bool {
    step();
    model::sleep_while_equal(&word.0, value, nap)
}

pub(crate) fn wake(word: &AtomicU64) {
    step();
    model::wake(&word.0);
}
