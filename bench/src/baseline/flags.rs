//! The baseline of events, locks and notifications: a flag for each image, and words beside it.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use coarray::num_images;
use memmap2::MmapRaw;

use super::barrier::{Barrier, STRIDE};
use super::mapping::map;

/// For each image a flag that counts up, and words. Nothing is checked, and no image sleeps.
#[derive(Debug)]
pub struct Flags {
    mapping: MmapRaw,
    stride: usize,
    barrier: Rc<Barrier>,
}

impl Flags {
    /// Collective. Flags that are 0, with `words` words each; waiting images behave as in `barrier`. The job ends if
    /// there is no memory to share.
    pub fn new(words: usize, barrier: &Rc<Barrier>) -> Self {
        // The distance between the flags of two images.
        let stride = STRIDE + (words * size_of::<u64>()).next_multiple_of(STRIDE);
        Self {
            mapping: map(num_images() * stride),
            stride,
            barrier: Rc::clone(barrier),
        }
    }

    /// Sets the flag of `image`.
    #[inline]
    pub fn set(&self, image: usize, value: u64) {
        self.flag(image).store(value, Ordering::Release);
    }

    /// Waits until the flag of `image` is at least `value`.
    #[inline]
    pub fn wait(&self, image: usize, value: u64) {
        while self.flag(image).load(Ordering::Acquire) < value {
            self.barrier.pause();
        }
    }

    /// The words of `image`, valid as long as `self`. The flags must keep images from accessing them while another
    /// image writes.
    #[inline]
    pub fn words(&self, image: usize) -> *mut u64 {
        self.part(image).wrapping_add(STRIDE).cast()
    }

    #[inline]
    fn flag(&self, image: usize) -> &AtomicU64 {
        // SAFETY: `part` is that of the image, aligned to a cache line, and begins with its flag. The mapping lives as
        // long as `self`, begins with zeros, and its flags are used only through these atomics, by all images.
        unsafe { &*self.part(image).cast::<AtomicU64>() }
    }

    #[inline]
    fn part(&self, image: usize) -> *mut u8 {
        let offset = image * self.stride;
        assert!(offset < self.mapping.len());
        self.mapping.as_mut_ptr().wrapping_add(offset)
    }
}
