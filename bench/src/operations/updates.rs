//! Random updates of a table that is spread over all images, by all images at once (giga-updates per second, GUPS):
//! each takes the next number of a sequence of pseudorandom ones, and combines it by exclusive or with the word of the
//! table to which the number leads.
//!
//! # The bounds
//! The same sequence, and the same words through raw pointers, one for each image.
//!
//! # Source
//! The RandomAccess benchmark of the HPC Challenge, from which the sequence is: a linear feedback shift register over
//! the primitive polynomial x^63 + x^2 + x + 1.

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use coarray::atomics::{AsAtomic, CoatomicPlace};
use coarray::check::racy;
use coarray::places::Openable;
use coarray::{Bounded, Coarray, OwnedOpen, num_images, sync_all, this_image};

use super::scalar::is_active;
use super::{Operation, Part, Trial};

/// Words of the table on each image.
const WORDS: usize = 1 << 23;

type Table = [u64; WORDS];

/// `put` of what `get` got, combined with a random number.
pub const GUPS: Operation = Operation {
    name: "gups",
    sizes: &[8],
    prepare: |_, _| trial(updates, raw_updates),
};

/// An atomic exclusive or.
pub const GUPS_ATOMIC: Operation = Operation {
    name: "gups_atomic",
    sizes: &[8],
    prepare: |_, _| trial(atomic_updates, raw_atomic_updates),
};

/// The parts of the table on all images.
type Parts<'a> = [&'a [AtomicU64; WORDS]];

/// Updates the table a number of times, from this number of the sequence on; returns the last one.
type Update = fn(&OwnedOpen<Coarray<Table>>, u64, usize) -> u64;

/// The same.
type RawUpdate = fn(&Parts, u64, usize) -> u64;

/// Collective. `own` and its bound `raw` on the same table; both were checked once.
fn trial(own: Update, raw: RawUpdate) -> Trial {
    let table = Rc::new(Coarray::<Table>::zeroed().into_open());
    let raw_table = Rc::clone(&table);
    if is_active() {
        racy("each variant is checked alone", || check(&table, own, raw));
    }
    sync_all();
    // Every image has accessed all parts, so that batches do not consist of page faults.
    assert_eq!(words_in_use(&table), 0, "words were not found again");
    // Each image and each variant starts elsewhere in the sequence, because a follower finds the words in the caches.
    let sequence = |way| {
        let parts = 2 * (2 * this_image() as u64 + way) + 1;
        Cell::new(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(parts))
    };
    let (number, raw_number) = (sequence(0), sequence(1));
    Trial {
        own: Box::new(move |times| {
            let update = || own(&table, number.get(), times);
            number.set(racy("a few updates may be lost", update));
        }),
        bound: vec![Part::new(1.0, move |times| {
            let parts = parts(&raw_table);
            raw_number.set(raw(&parts, raw_number.get(), times));
        })],
    }
}

/// The parts of the table on all images by their addresses.
fn parts(table: &OwnedOpen<Coarray<Table>>) -> Vec<&[AtomicU64; WORDS]> {
    let part = |image| {
        let address = table.at(image).local_address();
        // SAFETY: the place is mapped and holds these words while the coarray is open; all images use them by relaxed
        // atomics only, as puts and gets of words are.
        unsafe { &*std::ptr::with_exposed_provenance(address) }
    };
    (0..num_images()).map(part).collect()
}

/// The number after `number`.
#[inline]
fn next(number: u64) -> u64 {
    const POLYNOMIAL: u64 = 7;
    (number << 1) ^ (POLYNOMIAL & ((number as i64) >> 63) as u64)
}

/// The image and the word that a number leads to. The high bits choose among any number of images evenly and without a
/// division.
#[inline]
fn place(number: u64, images: usize) -> (usize, usize) {
    let image = ((number >> 32) * images as u64) >> 32;
    (image as usize, number as usize % WORDS)
}

#[inline(never)]
fn updates(table: &OwnedOpen<Coarray<Table>>, mut number: u64, times: usize) -> u64 {
    let images = num_images();
    for _ in 0..times {
        number = next(number);
        let (image, word) = place(number, images);
        let word = &table.at(image)[word];
        word.put(word.get() ^ number);
    }
    number
}

#[inline(never)]
fn raw_updates(table: &Parts, mut number: u64, times: usize) -> u64 {
    for _ in 0..times {
        number = next(number);
        let (image, word) = place(number, table.len());
        // SAFETY: `place` returns one of the images.
        let word = unsafe { &table.get_unchecked(image)[word] };
        word.store(word.load(Relaxed) ^ number, Relaxed);
    }
    number
}

#[inline(never)]
fn atomic_updates(table: &OwnedOpen<Coarray<Table>>, mut number: u64, times: usize) -> u64 {
    let images = num_images();
    for _ in 0..times {
        number = next(number);
        let (image, word) = place(number, images);
        table.at(image)[word].as_atomic().xor(number);
    }
    number
}

#[inline(never)]
fn raw_atomic_updates(table: &Parts, mut number: u64, times: usize) -> u64 {
    for _ in 0..times {
        number = next(number);
        let (image, word) = place(number, table.len());
        // SAFETY: `place` returns one of the images.
        let word = unsafe { &table.get_unchecked(image)[word] };
        word.fetch_xor(number, Relaxed);
    }
    number
}

/// The same updates once more undo themselves, on whichever image.
fn check(table: &OwnedOpen<Coarray<Table>>, own: Update, raw: RawUpdate) {
    let (start, times) = (black_box(0x0123_4567_89ab_cdef), 10_000);
    let last = own(table, start, times);
    let changed = words_in_use(table);
    assert!(
        (times * 9 / 10..=times).contains(&changed),
        "{times} updates changed {changed} words"
    );
    assert_eq!(raw(&parts(table), start, times), last);
}

/// How many words of the table are not zero.
fn words_in_use(table: &OwnedOpen<Coarray<Table>>) -> usize {
    let words = (0..num_images()).flat_map(|image| table.at(image));
    words.filter(|word| word.get() != 0).count()
}
