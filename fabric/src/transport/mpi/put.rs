//! How MPI puts: staged or in place, in few steps where nothing is in flight.
//!
//! Most programs put a few bytes at a time and complete them at once. So a put has a fast path where nothing is in flight:
//!
//! | bytes | nothing in flight | something in flight |
//! |---|---|---|
//! | 8, as `put_word` | `put_word_when_idle`: staged by one store | `put_word_when_busy` |
//! | 8 to 64 | `put_short`: staged by at most four moves, inline | `put_when_busy`: flushes on overlap or a full buffer, |
//! | up to 512 | `put_small`: staged by `memcpy` | then staged if at most 512 bytes, |
//! | more | `put_large`: in place, then a local flush | else in place, then a local flush |

use super::check::{expect, give_up};
use super::one_sided::OneSided;
use super::staging::{SHORT_AT_LEAST, SHORT_AT_MOST, SMALL};
use crate::transport::access::{Access, Direction};
use crate::transport::fabric::Fabric;

/// The length of most puts.
const WORD: usize = size_of::<u64>();

impl OneSided {
    /// Starts a put of staged bytes, which were noted as in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_staged(&self, image: usize, offset: usize, copy: *const u8, length: usize) {
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for the target; `copy` is valid for reads of `length` bytes, and staged bytes stay until a flush.
        let begun = unsafe { self.window.start_put_unchecked(rank, place, copy, length) };
        if let Err(error) = begun {
            give_up(error);
        }
    }

    /// Starts a put of one word when nothing is in flight: a few stores, and the call of MPI as a tail call.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    pub(super) unsafe fn put_word_when_idle(&self, image: usize, offset: usize, word: u64) {
        self.in_flight.insert_single(image, offset, WORD);
        // SAFETY: nothing is in flight, so MPI does not read the first place.
        let copy = unsafe { self.staging.store_first(word) };
        // SAFETY: the caller vouches for the target, as `Fabric::put` asks.
        unsafe { self.put_staged(image, offset, copy, WORD) }
    }

    /// As [`put_word_when_idle`](Self::put_word_when_idle), for the lengths of [`Staging::copy_short`].
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    unsafe fn put_short(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.insert_single(image, offset, length);
        // SAFETY: the caller vouches for `length` readable bytes at the source. Nothing is in flight, so MPI does not read the first place.
        let copy = unsafe { self.staging.copy_short(source, length) };
        // SAFETY: the caller vouches for the target, as `Fabric::put` asks.
        unsafe { self.put_staged(image, offset, copy, length) }
    }

    /// Starts a put of at most [`SMALL`] bytes when nothing is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_small(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.insert_single(image, offset, length);
        // SAFETY: the caller vouches for `length` readable bytes at the source. Nothing is in flight, so MPI does not read the first place.
        let copy = unsafe { self.staging.copy_first(source, length) };
        // SAFETY: the caller vouches for the target, as `Fabric::put` asks.
        unsafe { self.put_staged(image, offset, copy, length) }
    }

    /// Starts a put of more than [`SMALL`] bytes when nothing is in flight, and waits until its source may be reused.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    unsafe fn put_large(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        self.in_flight.insert_single(image, offset, length);
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for source and target; the local flush ends MPI's use of the source before this returns.
        unsafe {
            expect(self.window.start_put_unchecked(rank, place, source, length));
            expect(self.window.flush_local_unchecked(rank));
        }
    }

    /// Starts a put of any length, whatever is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    pub(super) unsafe fn put_when_busy(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
    ) {
        let is_small = length <= SMALL;
        let access = Access::new(image, Direction::Put, offset, length);
        self.flush_if_conflicting(access);
        if is_small && !self.staging.has_room() {
            self.flush_all();
        }
        if self.in_flight.is_empty() {
            self.arm();
            // SAFETY: the caller vouches for source and target, as `Fabric::put` asks.
            return unsafe { self.put_when_idle(image, offset, source, length) };
        }
        self.note(access);
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for source and target. Staged bytes stay until a flush; for other sources the local flush ends MPI's use
        // before this returns.
        unsafe {
            if is_small {
                let copy = self.staging.copy(source, length);
                expect(self.window.start_put_unchecked(rank, place, copy, length));
            } else {
                expect(self.window.start_put_unchecked(rank, place, source, length));
                expect(self.window.flush_local_unchecked(rank));
            }
        }
    }

    /// Starts a put of any length when nothing is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(always)]
    pub(super) unsafe fn put_when_idle(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
    ) {
        // SAFETY: the caller vouches for source and target, as `Fabric::put` asks.
        unsafe {
            match length {
                SHORT_AT_LEAST..=SHORT_AT_MOST => self.put_short(image, offset, source, length),
                ..=SMALL => self.put_small(image, offset, source, length),
                _ => self.put_large(image, offset, source, length),
            }
        }
    }

    /// Starts a put of one word, whatever is in flight.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline(never)]
    pub(super) unsafe fn put_word_when_busy(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: `word` is readable, and stays until this returns, when MPI does not use it any more; the caller vouches for the target.
        unsafe { self.put_when_busy(image, offset, (&raw const word).cast(), WORD) }
    }

    /// Puts bytes, and completes all operations on their image. So the put is never noted as in flight, nor staged: the flush ends MPI's use of
    /// the source.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    #[inline]
    pub(super) unsafe fn put_and_fence(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
    ) {
        self.flush_if_conflicting(Access::new(image, Direction::Put, offset, length));
        let (rank, place) = self.place(image, offset);
        // SAFETY: the caller vouches for source and target.
        expect(unsafe { self.window.start_put_unchecked(rank, place, source, length) });
        if self.in_flight.is_in_flight_to(image) {
            self.fence(image);
        } else {
            // SAFETY: the image is one of the window's group, as the caller vouches.
            expect(unsafe { self.window.flush_unchecked(rank) });
        }
    }
}
