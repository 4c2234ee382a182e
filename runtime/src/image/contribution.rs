//! What an image contributes to an asynchronous collective, as another image sees it: borrowed from the owner's memory
//! if both share memory, otherwise a copy.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use crate::image::descriptor::ALIGN;
use coarray_fabric::transport::fabric::Fabric;

/// Bytes that an image contributes to an asynchronous collective, all or a part of them; see
/// [`CollectiveRequest::from`](crate::CollectiveRequest::from).
pub struct Contribution<'a> {
    start: NonNull<u8>,
    length: usize,
    /// Whether the bytes are an allocation of this value's own.
    is_copy: bool,
    lives: PhantomData<&'a [u8]>,
}

impl<'a> Contribution<'a> {
    /// Borrows the bytes where they are.
    #[inline]
    #[must_use]
    pub fn here(bytes: &'a [u8]) -> Self {
        Self {
            start: NonNull::from(bytes).cast(),
            length: bytes.len(),
            is_copy: false,
            lives: PhantomData,
        }
    }

    /// A copy of these bytes.
    pub(crate) fn copied(bytes: &[u8]) -> Self {
        // SAFETY: `bytes` is a slice, so valid for reads of its length; `filled` passes a fresh allocation, valid for
        // writes of the same length, so the two do not overlap. `u8` needs no alignment.
        Self::filled(bytes.len(), |target| unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
        })
    }

    /// Copies `length` bytes at `offset` in the part of an image on another node.
    ///
    /// # Safety
    /// The bytes lie in a block of `owner`, are initialised, and nobody writes them during the call.
    pub(crate) unsafe fn fetched(
        fabric: &dyn Fabric,
        owner: usize,
        offset: usize,
        length: usize,
    ) -> Self {
        // SAFETY: `filled` passes memory valid for writes of `length` bytes; the caller vouches for the source block
        // and that its owner, too, holds no exclusive reference to it.
        Self::filled(length, |target| unsafe {
            fabric.get(owner, offset, target, length);
        })
    }

    /// A new allocation of `length` bytes, all of which `fill` must initialise. `fill` is not called if there are none.
    fn filled(length: usize, fill: impl FnOnce(*mut u8)) -> Self {
        let start = if length == 0 {
            ptr::without_provenance_mut(ALIGN)
        } else {
            let layout = layout(length);
            // SAFETY: `alloc` requires a layout of non-zero size: `length` is not 0 here.
            let start = unsafe { alloc(layout) };
            if start.is_null() {
                handle_alloc_error(layout);
            }
            start
        };
        let copy = Self {
            start: NonNull::new(start).expect("it was just checked"),
            length,
            is_copy: true,
            lives: PhantomData,
        };
        if length > 0 {
            fill(start);
        }
        copy
    }
}

fn layout(length: usize) -> Layout {
    Layout::from_size_align(length, ALIGN).expect("what an image contributes fits its memory")
}

impl Deref for Contribution<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is non-null, and `u8` needs no alignment. It is valid for reads of `length` initialised
        // bytes, and nobody writes them: either it comes from a slice that is borrowed for `'a`, or `filled` allocated
        // and initialised it for this value alone. Without bytes any non-null pointer will do
        // (`std::slice::from_raw_parts`). Slices and layouts have at most `isize::MAX` bytes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Contribution<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.is_copy && self.length > 0 {
            // SAFETY: `filled` allocated `start` with the global allocator and this layout, and this value alone owns
            // it.
            unsafe { dealloc(self.start.as_ptr(), layout(self.length)) }
        }
    }
}

impl fmt::Debug for Contribution<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_aligned_and_equal() {
        for length in [0, 1, 63, 64, 1000] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let copy = Contribution::copied(&bytes);
            assert!(copy.as_ptr().addr().is_multiple_of(ALIGN));
            assert_eq!(*copy, bytes[..]);
        }
    }

    #[test]
    fn bytes_that_are_here_stay_where_they_are() {
        let bytes = [1, 2, 3];
        let here = Contribution::here(&bytes);
        assert!(std::ptr::eq(&*here, &bytes[..]));
    }
}
