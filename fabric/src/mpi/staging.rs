//! What small puts carry, until MPI uses it no more: their own source may be reused at once.

use std::cell::Cell;

/// Bytes in the buffer.
const CAPACITY: usize = 1 << 16;

/// What is copied into the buffer rather than waited for.
pub(crate) const SMALL: usize = 512;

const ALIGNMENT: usize = 8;

/// A buffer that is filled from its start, until all of it is free again.
#[derive(Debug)]
pub(crate) struct Staging {
    start: *mut u64,
    used: Cell<usize>,
}

impl Staging {
    pub(crate) fn new() -> Self {
        let words = vec![0_u64; CAPACITY / ALIGNMENT].into_boxed_slice();
        Self {
            start: Box::into_raw(words).cast::<u64>(),
            used: Cell::new(0),
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

    /// A copy of a word, where nobody uses what is in the buffer.
    #[inline]
    pub(crate) fn copy_first(&self, word: u64) -> *const u8 {
        self.used.set(size_of::<u64>());
        // SAFETY: the buffer has room for a word, and nobody uses it.
        unsafe { self.start.write(word) };
        self.start.cast::<u8>().cast_const()
    }

    /// Nobody uses what is in the buffer any more.
    #[inline]
    pub(crate) fn reuse(&self) {
        self.used.set(0);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What MPI may still read is left to it.
        if self.used.get() == 0 {
            let words = std::ptr::slice_from_raw_parts_mut(self.start, CAPACITY / ALIGNMENT);
            // SAFETY: `new` made the buffer a pointer from a box of this length.
            drop(unsafe { Box::from_raw(words) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(copies.len() > (CAPACITY - SMALL) / 8);
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
