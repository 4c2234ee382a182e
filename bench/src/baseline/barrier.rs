//! The baseline of barriers: a flag for each image in a shared mapping.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

use coarray::{num_images, this_image};
use memmap2::MmapRaw;

use super::mapping::map;

/// Bytes between flags: two cache lines, because processors fetch them in pairs.
pub const STRIDE: usize = 128;

/// A barrier of all images that checks nothing and never sleeps. Each image advances its own flag and waits until the
/// flags of all others have the same count; with two images it is the two-flag barrier.
#[derive(Debug)]
pub struct Barrier {
    mapping: MmapRaw,
    images: usize,
    own: usize,
    passed: Cell<u64>,
    /// Images outnumber cores: a waiting image yields.
    crowded: bool,
}

impl Barrier {
    /// Collective. Makes the barrier. The job ends if there is no memory to share.
    pub fn new(crowded: bool) -> Self {
        Self {
            mapping: map(num_images() * STRIDE),
            images: num_images(),
            own: this_image(),
            passed: Cell::new(0),
            crowded,
        }
    }

    /// Collective. Waits for all images.
    #[inline]
    pub fn wait(&self) {
        let target = self.passed.get() + 1;
        self.passed.set(target);
        self.flag(self.own).store(target, Ordering::Release);
        let others = (self.own + 1..self.images).chain(0..self.own);
        for other in others {
            let flag = self.flag(other);
            while flag.load(Ordering::Acquire) < target {
                self.pause();
            }
        }
    }

    /// What an image does between two reads of a flag.
    #[inline]
    pub fn pause(&self) {
        if self.crowded {
            yield_now();
        } else {
            spin_loop();
        }
    }

    #[inline]
    fn flag(&self, image: usize) -> &AtomicU64 {
        debug_assert!(image < self.images);
        // SAFETY: the mapping has `STRIDE` bytes for each image, `image` is one, and the start of a mapping is
        // aligned. The mapping lives as long as `self`, begins with zeros, and is used only through these atomics,
        // by all processes.
        unsafe {
            &*self
                .mapping
                .as_ptr()
                .add(image * STRIDE)
                .cast::<AtomicU64>()
        }
    }
}
