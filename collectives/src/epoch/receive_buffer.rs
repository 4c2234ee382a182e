//! Elements that an epoch has fetched from other nodes, which it can lend until it ends.

use std::cell::RefCell;
use std::convert::Infallible;
use std::slice;

/// Vectors that are filled once, and do not move their elements when more are added.
#[derive(Debug)]
pub(super) struct ReceiveBuffer<T>(RefCell<Vec<Vec<T>>>);

impl<T> Default for ReceiveBuffer<T> {
    #[inline]
    fn default() -> Self {
        Self(RefCell::new(Vec::new()))
    }
}

impl<T> ReceiveBuffer<T> {
    /// `length` elements that `fill` writes.
    ///
    /// # Safety
    /// `fill` writes `length` valid elements to the address that it gets, which is aligned and valid for that.
    #[cold]
    pub(super) unsafe fn fill(&self, length: usize, fill: impl FnOnce(*mut u8)) -> &[T] {
        // SAFETY: the caller vouches that `fill` writes `length` valid elements.
        let filled: Result<_, Infallible> = unsafe {
            self.try_fill(length, |target| {
                fill(target.cast());
                Ok(())
            })
        };
        let Ok(elements) = filled;
        elements
    }

    /// `length` elements that `fill` writes, unless it fails.
    ///
    /// # Errors
    /// The error of `fill`.
    ///
    /// # Safety
    /// Unless it fails, `fill` writes `length` valid elements to the address that it gets, which is aligned and valid for that.
    #[cold]
    pub(super) unsafe fn try_fill<E>(
        &self,
        length: usize,
        fill: impl FnOnce(*mut T) -> Result<(), E>,
    ) -> Result<&[T], E> {
        let mut buffer = Vec::with_capacity(length);
        fill(buffer.as_mut_ptr())?;
        // SAFETY: `length` elements fit the capacity, and the caller vouches that `fill` has written all of them.
        unsafe { buffer.set_len(length) };
        let elements: *const T = buffer.as_ptr();
        self.0.borrow_mut().push(buffer);
        // SAFETY: `elements` is valid for reads of `length` elements until `self` is dropped: the heap memory of a vector stays
        // where it is when the vector moves, and nobody accesses this vector again before.
        Ok(unsafe { slice::from_raw_parts(elements, length) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_stays_while_more_comes() {
        let received = ReceiveBuffer::default();
        // SAFETY: as many elements are written as there is room for.
        let of = |length: usize| unsafe {
            received.try_fill(length, |target: *mut usize| {
                (0..length).for_each(|index| target.add(index).write(length + index));
                if length == 13 { Err(()) } else { Ok(()) }
            })
        };
        let all: Vec<_> = (0..50).map(of).collect();
        for (length, elements) in all.into_iter().enumerate() {
            match elements {
                Ok(elements) => assert!((length..2 * length).eq(elements.iter().copied())),
                Err(()) => assert_eq!(length, 13),
            }
        }
    }
}
