//! Which images' memory this image's process can read by the kernel.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

use crate::job::control::ImageControl;
use coarray_fabric::system::cross_memory;

/// What an image knows of the processes of others.
#[derive(Debug)]
pub(crate) struct CrossMemory {
    /// Others find it in this process's memory, and so know that it is this one.
    _mark: Box<u64>,
    /// By image: whether its memory can be read; none if that has not been tried.
    can_read: Box<[Cell<Option<bool>>]>,
}

impl CrossMemory {
    /// Offers this process's memory to the other images.
    pub(crate) fn offer(own: &ImageControl, images: usize) -> Self {
        cross_memory::permit_siblings();
        let mark = Box::new(RandomState::new().hash_one(std::process::id()) | 1);
        own.memory.offer(&mark);
        Self {
            _mark: mark,
            can_read: (0..images).map(|_| Cell::new(None)).collect(),
        }
    }

    /// Whether the memory of image number `image` can be read. Not before it offers it.
    pub(crate) fn can_read(&self, image: usize, control: &ImageControl) -> bool {
        let known = &self.can_read[image];
        known.get().unwrap_or_else(|| {
            let Some((process, address, mark)) = control.memory.offered() else {
                return false;
            };
            let mut found = 0;
            // SAFETY: the target is a `u64`.
            let read = unsafe {
                cross_memory::read(process, address, (&raw mut found).cast(), size_of::<u64>())
            };
            let can_read = read.is_ok() && found == mark;
            known.set(Some(can_read));
            can_read
        })
    }
}
