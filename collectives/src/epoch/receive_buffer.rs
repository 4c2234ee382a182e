//! Elements that an epoch has fetched from other nodes, which it can lend until it ends.
//!
//! Their memory is kept for later epochs: an allocator may give it back to the system each time and get new pages, which takes longer than to fetch
//! what comes there.

use std::cell::RefCell;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::slice;

/// A cache line of memory. No element is more aligned.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; 64]);

/// Lines within the capacity of a vector, which has no length.
type Memory = Vec<Line>;

/// The least lines of a memory, the most of all that are kept, and how many memories these are at most.
const LEAST: usize = 4096 / size_of::<Line>();
const MOST: usize = (1 << 20) / size_of::<Line>();
const MOST_KEPT: usize = 32;

thread_local! {
    /// What this image's last epochs have used.
    static KEPT: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// Memory of at least so many lines.
fn take(lines: usize) -> Memory {
    let taken = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        let fitting = (0..kept.len()).filter(|&at| kept[at].capacity() >= lines);
        let best = fitting.min_by_key(|&at| kept[at].capacity())?;
        Some(kept.swap_remove(best))
    });
    let taken = taken.ok().flatten();
    taken.unwrap_or_else(|| Vec::with_capacity(lines.max(LEAST)))
}

/// Keeps the memories for later, as long as they are few.
fn keep(memories: Vec<Memory>) {
    // Where the thread ends, there is no later.
    _ = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        kept.splice(0..0, memories);
        kept.truncate(MOST_KEPT);
        let mut room = MOST;
        kept.retain(|memory| {
            let left = room.checked_sub(memory.capacity());
            room = left.unwrap_or(room);
            left.is_some()
        });
    });
}

/// Memories that are filled once, and stay where they are when more are added.
pub(super) struct ReceiveBuffer<T> {
    filled: RefCell<Vec<Memory>>,
    elements: PhantomData<T>,
}

impl<T> Default for ReceiveBuffer<T> {
    #[inline]
    fn default() -> Self {
        Self {
            filled: RefCell::new(Vec::new()),
            elements: PhantomData,
        }
    }
}

impl<T> Drop for ReceiveBuffer<T> {
    #[inline]
    fn drop(&mut self) {
        let filled = self.filled.get_mut();
        if !filled.is_empty() {
            keep(mem::take(filled));
        }
    }
}

impl<T: Copy> ReceiveBuffer<T> {
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
        const { assert!(align_of::<T>() <= align_of::<Line>()) };
        let mut memory = take((length * size_of::<T>()).div_ceil(size_of::<Line>()));
        let elements = memory.as_mut_ptr().cast::<T>();
        fill(elements)?;
        self.filled.borrow_mut().push(memory);
        // SAFETY: the memory has room for `length` elements, aligned, and the caller vouches that `fill` has written all of them. It stays where it is
        // when its vector moves, until `self` is dropped, and nobody accesses it again before.
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

    #[test]
    fn memory_is_kept_unless_it_is_too_much() {
        let address_of = |length: usize| {
            let received = ReceiveBuffer::<u64>::default();
            // SAFETY: all elements are written.
            let filled = unsafe {
                received.try_fill(length, |target| {
                    target.write_bytes(0, length);
                    Ok::<_, ()>(())
                })
            };
            filled.unwrap().as_ptr().addr()
        };
        let first = address_of(10_000);
        assert_eq!(address_of(9_000), first);
        address_of(MOST * size_of::<Line>() / 8 + 1);
        assert_eq!(address_of(10_000), first);
        let kept = KEPT.with_borrow(|kept| kept.iter().map(Vec::capacity).sum::<usize>());
        assert!((1..=MOST).contains(&kept), "{kept} lines");
    }
}
