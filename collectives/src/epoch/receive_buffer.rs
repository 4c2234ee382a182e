//! Elements that came from other nodes, for as long as a epoch lasts.

use std::cell::RefCell;
use std::convert::Infallible;
use std::slice;

/// Buffers that are filled once.
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
    /// `fill` gets a place that is valid for writes of so many elements, and writes them all.
    #[cold]
    pub(super) unsafe fn fill(&self, length: usize, fill: impl FnOnce(*mut u8)) -> &[T] {
        // SAFETY: passed on.
        let filled: Result<_, Infallible> = unsafe {
            self.try_fill(length, |target| {
                fill(target.cast());
                Ok(())
            })
        };
        let Ok(elements) = filled;
        elements
    }

    /// `length` elements that `fill` writes, if it does.
    ///
    /// # Errors
    /// What `fill` returns.
    ///
    /// # Safety
    /// `fill` gets a place that is valid for writes of so many elements, and writes them all unless it returns an error.
    #[cold]
    pub(super) unsafe fn try_fill<E>(
        &self,
        length: usize,
        fill: impl FnOnce(*mut T) -> Result<(), E>,
    ) -> Result<&[T], E> {
        let mut buffer = Vec::with_capacity(length);
        fill(buffer.as_mut_ptr())?;
        // SAFETY: there is room for so many, and they have been written.
        unsafe { buffer.set_len(length) };
        let elements: *const T = buffer.as_ptr();
        self.0.borrow_mut().push(buffer);
        // SAFETY: the elements stay where they are until `self` is dropped, though the vector that owns them moves: nobody
        // touches that again.
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
