//! A staging buffer: copies of the sources of small puts, so that the sources may be reused before MPI has read them.
//!
//! It is filled from the front, and emptied as a whole when all operations are complete. The first 512 bytes are a place of their own, for puts
//! that find nothing in flight.

use std::cell::Cell;

/// Bytes in the buffer.
const CAPACITY: usize = 1 << 16;

/// Sources of at most this size are staged; for longer ones a flush costs less than the copy.
pub(crate) const SMALL: usize = 512;

const ALIGNMENT: usize = 8;

/// A cache line: the buffer is aligned to it, so that a short copy in the first place lies on one line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CacheLine {
    _words: [u64; 8],
}

const LINES: usize = CAPACITY / size_of::<CacheLine>();

/// The bytes of one vector move, and of one word.
const PIECE: usize = 16;
const HALF: usize = 8;

/// The lengths that at most four moves copy.
pub(crate) const SHORT_AT_LEAST: usize = HALF;
pub(crate) const SHORT_AT_MOST: usize = 4 * PIECE;

/// The buffer.
#[derive(Debug)]
pub(crate) struct Staging {
    start: *mut u64,
    used: Cell<usize>,
    is_lent: Cell<bool>,
}

impl Staging {
    pub(crate) fn new() -> Self {
        let lines = vec![CacheLine { _words: [0; 8] }; LINES].into_boxed_slice();
        Self {
            start: Box::into_raw(lines).cast::<u64>(),
            used: Cell::new(SMALL),
            is_lent: Cell::new(false),
        }
    }

    /// Whether there is room for a copy.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.used.get() + SMALL <= CAPACITY
    }

    /// Copies bytes behind those in use. The copy stays until [`reuse`](Self::reuse).
    ///
    /// # Safety
    /// `source` is valid for reads of `length` bytes, which is at most [`SMALL`].
    #[inline]
    pub(crate) unsafe fn copy(&self, source: *const u8, length: usize) -> *const u8 {
        assert!(self.has_room() && length <= SMALL);
        let used = self.used.get();
        self.used.set(used + length.next_multiple_of(ALIGNMENT));
        // SAFETY: `length <= SMALL` bytes fit behind those in use, as asserted; the caller vouches for the source. The two do not overlap: no
        // reference to the buffer is given out for writing.
        unsafe {
            let place = self.start.cast::<u8>().add(used);
            place.copy_from_nonoverlapping(source, length);
            place
        }
    }

    /// Copies bytes to the first place, which [`copy`](Self::copy) does not use.
    ///
    /// # Safety
    /// As [`copy`](Self::copy); and MPI does not read the first place any more.
    #[inline(always)]
    pub(crate) unsafe fn copy_first(&self, source: *const u8, length: usize) -> *const u8 {
        debug_assert!(length <= SMALL);
        let place = self.start.cast::<u8>();
        // SAFETY: the first place has `SMALL` bytes, and `length` is not more; the caller vouches for the source, and that nothing uses the place.
        unsafe { place.copy_from_nonoverlapping(source, length) };
        place
    }

    /// As [`copy_first`](Self::copy_first), by at most four moves, which may overlap. There is no call of `memcpy`, so that no registers need be
    /// saved.
    ///
    /// # Safety
    /// As [`copy_first`](Self::copy_first); the length is from [`SHORT_AT_LEAST`] to [`SHORT_AT_MOST`].
    #[inline(always)]
    pub(crate) unsafe fn copy_short(&self, source: *const u8, length: usize) -> *const u8 {
        debug_assert!((SHORT_AT_LEAST..=SHORT_AT_MOST).contains(&length));
        let place = self.start.cast::<u8>();
        // SAFETY: each move ends at or before `length`, which the caller vouches for at the source and which the first place has.
        unsafe {
            if length < PIECE {
                copy::<HALF>(place, source, 0);
                copy::<HALF>(place, source, length - HALF);
                return place;
            }
            copy::<PIECE>(place, source, 0);
            if length > 2 * PIECE {
                copy::<PIECE>(place, source, PIECE);
                copy::<PIECE>(place, source, length - 2 * PIECE);
            }
            copy::<PIECE>(place, source, length - PIECE);
        }
        place
    }

    /// As [`copy_first`](Self::copy_first), for one word.
    ///
    /// # Safety
    /// MPI does not read the first place any more.
    #[inline(always)]
    pub(crate) unsafe fn store_first(&self, word: u64) -> *const u8 {
        // SAFETY: the first place has more than 8 bytes and is aligned to a cache line; the caller promises that nothing uses it.
        unsafe { self.start.write(word) };
        self.start.cast()
    }

    /// Empties the buffer: all operations are complete.
    #[inline]
    pub(crate) fn reuse(&self) {
        self.used.set(SMALL);
    }

    /// Has the buffer leaked when it is dropped: MPI may still read it.
    pub(crate) fn leave(&self) {
        self.is_lent.set(true);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_lent.get() {
            let lines = std::ptr::slice_from_raw_parts_mut(self.start.cast::<CacheLine>(), LINES);
            // SAFETY: `new` got the pointer from `Box::into_raw` of a slice of this length, and nothing uses it any more.
            drop(unsafe { Box::from_raw(lines) });
        }
    }
}

/// Moves `BYTES` bytes from `source + at` to `place + at`.
///
/// # Safety
/// The first is valid for reads and the second for writes of `BYTES` bytes, and they do not overlap.
#[inline(always)]
unsafe fn copy<const BYTES: usize>(place: *mut u8, source: *const u8, at: usize) {
    // SAFETY: the caller vouches for both ranges.
    unsafe {
        place
            .add(at)
            .copy_from_nonoverlapping(source.add(at), BYTES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_moves_copy_all_bytes() {
        let source: Vec<u8> = (1..=SHORT_AT_MOST as u8).collect();
        for length in SHORT_AT_LEAST..=SHORT_AT_MOST {
            let staging = Staging::new();
            // SAFETY: `source` is valid for reads of `length` bytes, and no operation uses the first place.
            let copy = unsafe { staging.copy_short(source.as_ptr(), length) };
            // SAFETY: the first place has room for more.
            let copied = unsafe { std::slice::from_raw_parts(copy, length + 1) };
            assert_eq!(copied[..length], source[..length]);
            assert_eq!(copied[length], 0, "one of {length} bytes too many");
        }
    }

    #[test]
    fn copies_stay_until_the_buffer_is_full() {
        let staging = Staging::new();
        let copies: Vec<_> = (0..)
            .take_while(|_| staging.has_room())
            .map(|number: u64| {
                let source = number.to_ne_bytes();
                // SAFETY: the source has eight bytes.
                unsafe { staging.copy(source.as_ptr(), 8) }
            })
            .collect();
        assert!(copies.len() > (CAPACITY - 2 * SMALL) / 8);
        // SAFETY: the source has eight bytes, and the first place is not used.
        let only = unsafe { staging.copy_first([1; 8].as_ptr(), 8) };
        // SAFETY: the place has as many.
        assert_eq!(unsafe { *only.cast::<[u8; 8]>() }, [1; 8]);
        for (number, copy) in copies.into_iter().enumerate() {
            // SAFETY: the buffer has not been reused.
            assert_eq!(unsafe { copy.cast::<u64>().read() }, number as u64);
        }
        staging.reuse();
        // SAFETY: the source has three bytes.
        let copy = unsafe { staging.copy(b"abc".as_ptr(), 3) };
        // SAFETY: the copy has as many.
        assert_eq!(unsafe { *copy.cast::<[u8; 3]>() }, *b"abc");
    }
}
