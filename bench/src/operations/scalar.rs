//! Putting and getting single words: image 0 writes or reads an array of 1024 words in the memory of image 1, its own
//! if there is no other. The other images wait.
//!
//! # The bounds
//! Stores to, and loads from, the same words through a raw pointer. Both loops go by atomic words, relaxed, which are
//! plain instructions to the processor, but ones that the compiler neither joins to vectors nor leaves out. Where each
//! put is completed, a fence of the processor follows each store.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};

use coarray::places::Openable;
use coarray::{Bounded, Coarray, Open, num_images, quiet, sync_all, this_image};

use super::{Operation, Part, Trial};

const WORDS: usize = 1024;

type Words = [u64; WORDS];

/// `place.put(value)` of `u64`.
pub const PUT: Operation = Operation {
    name: "put",
    sizes: &[8],
    prepare: |_, _| trial(puts, raw_puts),
};

/// `place.put(value)` of `u64` and `quiet()`.
pub const PUT_QUIET: Operation = Operation {
    name: "put_quiet",
    sizes: &[8],
    prepare: |_, _| trial(completed_puts, raw_completed_puts),
};

/// `place.get()` of `u64`.
pub const GET: Operation = Operation {
    name: "get",
    sizes: &[8],
    prepare: |_, _| {
        trial(
            |words, from, times| {
                black_box(gets(words, from, times));
            },
            |words, times| {
                black_box(raw_gets(words, times));
            },
        )
    },
};

/// The image that is put to and got from.
pub fn target() -> usize {
    1.min(num_images() - 1)
}

/// Whether this image is the one that puts and gets.
pub fn is_active() -> bool {
    this_image() == 0
}

/// Collective. `own` and its bound `raw` on the same words, each checked once.
fn trial(
    own: impl Fn(&Open<Words>, usize, usize) + 'static,
    raw: impl Fn(&AtomicWords, usize) + 'static,
) -> Trial {
    let own_words = Rc::new(Coarray::<Words>::zeroed().into_open());
    check(&own_words);
    let raw_words = Rc::clone(&own_words);
    Trial {
        own: Box::new(move |times| {
            if is_active() {
                own(&own_words, black_box(target()), times);
            }
        }),
        bound: vec![Part::new(1.0, move |times| {
            if is_active() {
                raw(words_of(&raw_words), times);
            }
        })],
    }
}

type AtomicWords = [AtomicU64; WORDS];

/// The words on the target by their address.
fn words_of<'a>(words: &'a Open<Words>) -> &'a AtomicWords {
    let address = words.at(target()).local_address();
    // SAFETY: the place is mapped and holds these words while the coarray is open; puts and gets use them as relaxed
    // atomics, too.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

#[inline(never)]
fn puts(words: &Open<Words>, to: usize, times: usize) {
    for i in 0..times {
        words.at(to)[i % WORDS].put(i as u64);
    }
    quiet();
}

#[inline(never)]
fn completed_puts(words: &Open<Words>, to: usize, times: usize) {
    for i in 0..times {
        words.at(to)[i % WORDS].put(i as u64);
        quiet();
    }
}

#[inline(never)]
fn raw_completed_puts(words: &AtomicWords, times: usize) {
    for i in 0..times {
        words[i % WORDS].store(i as u64, Relaxed);
        fence(SeqCst);
    }
}

#[inline(never)]
fn raw_puts(words: &AtomicWords, times: usize) {
    for i in 0..times {
        words[i % WORDS].store(i as u64, Relaxed);
    }
    fence(SeqCst);
}

#[inline(never)]
fn gets(words: &Open<Words>, from: usize, times: usize) -> u64 {
    let mut sum = 0_u64;
    for i in 0..times {
        sum = sum.wrapping_add(words.at(from)[i % WORDS].get());
    }
    sum
}

#[inline(never)]
fn raw_gets(words: &AtomicWords, times: usize) -> u64 {
    let mut sum = 0_u64;
    for word in 0..times {
        sum = sum.wrapping_add(words[word % WORDS].load(Relaxed));
    }
    sum
}

/// Collective. Own and raw operations write and read the same words, and their owner sees that. Indirect access has no
/// bound.
fn check(words: &Open<Words>) {
    if is_active() {
        check_ways(words);
    }
    sync_all();
    if this_image() == target() {
        let sum = gets(words, target(), WORDS);
        assert_eq!(sum, LAST, "words did not arrive where they are");
    }
    sync_all();
}

/// The sum of the words after this many puts and half as many again.
const LAST: u64 = {
    let (first, end) = (WORDS as u64 / 2, WORDS as u64 / 2 * 3);
    (first + end - 1) * (end - first) / 2
};

fn check_ways(words: &Open<Words>) {
    let times = WORDS + WORDS / 2;
    let mut ways: Vec<Box<dyn Fn() + '_>> = vec![
        Box::new(|| puts(words, target(), times)),
        Box::new(|| completed_puts(words, target(), times)),
    ];
    let there = words.at(target()).is_direct().then(|| words_of(words));
    if let Some(there) = there {
        ways.push(Box::new(|| raw_puts(there, times)));
        ways.push(Box::new(|| raw_completed_puts(there, times)));
    }
    for put in ways {
        words.at(target()).fill(0);
        quiet();
        put();
        let sums = [
            Some(gets(words, target(), WORDS)),
            there.map(|there| raw_gets(there, WORDS)),
        ];
        for sum in sums.into_iter().flatten() {
            assert_eq!(sum, LAST, "words did not arrive");
        }
    }
}
