//! The seqlock-like double buffer of `slots.rs`, over the fabric's operations: for jobs whose images do not all share memory.
//!
//! The fabric's atomic operations are complete at the target when they return, and a put is after `quiet`. Hence:
//!
//! * A writer publishes a version after the slot of that version is complete.
//! * A writer of version `v + 2`, which overwrites the slot of version `v`, begins after version `v + 1` was published. So a
//!   reader that got a byte of that writer reads a later version afterwards, and tries again.
//!
//! No image fails alone in such a job, so the write lock is never taken over.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::rc::Rc;

use coarray_fabric::{AtomicOperation, Place, Word};
use coarray_runtime::{Image, quiet_and_defer};

use crate::locked::Update;
use crate::remote::Remote;
use crate::slots::{ATTEMPTS, NOBODY};

/// The places of a double buffer that only the fabric changes.
#[doc(hidden)]
pub struct FabricSlots<T> {
    image: Rc<Image>,
    /// Counts the values that were published. The lowest bit is the number of the current slot.
    version: Place,
    /// The write lock: which image may write.
    writer: Place,
    /// The first slot; the second follows it.
    values: Place,
    value: PhantomData<T>,
}

impl<T: Remote> FabricSlots<T> {
    /// The double buffer with its version, write lock and slots at these places.
    ///
    /// # Safety
    /// They are there while the result lives, in the job of `image`, and all images reach them by the fabric only. The current slot holds
    /// a `T`.
    pub(crate) unsafe fn new(
        image: Rc<Image>,
        version: Place,
        writer: Place,
        values: Place,
    ) -> Self {
        Self {
            image,
            version,
            writer,
            values,
            value: PhantomData,
        }
    }

    fn operate(&self, place: Place, word: Word, operation: AtomicOperation) -> u64 {
        let fabric = self.image.fabric();
        // SAFETY: the contract of `new`: the word is the version or the writer of a coatomic: aligned, of that width, in a block of
        // `place.image`. Every image, the owner too, reaches it by the fabric's atomic operations only.
        unsafe { fabric.atomic(place.image, place.offset, word, operation) }
    }

    fn version(&self) -> u64 {
        self.operate(self.version, Word::Bits64, AtomicOperation::Load)
    }

    fn slot(&self, version: u64) -> usize {
        self.values.offset + (version & 1) as usize * size_of::<T>()
    }

    /// The bytes in the slot of `version`; a mixture, if a writer is in it meanwhile.
    fn copy(&self, version: u64) -> MaybeUninit<T> {
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.image.fabric(), value.as_mut_ptr().cast::<u8>());
            let offset = self.slot(version);
            // SAFETY: `target` is valid for writes of `size_of::<T>()` bytes: it is `value`. The slot is that long and lies in a
            // coatomic, whose slots are in cells: nobody holds an exclusive reference to them.
            unsafe { fabric.get(self.values.image, offset, target, size_of::<T>()) }
        }
        value
    }

    fn replace(&self, version: u64, value: &T) {
        if size_of::<T>() > 0 {
            let (fabric, source) = (self.image.fabric(), std::ptr::from_ref(value).cast());
            let offset = self.slot(version);
            // SAFETY: `source` is valid for reads of `size_of::<T>()` bytes: it is a `T`, without padding. The slot is that
            // long and lies in a coatomic, whose slots are in cells: nobody holds a reference to them.
            unsafe { fabric.put(self.values.image, offset, source, size_of::<T>()) }
            fabric.quiet();
        }
    }

    /// The current value; none if other images published during every attempt.
    fn read(&self) -> Option<T> {
        let mut version = self.version();
        for _ in 0..ATTEMPTS {
            let value = self.copy(version);
            let now = self.version();
            if now == version {
                // SAFETY: the slot held a complete `T` when `version` was published, and no writer has entered it since: that
                // writer would have begun after the publication of `version + 1`.
                return Some(unsafe { value.assume_init() });
            }
            version = now;
        }
        None
    }

    /// Takes the write lock if it is free.
    fn take(&self) -> bool {
        let exchange = AtomicOperation::CompareExchange {
            current: u64::from(NOBODY),
            new: self.image.index() as u64 + 1,
        };
        self.operate(self.writer, Word::Bits32, exchange) == u64::from(NOBODY)
    }
}

impl<T: Remote> Update<T> for FabricSlots<T> {
    fn load(&self) -> T {
        match self.read() {
            Some(value) => value,
            None => self.update(|_| None),
        }
    }

    fn update(&self, change: impl FnOnce(&T) -> Option<T>) -> T {
        // No waker of the program runs while this image holds the write lock.
        let _deferral = quiet_and_defer();
        while !self.take() {
            self.image.poll();
            if !std::thread::panicking() {
                self.image.check_abort();
            } else if self.image.has_ended()
                && let Some(value) = self.read()
            {
                // The writer may never release the lock, and nobody reads the value any more.
                return value;
            }
            std::thread::yield_now();
        }
        let version = self.version();
        // SAFETY: the current slot holds a complete `T`, and only this image writes while it holds the write lock.
        let old = unsafe { self.copy(version).assume_init() };
        if let Some(new) = change(&old) {
            let next = version.wrapping_add(1);
            self.replace(next, &new);
            self.operate(self.version, Word::Bits64, AtomicOperation::Swap(next));
        }
        let nobody = AtomicOperation::Swap(u64::from(NOBODY));
        self.operate(self.writer, Word::Bits32, nobody);
        old
    }
}
