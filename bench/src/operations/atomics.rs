//! Atomic operations of image 0 on one word in the memory of image 1, its own if there is no other. The other images
//! wait.
//!
//! # The bounds
//! The processor's instructions on the same word: `lock xadd` and `lock cmpxchg` on x86.

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use coarray::atomics::{Coatomic, CoatomicPlace};
use coarray::{Coarray, sync_all, this_image};

use super::scalar::{is_active, target};
use super::{Operation, Part, Trial};

/// `place.fetch_add(1)` of `u64`.
pub const FETCH_ADD: Operation = Operation {
    name: "fetch_add",
    sizes: &[8],
    prepare: |_, _| trial(additions, raw_additions),
};

/// `place.compare_exchange(last, last + 1)` of `u64`.
pub const COMPARE_EXCHANGE: Operation = Operation {
    name: "compare_exchange",
    sizes: &[8],
    prepare: |_, _| trial(exchanges, raw_exchanges),
};

type Word = Coarray<Coatomic<u64>>;

/// Repeats it on a word with this value, which grows by the number of repetitions. Returns the sum of the old values.
type Count<Word> = fn(&Word, from: u64, times: usize) -> u64;

/// Collective. `own` and its bound `raw` on the same word. Each is checked once, `own` also by the word's owner, and
/// again after each batch. Indirect access has no bound.
fn trial(own: Count<Word>, raw: Count<AtomicU64>) -> Trial {
    let word = Rc::new(Word::new(Coatomic::new(0)));
    let count = Rc::new(Cell::new(0));
    let times = 1000;
    let mut sum = 0;
    if is_active() {
        sum = own(&word, 0, times);
        count.set(times as u64);
    }
    sync_all();
    if this_image() == target() {
        let arrived = word.at(target()).load();
        assert_eq!(arrived, times as u64, "an addition has not arrived");
    }
    sync_all();
    if is_active() {
        if word.at(target()).is_direct() {
            sum += raw(atomic(&word), count.get(), times);
            count.set(2 * times as u64);
        }
        assert_eq!(sum, (0..count.get()).sum(), "an addition is lost");
    }
    let (raw_word, raw_count) = (Rc::clone(&word), Rc::clone(&count));
    let counted = |word: &Word, count: &Cell<u64>, times| {
        count.set(count.get() + times as u64);
        assert_eq!(word.at(target()).load(), count.get(), "an addition is lost");
    };
    Trial {
        own: Box::new(move |times| {
            if is_active() {
                black_box(own(&word, count.get(), times));
                counted(&word, &count, times);
            }
        }),
        bound: vec![Part::new(1.0, move |times| {
            if is_active() {
                black_box(raw(atomic(&raw_word), raw_count.get(), times));
                counted(&raw_word, &raw_count, times);
            }
        })],
    }
}

/// The word by its address.
fn atomic(word: &Word) -> &AtomicU64 {
    let address = word.at(target()).local_address();
    // SAFETY: the place is mapped while the coarray exists, and a coatomic of `u64` is laid out as an atomic.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

#[inline(never)]
fn additions(word: &Word, _: u64, times: usize) -> u64 {
    let to = black_box(target());
    (0..times).fold(0, |sum, _| sum.wrapping_add(word.at(to).fetch_add(1)))
}

#[inline(never)]
fn raw_additions(word: &AtomicU64, _: u64, times: usize) -> u64 {
    (0..times).fold(0, |sum: u64, _| {
        sum.wrapping_add(word.fetch_add(1, Relaxed))
    })
}

#[inline(never)]
fn exchanges(word: &Word, from: u64, times: usize) -> u64 {
    let to = black_box(target());
    (from..from + times as u64).fold(0, |sum, last| {
        let old = word.at(to).compare_exchange(last, last + 1);
        sum.wrapping_add(old.unwrap_or(0))
    })
}

#[inline(never)]
fn raw_exchanges(word: &AtomicU64, from: u64, times: usize) -> u64 {
    (from..from + times as u64).fold(0, |sum, last| {
        let old = word.compare_exchange(last, last + 1, Relaxed, Relaxed);
        sum.wrapping_add(old.unwrap_or(0))
    })
}
