//! Loads, stores and copies of memory that other images may access at the same time.
//!
//! A race of two images must not be undefined behaviour, so nothing here is a plain access. Values of up to 16 bytes move as relaxed atomic words,
//! which are plain load and store instructions on all supported processors. Longer runs move by the C library's `memmove`, called from inline
//! assembly, where the compiler can assume nothing about how the bytes are accessed. The longest runs go past the caches (`streaming.rs`).
//! A racing reader gets unspecified bytes, which may be torn between words.
//!
//! The width of a word is that of the type's alignment, so that a struct may move in words of 8 bytes while another image puts
//! one of its members in words of 4. The memory model of [`std::sync::atomic`] calls accesses that race and overlap without
//! being the same bytes a data race, even if they are atomic. This is the one thing here that goes beyond that model. It rests on promises of LLVM
//! and the processors: a relaxed atomic of a word's width compiles to one load or store, which is never merged with others, split, or taken as
//! proof that no other thread writes there; and a processor takes each byte of a load from some store to that byte. Values from such mixed accesses
//! are checked for validity like all others that may be torn.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::memory::streaming;

/// Largest size of a value that [`load`] and [`store`] move word by word.
pub const SCALAR_BYTES: usize = 16;

macro_rules! by_words {
    ($word:ident, $atomic:ident, $store:ident, $load:ident) => {
        #[inline(always)]
        unsafe fn $store<T>(to: *mut T, value: *const T) {
            for index in 0..size_of::<T>() / size_of::<$word>() {
                // SAFETY: the caller's obligations are those of `store`, and `T` is a whole number of
                // words that are at most as aligned as `T`.
                unsafe {
                    let word = value.cast::<$word>().add(index).read();
                    $atomic::from_ptr(to.cast::<$word>().add(index)).store(word, Ordering::Relaxed);
                }
            }
        }

        #[inline(always)]
        unsafe fn $load<T>(from: *const T) -> MaybeUninit<T> {
            let mut value = MaybeUninit::<T>::uninit();
            for index in 0..size_of::<T>() / size_of::<$word>() {
                // SAFETY: the caller's obligations are those of `load`, and `T` is a whole number of
                // words that are at most as aligned as `T`.
                unsafe {
                    let word = $atomic::from_ptr(from.cast_mut().cast::<$word>().add(index))
                        .load(Ordering::Relaxed);
                    value.as_mut_ptr().cast::<$word>().add(index).write(word);
                }
            }
            value
        }
    };
}

by_words!(u8, AtomicU8, store_u8, load_u8);
by_words!(u16, AtomicU16, store_u16, load_u16);
by_words!(u32, AtomicU32, store_u32, load_u32);
by_words!(u64, AtomicU64, store_u64, load_u64);

/// Stores `value` in `to`: one instruction where the value is a machine word.
///
/// # Safety
/// `to` is aligned for `T` and valid for writes by atomic instructions; `T` has no padding.
#[inline(always)]
pub unsafe fn store<T: Copy>(to: *mut T, value: &T) {
    // SAFETY: the caller vouches for alignment, atomic writes and padding. The word is no more aligned than `T`.
    unsafe {
        match align_of::<T>() {
            _ if size_of::<T>() > SCALAR_BYTES => {
                copy(to.cast(), std::ptr::from_ref(value).cast(), size_of::<T>())
            }
            1 => store_u8(to, value),
            2 => store_u16(to, value),
            4 => store_u32(to, value),
            _ => store_u64(to, value),
        }
    }
}

/// Loads a value from `from`: one instruction where the value is a machine word.
///
/// The bytes may be a mixture of what several images stored, so they need a check before they are
/// taken for a `T`.
///
/// # Safety
/// `from` is aligned for `T` and valid for reads by atomic instructions.
#[inline(always)]
pub unsafe fn load<T: Copy>(from: *const T) -> MaybeUninit<T> {
    // SAFETY: the caller vouches for alignment and atomic reads. The word is no more aligned than `T`.
    unsafe {
        match align_of::<T>() {
            _ if size_of::<T>() > SCALAR_BYTES => {
                let mut value = MaybeUninit::<T>::uninit();
                copy(value.as_mut_ptr().cast(), from.cast(), size_of::<T>());
                value
            }
            1 => load_u8(from),
            2 => load_u16(from),
            4 => load_u32(from),
            _ => load_u64(from),
        }
    }
}

/// The word at `from`, read in one piece whatever the bytes are used for; stores before that of the word are visible (acquire).
///
/// # Safety
/// `from` is aligned and valid for reads of a word.
pub(crate) unsafe fn peek(from: *const u64) -> u64 {
    let word;
    // SAFETY: reads the word that the caller vouches for. To the compiler the assembly may access all memory, so it races with nothing, not even with
    // plain stores of the owner. A load of x86 is an acquire; on ARM `ldar` is.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::asm!("mov {word}, [{from}]", word = out(reg) word, from = in(reg) from, options(nostack));
    }
    // SAFETY: as on x86.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    unsafe {
        std::arch::asm!("ldar {word}, [{from}]", word = out(reg) word, from = in(reg) from, options(nostack));
    }
    // SAFETY: the caller vouches for an aligned, readable word. Without assembly it must be an access of the language; it is atomic.
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    unsafe {
        word = AtomicU64::from_ptr(from.cast_mut()).load(Ordering::Acquire);
    }
    word
}

/// Copies `length` initialised bytes, in one piece if they are an aligned word on both sides; the ranges may
/// overlap.
///
/// # Safety
/// As [`copy`].
#[inline]
pub(crate) unsafe fn copy_in_one_piece(to: *mut u8, from: *const u8, length: usize) {
    // SAFETY: words are as long as the ranges and aligned in both; the caller vouches for the rest.
    unsafe {
        if length == 8 && are_aligned(to, from, length) {
            copy_word::<u64>(to, from);
        } else {
            copy_few(to, from, length);
        }
    }
}

/// As [`copy_in_one_piece`], of what is less frequent. On its own, so that the former needs no stack.
///
/// # Safety
/// As `copy_in_one_piece`.
#[inline(never)]
unsafe fn copy_few(to: *mut u8, from: *const u8, length: usize) {
    // SAFETY: words are as long as the ranges and aligned in both; the caller vouches for the rest.
    unsafe {
        match length {
            1 => copy_word::<u8>(to, from),
            2 if are_aligned(to, from, length) => copy_word::<u16>(to, from),
            4 if are_aligned(to, from, length) => copy_word::<u32>(to, from),
            _ => copy(to, from, length),
        }
    }
}

fn are_aligned(to: *const u8, from: *const u8, size: usize) -> bool {
    (to.addr() | from.addr()).is_multiple_of(size)
}

/// Copies one word.
///
/// # Safety
/// `to` is valid for writes and `from` for reads of an aligned, initialised word by atomic instructions.
unsafe fn copy_word<Word: Copy>(to: *mut u8, from: *const u8) {
    // SAFETY: the caller vouches for both places and an initialised word; integers have no padding.
    unsafe {
        let word = load(from.cast::<Word>()).assume_init();
        store(to.cast::<Word>(), &word);
    }
}

/// Copies `length` bytes; the ranges may overlap.
///
/// # Safety
/// `to` is valid for writes and `from` for reads of `length` bytes. Others may read and write the same
/// bytes at the same time if they do so through this module.
#[inline]
pub unsafe fn copy(to: *mut u8, from: *const u8, length: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if length >= streaming::LONG {
        // SAFETY: the caller vouches for both ranges, and that others use this module.
        let is_done = unsafe { streaming::copy(to, from, length) };
        if is_done {
            return;
        }
    }
    // SAFETY: the caller vouches for both ranges, and that others use this module.
    unsafe { copy_through_caches(to, from, length) }
}

/// As [`copy`], never past the caches.
///
/// # Safety
/// As [`copy`].
#[inline]
pub(crate) unsafe fn copy_through_caches(to: *mut u8, from: *const u8, length: usize) {
    // SAFETY: `memmove` needs what our caller promises. To the compiler the assembly is some code that
    // may read and write these bytes in any way a Rust function could, relaxed atomics included, so
    // races on them are not data races of the language. The block declares a C call's clobbers and
    // leaves the stack to the compiler's default, which is aligned for a call.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        std::arch::asm!(
            "call {memmove}",
            memmove = in(reg) libc::memmove as unsafe extern "C" fn(_, _, _) -> _,
            inlateout("rdi") to => _,
            inlateout("rsi") from => _,
            inlateout("rdx") length => _,
            clobber_abi("C"),
        );
    }
    // SAFETY: as on x86.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    unsafe {
        std::arch::asm!(
            "blr {memmove}",
            memmove = in(reg) libc::memmove as unsafe extern "C" fn(_, _, _) -> _,
            inlateout("x0") to => _,
            inlateout("x1") from => _,
            inlateout("x2") length => _,
            clobber_abi("C"),
        );
    }
    // SAFETY: every byte lies in the ranges the caller vouches for, and `AtomicU8` has no alignment.
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    unsafe {
        let byte = |index: usize| {
            let value = AtomicU8::from_ptr(from.cast_mut().add(index)).load(Ordering::Relaxed);
            AtomicU8::from_ptr(to.add(index)).store(value, Ordering::Relaxed);
        };
        if to.addr() <= from.addr() {
            (0..length).for_each(byte);
        } else {
            (0..length).rev().for_each(byte);
        }
    }
}

/// As [`copy`], to a buffer that other processors have read since it was written before: no processor fetches its lines from there only to
/// overwrite them.
///
/// # Safety
/// As [`copy`], and the ranges do not overlap.
#[inline]
pub unsafe fn overwrite(to: *mut u8, from: *const u8, length: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if SENT_AS_STRING.contains(&length) {
        // SAFETY: a string instruction needs what our caller promises, and the direction flag clear, as it is wherever assembly begins. To the
        // compiler it may access these bytes in any way. Its stores come before all later ones.
        unsafe {
            std::arch::asm!(
                "rep movsb",
                inout("rdi") to => _,
                inout("rsi") from => _,
                inout("rcx") length => _,
                options(nostack, preserves_flags),
            );
        }
        return;
    }
    // SAFETY: the caller vouches for both ranges, and that others use this module.
    unsafe { copy(to, from, length) }
}

/// Where a string instruction begins to be faster than stores, if others have the lines, and where the C library uses one itself.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const SENT_AS_STRING: std::ops::Range<usize> = 1024..4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_alignment_come_back() {
        fn round_trip<T: Copy + PartialEq + std::fmt::Debug>(value: T, other: T) {
            let mut place = other;
            // SAFETY: `place` is a valid place that nobody else uses, and the types tried have no padding.
            let seen = unsafe {
                store(&mut place, &value);
                load(&place).assume_init()
            };
            assert_eq!(seen, value);
        }
        round_trip(1u8, 2);
        round_trip([1u8, 2, 3], [0; 3]);
        round_trip(0x1234u16, 0);
        round_trip([1.5f32, 2.5, 3.5], [0.0; 3]);
        round_trip(-7i64, 0);
        round_trip(0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128, 0);
        round_trip([3u64; 40], [0; 40]);
        round_trip((), ());
    }

    #[test]
    fn what_is_overwritten_is_a_copy_of_any_length() {
        let source: Vec<u8> = (0..5000).map(|index| (index % 251) as u8).collect();
        for length in [0, 1, 63, 1023, 1024, 1025, 3000, 4095, 4096, 4990] {
            let mut target = vec![255; 5000];
            // SAFETY: both ranges lie in the vectors, from odd places on.
            unsafe { overwrite(target.as_mut_ptr().add(3), source.as_ptr().add(5), length) };
            assert_eq!(target[3..][..length], source[5..][..length]);
            assert!(target[..3].iter().all(|&byte| byte == 255));
            assert!(target[3 + length..].iter().all(|&byte| byte == 255));
        }
    }

    #[test]
    fn overlapping_copies_are_moves() {
        let mut bytes: Vec<u8> = (0..100).collect();
        let start = bytes.as_mut_ptr();
        // SAFETY: both ranges lie in `bytes`.
        unsafe {
            copy(start.add(10), start, 80);
        }
        assert_eq!(bytes[10..90], (0..80).collect::<Vec<u8>>());
        let start = bytes.as_mut_ptr();
        // SAFETY: both ranges lie in `bytes`.
        unsafe {
            copy(start, start.add(10), 80);
        }
        assert_eq!(bytes[..80], (0..80).collect::<Vec<u8>>());
    }
}
