//! How images find each other's memory where they are processes.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A word in the memory of an image's process, by which others see that they read the right memory.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ProcessMemory {
    process: AtomicU32,
    address: AtomicU64,
    /// The word; 0 if the image does not let others read.
    mark: AtomicU64,
}

impl ProcessMemory {
    /// Tells others that they may read this process's memory, which holds `mark`, not 0, as long as the image is.
    pub(crate) fn offer(&self, mark: &u64) {
        let address = std::ptr::from_ref(mark).expose_provenance();
        self.process.store(std::process::id(), Ordering::Relaxed);
        self.address.store(address as u64, Ordering::Relaxed);
        // Pairs with the Acquire in `offered`.
        self.mark.store(*mark, Ordering::Release);
    }

    /// The process, and the address and the value of its mark, if the image has offered its memory.
    pub(crate) fn offered(&self) -> Option<(u32, usize, u64)> {
        // Pairs with the Release in `offer`.
        let mark = self.mark.load(Ordering::Acquire);
        let address = self.address.load(Ordering::Relaxed) as usize;
        (mark != 0).then(|| (self.process.load(Ordering::Relaxed), address, mark))
    }
}
