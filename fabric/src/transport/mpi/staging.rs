//! What small puts carry, until MPI uses it no more: their own source may be reused at once.

use std::cell::Cell;

/// Bytes in the buffer.
const CAPACITY: usize = 1 << 16;

/// What is copied into the buffer rather than waited for.
pub(crate) const SMALL: usize = 512;

const ALIGNMENT: usize = 8;

/// A cache line, where the buffer begins, so that few bytes do not lie on two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    _words: [u64; 8],
}

const LINES: usize = CAPACITY / size_of::<Line>();

/// What processors move at once, and half of it.
const PIECE: usize = 16;
const HALF: usize = 8;

/// What a few moves can copy.
pub(crate) const FEW_AT_LEAST: usize = HALF;
pub(crate) const FEW_AT_MOST: usize = 4 * PIECE;

/// A buffer that is filled after a first place, until all of it is free again.
#[derive(Debug)]
pub(crate) struct Staging {
    start: *mut u64,
    used: Cell<usize>,
    is_lent: Cell<bool>,
}

impl Staging {
    pub(crate) fn new() -> Self {
        let lines = vec![Line { _words: [0; 8] }; LINES].into_boxed_slice();
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

    /// A copy of some bytes; it stays until [`reuse`](Self::reuse).
    ///
    /// # Safety
    /// `source` is valid for reads of `length` bytes, which is at most [`SMALL`].
    #[inline]
    pub(crate) unsafe fn copy(&self, source: *const u8, length: usize) -> *const u8 {
        assert!(self.has_room() && length <= SMALL);
        let used = self.used.get();
        self.used.set(used + length.next_multiple_of(ALIGNMENT));
        // SAFETY: there is room for `SMALL` bytes, of which these are not more, after those that are used; the caller
        // vouches for the source, which is elsewhere, since the buffer is not given away for writing.
        unsafe {
            let place = self.start.cast::<u8>().add(used);
            place.copy_from_nonoverlapping(source, length);
            place
        }
    }

    /// A copy of some bytes in the first place, which is kept for who uses nothing else of the buffer.
    ///
    /// # Safety
    /// As [`copy`](Self::copy); and nobody uses the first place.
    #[inline(always)]
    pub(crate) unsafe fn copy_only(&self, source: *const u8, length: usize) -> *const u8 {
        debug_assert!(length <= SMALL);
        let place = self.start.cast::<u8>();
        // SAFETY: the first place has room for `SMALL` bytes, of which these are not more, and nobody uses it; the caller vouches
        // for the source.
        unsafe { place.copy_from_nonoverlapping(source, length) };
        place
    }

    /// As [`copy_only`](Self::copy_only), by a few moves, some of which copy the same bytes: there is no call, for which registers
    /// would have to be saved.
    ///
    /// # Safety
    /// As [`copy_only`](Self::copy_only); the length is from [`FEW_AT_LEAST`] to [`FEW_AT_MOST`].
    #[inline(always)]
    pub(crate) unsafe fn copy_few(&self, source: *const u8, length: usize) -> *const u8 {
        debug_assert!((FEW_AT_LEAST..=FEW_AT_MOST).contains(&length));
        let place = self.start.cast::<u8>();
        // SAFETY: all moves are of bytes before `length`; the rest is as in `copy_only`.
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

    /// As [`copy_only`](Self::copy_only), of a word.
    ///
    /// # Safety
    /// Nobody uses the first place.
    #[inline(always)]
    pub(crate) unsafe fn keep_only(&self, word: u64) -> *const u8 {
        // SAFETY: the first place has room for more than a word, and is aligned; the caller vouches for the rest.
        unsafe { self.start.write(word) };
        self.start.cast()
    }

    /// Nobody uses what is in the buffer any more.
    #[inline]
    pub(crate) fn reuse(&self) {
        self.used.set(SMALL);
    }

    /// The buffer goes while somebody uses it, to whom its memory is left.
    pub(crate) fn leave(&self) {
        self.is_lent.set(true);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_lent.get() {
            let lines = std::ptr::slice_from_raw_parts_mut(self.start.cast::<Line>(), LINES);
            // SAFETY: `new` made the buffer a pointer from a box of this length.
            drop(unsafe { Box::from_raw(lines) });
        }
    }
}

/// Moves so many bytes after `at`.
///
/// # Safety
/// `source` is valid for reads, and `place` elsewhere for writes, of so many bytes there.
#[inline(always)]
unsafe fn copy<const BYTES: usize>(place: *mut u8, source: *const u8, at: usize) {
    // SAFETY: passed on.
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
        let source: Vec<u8> = (1..=FEW_AT_MOST as u8).collect();
        for length in FEW_AT_LEAST..=FEW_AT_MOST {
            let staging = Staging::new();
            // SAFETY: the source has so many bytes, and nobody uses the first place.
            let copy = unsafe { staging.copy_few(source.as_ptr(), length) };
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
        let only = unsafe { staging.copy_only([1; 8].as_ptr(), 8) };
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
