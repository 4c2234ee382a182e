//! The operations of [`Fabric::atomic`](crate::transport::fabric::Fabric::atomic) by those of the library that can be relied on.
//!
//! Two kinds cannot, in the library that is installed most: Open MPI's compare-and-swap of 32 bits overwrites its stack,
//! and over memory that processes share its fetching operations on bits compute nonsense. Operations on bits are
//! therefore loops of compare-and-swap, and these are of 64 bits: the aligned eight bytes around a word of 32 lie in the same
//! part. Everything that carries out atomics for the library, be it a processor or a network arrival, changes aligned
//! eight bytes in one step, and four within them, too.

use std::ffi::{c_int, c_ulonglong, c_void};

use shmem_sys::{uint, ulonglong};

use crate::transport::atomic::{AtomicOperation, Word};

/// Carries out `operation` on the word that `place` names on `image`; returns what it was.
///
/// # Safety
/// The place is an aligned symmetric word, in a block aligned to eight bytes.
pub(super) unsafe fn carry_out(
    place: *mut c_void,
    image: c_int,
    word: Word,
    operation: AtomicOperation,
) -> u64 {
    // SAFETY: the caller vouches that `place` is an aligned symmetric word in a block aligned to eight bytes.
    unsafe {
        match word {
            Word::Bits32 => u64::from(carry_out_32(place.cast(), image, operation)),
            Word::Bits64 => carry_out_64(place.cast(), image, operation),
        }
    }
}

/// Adds to the word that `place` names on `image`; complete after `shmem_quiet`.
///
/// # Safety
/// As [`carry_out`].
pub(super) unsafe fn add(place: *mut c_void, image: c_int, word: Word, value: u64) {
    // SAFETY: the caller vouches that `place` is an aligned symmetric word.
    unsafe {
        match word {
            Word::Bits32 => uint::atomic_add(place.cast(), value as u32, image),
            Word::Bits64 => ulonglong::atomic_add(place.cast(), value, image),
        }
    }
}

/// # Safety
/// As [`carry_out`].
unsafe fn carry_out_64(place: *mut c_ulonglong, image: c_int, operation: AtomicOperation) -> u64 {
    use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
    // SAFETY: the caller vouches that `place` is an aligned symmetric word in a block aligned to eight bytes.
    unsafe {
        match operation {
            Load => ulonglong::atomic_fetch(place, image),
            Swap(value) => ulonglong::atomic_swap(place, value, image),
            CompareExchange { current, new } => {
                ulonglong::atomic_compare_swap(place, current, new, image)
            }
            Add(value) => ulonglong::atomic_fetch_add(place, value, image),
            And(bits) => change(place, image, |old| Some(old & bits)),
            Or(bits) => change(place, image, |old| Some(old | bits)),
            Xor(bits) => change(place, image, |old| Some(old ^ bits)),
        }
    }
}

/// # Safety
/// As [`carry_out`].
unsafe fn carry_out_32(place: *mut u32, image: c_int, operation: AtomicOperation) -> u32 {
    use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
    let around = place.map_addr(|address| address & !7).cast::<c_ulonglong>();
    let is_second = place.addr() & 4 != 0;
    let shift = if is_second == cfg!(target_endian = "little") {
        32
    } else {
        0
    };
    let part = |all: u64| (all >> shift) as u32;
    let change_part = |operation: &dyn Fn(u32) -> Option<u32>| {
        let with_part = |all: u64| {
            let new = u64::from(operation(part(all))?) << shift;
            Some(all & !(u64::from(u32::MAX) << shift) | new)
        };
        // SAFETY: the eight bytes lie in the same block, which begins at a multiple of eight.
        part(unsafe { change(around, image, with_part) })
    };
    // SAFETY: the caller vouches that `place` is an aligned symmetric word in a block aligned to eight bytes.
    unsafe {
        match operation {
            Load => uint::atomic_fetch(place, image),
            Swap(value) => uint::atomic_swap(place, value as u32, image),
            Add(value) => uint::atomic_fetch_add(place, value as u32, image),
            CompareExchange { current, new } => {
                change_part(&|old| (old == current as u32).then_some(new as u32))
            }
            And(bits) => change_part(&|old| Some(old & bits as u32)),
            Or(bits) => change_part(&|old| Some(old | bits as u32)),
            Xor(bits) => change_part(&|old| Some(old ^ bits as u32)),
        }
    }
}

/// Replaces a word by what `new` makes of it, unless that is nothing; returns what it was.
///
/// # Safety
/// As [`carry_out`].
unsafe fn change(place: *mut c_ulonglong, image: c_int, new: impl Fn(u64) -> Option<u64>) -> u64 {
    // SAFETY: the caller vouches that `place` is an aligned symmetric word in a block aligned to eight bytes.
    let mut old = unsafe { ulonglong::atomic_fetch(place, image) };
    while let Some(new) = new(old) {
        // SAFETY: the caller vouches that `place` is an aligned symmetric word in a block aligned to eight bytes.
        let seen = unsafe { ulonglong::atomic_compare_swap(place, old, new, image) };
        if seen == old {
            break;
        }
        old = seen;
    }
    old
}
