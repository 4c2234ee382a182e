//! Copies from and to memory that others may change meanwhile: by atomic loads and stores, as large as the
//! places allow.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

const WORD: usize = size_of::<u64>();

/// Copies from a place that others may change.
///
/// # Safety
/// `place` is valid for atomic reads and `target` for writes of `length` bytes.
pub(crate) unsafe fn load(place: *mut u8, target: *mut u8, length: usize) {
    let words = words(place, target, length);
    for at in (0..words).step_by(WORD) {
        // SAFETY: the word lies in both ranges, and is aligned in both.
        unsafe {
            let word = AtomicU64::from_ptr(place.add(at).cast::<u64>());
            target
                .add(at)
                .cast::<u64>()
                .write(word.load(Ordering::Relaxed));
        }
    }
    for at in words..length {
        // SAFETY: the byte lies in both ranges.
        unsafe {
            let byte = AtomicU8::from_ptr(place.add(at));
            target.add(at).write(byte.load(Ordering::Relaxed));
        }
    }
}

/// Copies to a place that others may read or change.
///
/// # Safety
/// `place` is valid for atomic writes and `source` for reads of `length` bytes.
pub(crate) unsafe fn store(place: *mut u8, source: *const u8, length: usize) {
    let words = words(place, source, length);
    for at in (0..words).step_by(WORD) {
        // SAFETY: the word lies in both ranges, and is aligned in both.
        unsafe {
            let word = AtomicU64::from_ptr(place.add(at).cast::<u64>());
            word.store(source.add(at).cast::<u64>().read(), Ordering::Relaxed);
        }
    }
    for at in words..length {
        // SAFETY: the byte lies in both ranges.
        unsafe {
            let byte = AtomicU8::from_ptr(place.add(at));
            byte.store(source.add(at).read(), Ordering::Relaxed);
        }
    }
}

/// How many bytes can be copied as words: all whole ones if both places are aligned.
fn words(place: *const u8, other: *const u8, length: usize) -> usize {
    if place.addr().is_multiple_of(WORD) && other.addr().is_multiple_of(WORD) {
        length - length % WORD
    } else {
        0
    }
}
