//! Blocks of symmetric memory.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

use shmem_sys::{shmem_align, shmem_free, shmem_ptr};

/// A block that all images have allocated alike. It is given back by [`free`](Self::free), which is collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    start: NonNull<u8>,
    length: usize,
}

impl Block {
    /// Collective. Allocates `length` bytes at a multiple of `alignment`; the first `zeroed` bytes are 0. None if there is no
    /// room for them.
    ///
    /// Others may only write to it after a barrier.
    pub(super) fn allocate(alignment: usize, length: usize, zeroed: usize) -> Option<Self> {
        // SAFETY: the library is started as long as there are blocks, and its heap can be aligned to powers of two.
        let memory = unsafe { shmem_align(alignment, length) };
        let start = NonNull::new(memory.cast::<u8>())?;
        // SAFETY: within the block, which nobody else knows yet.
        unsafe { start.write_bytes(0, zeroed.min(length)) };
        Some(Self { start, length })
    }

    /// Collective. Gives the memory back, which nobody uses any more.
    pub(super) fn free(self) {
        // SAFETY: allocated above, and freed once: whoever owns the block calls this last.
        unsafe { shmem_free(self.start.as_ptr().cast()) }
    }

    /// The first byte, here.
    pub(super) fn start(self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The place at `offset`, by which calls name that place of every image.
    #[inline]
    pub(super) fn at(self, offset: usize) -> *mut c_void {
        debug_assert!(offset <= self.length);
        // SAFETY: within the block, or at its end.
        unsafe { self.start.as_ptr().add(offset).cast() }
    }

    /// Where this process reaches the block of `image` by loads and stores; null if it does not.
    pub(super) fn of(self, image: usize) -> *mut u8 {
        // SAFETY: the block is symmetric, and the image exists.
        let there = unsafe { shmem_ptr(self.start.as_ptr().cast(), number(image)) };
        if there.is_null() {
            ptr::null_mut()
        } else {
            there.cast()
        }
    }
}

/// The number of an image as the library counts.
#[inline]
pub(super) fn number(image: usize) -> c_int {
    image as c_int
}
