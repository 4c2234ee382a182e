//! Arrays of zero bytes that are large and mostly unused: the system gives memory to what is written.

use std::fmt;
use std::io;
use std::ops::{Deref, Range};
use std::ptr::NonNull;

use bytemuck::Zeroable;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Bytes of a huge page, on the machines there are: others merely miss an optimisation.
pub(crate) const HUGE: usize = 2 << 20;

/// An array that begins as zero bytes. Pages of it exist where something was written.
pub(crate) struct Sparse<T> {
    first: NonNull<T>,
    length: usize,
    mapping: NonNull<u8>,
    mapped: usize,
}

// SAFETY: it owns its elements, as a `Box` of them does.
unsafe impl<T: Send> Send for Sparse<T> {}

// SAFETY: as above: `&Sparse` gives `&T` only.
unsafe impl<T: Sync> Sync for Sparse<T> {}

impl<T: Zeroable> Sparse<T> {
    /// An array of `length` elements, which begins at a multiple of the size of a huge page.
    ///
    /// # Errors
    /// If there are not as many addresses left.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        const { assert!(!std::mem::needs_drop::<T>() && align_of::<T>() <= HUGE) }
        let bytes = length.checked_mul(size_of::<T>());
        let mapped = bytes.and_then(|bytes| bytes.checked_add(HUGE));
        let mapped = mapped.ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            let access = ProtFlags::READ | ProtFlags::WRITE;
            mmap_anonymous(std::ptr::null_mut(), mapped, access, flags)?
        };
        let mapping = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let before = start.addr().next_multiple_of(HUGE) - start.addr();
        Ok(Self {
            // SAFETY: `before` is less than `HUGE`, which was mapped beyond the elements.
            first: unsafe { mapping.add(before) }.cast(),
            length,
            mapping,
            mapped,
        })
    }
}

impl<T> Sparse<T> {
    /// These elements will be written, nearly all of them. Huge pages that they fill become such where the kernel has some.
    pub(crate) fn expect(&self, elements: Range<usize>) {
        let elements = elements.start..elements.end.min(self.length);
        let first = (elements.start * size_of::<T>()).next_multiple_of(HUGE);
        let end = elements.end * size_of::<T>() / HUGE * HUGE;
        if first < end {
            let start = self.first.as_ptr().wrapping_byte_add(first);
            // An error means usual pages.
            // SAFETY: the pages lie in the mapping, and keep what they hold.
            let _ = unsafe { madvise(start.cast(), end - first, Advice::LinuxHugepage) };
        }
    }
}

impl<T> Deref for Sparse<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: so many elements are mapped there until `drop`, aligned since a huge page is, and zero bytes are a `T`. Nobody has had a mutable
        // reference to them.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl<T> Drop for Sparse<T> {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and references to it do not outlive `self`. It cannot fail for a mapping that exists.
        let unmapped = unsafe { munmap(self.mapping.as_ptr().cast(), self.mapped) };
        debug_assert!(unmapped.is_ok());
    }
}

impl<T> fmt::Debug for Sparse<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sparse of {} elements", self.length)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn it_is_zero_and_keeps_what_is_written() {
        let words = Sparse::<AtomicU64>::new(1 << 20).unwrap();
        assert!(words.as_ptr().addr().is_multiple_of(HUGE));
        words.expect(100..words.len());
        for index in [0, 99, 100, (1 << 20) - 1] {
            assert_eq!(words[index].swap(index as u64 + 1, Relaxed), 0);
        }
        words.expect(0..usize::MAX);
        assert_eq!(
            words[99].load(Relaxed) + words[(1 << 20) - 1].load(Relaxed),
            100 + (1 << 20)
        );
    }

    #[test]
    fn more_than_all_addresses_are_an_error() {
        assert!(Sparse::<u64>::new(usize::MAX / 16).is_err());
        assert!(Sparse::<u64>::new(usize::MAX).is_err());
    }
}
