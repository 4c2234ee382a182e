//! The fabric of images that map each other's heaps.

use std::sync::atomic::{Ordering, fence};

use crate::direct;
use crate::fabric::Fabric;
use crate::region::Region;

impl Fabric for Region {
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        debug_assert!(offset + length <= self.heap_bytes());
        // SAFETY: the caller vouches for both ranges; the heap is mapped as long as `self`.
        unsafe { direct::copy(self.heap(image).add(offset), source, length) }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        debug_assert!(offset + length <= self.heap_bytes());
        // SAFETY: the caller vouches for both ranges; the heap is mapped as long as `self`.
        unsafe { direct::copy(target, self.heap(image).add(offset), length) }
    }

    fn fence(&self, _image: usize) {
        fence(Ordering::Release);
    }

    fn quiet(&self) {
        fence(Ordering::SeqCst);
    }
}
