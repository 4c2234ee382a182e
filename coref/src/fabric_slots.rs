//! The words of a double buffer that only the fabric changes: for jobs whose images do not all share memory.
//!
//! The fabric's atomic operations are complete at the target when they return, and a put is after `quiet`. So a writer publishes a
//! version after the slot of that version is complete, and begins the next slot after it was published.
//!
//! No image fails alone in such a job, so the write lock is never taken over.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::rc::Rc;

use coarray_fabric::system::primitives::yield_now;
use coarray_fabric::{AtomicOperation, Deferral, Place, Word};
use coarray_runtime::{Image, quiet_and_defer};

use crate::remote::Remote;
use crate::slots::{DoubleBuffer, Holder, NOBODY};

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

    fn offset(&self, slot: usize) -> usize {
        self.values.offset + slot * size_of::<T>()
    }
}

// SAFETY: the contract of `new`. Atomic operations and puts are complete, in this order, before the next begins.
unsafe impl<T: Remote> DoubleBuffer<T> for FabricSlots<T> {
    type Writing = Deferral;

    fn version(&self) -> u64 {
        self.operate(self.version, Word::Bits64, AtomicOperation::Load)
    }

    fn version_after_copy(&self) -> u64 {
        self.version()
    }

    fn copy(&self, slot: usize) -> MaybeUninit<T> {
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.image.fabric(), value.as_mut_ptr().cast::<u8>());
            // SAFETY: `target` is valid for writes of `size_of::<T>()` bytes: it is `value`. The slot is that long and lies in a
            // coatomic, whose slots are in cells: nobody holds an exclusive reference to them.
            unsafe { fabric.get(self.values.image, self.offset(slot), target, size_of::<T>()) }
        }
        value
    }

    fn fill(&self, slot: usize, value: &T) {
        if size_of::<T>() > 0 {
            let (fabric, source) = (self.image.fabric(), std::ptr::from_ref(value).cast());
            // SAFETY: `source` is valid for reads of `size_of::<T>()` bytes: it is a `T`, without padding. The slot is that
            // long and lies in a coatomic, whose slots are in cells: nobody holds a reference to them.
            unsafe { fabric.put(self.values.image, self.offset(slot), source, size_of::<T>()) }
            fabric.quiet();
        }
    }

    fn publish(&self, version: u64) {
        self.operate(self.version, Word::Bits64, AtomicOperation::Swap(version));
    }

    fn prepare(&self) -> Deferral {
        quiet_and_defer()
    }

    fn writer(&self) -> u32 {
        self.operate(self.writer, Word::Bits32, AtomicOperation::Load) as u32
    }

    fn take(&self, holder: u32) -> bool {
        let exchange = AtomicOperation::CompareExchange {
            current: u64::from(holder),
            new: self.image.index() as u64 + 1,
        };
        self.operate(self.writer, Word::Bits32, exchange) == u64::from(holder)
    }

    fn release(&self) {
        let nobody = AtomicOperation::Swap(u64::from(NOBODY));
        self.operate(self.writer, Word::Bits32, nobody);
    }

    fn ask_after(&self, _: u32) -> Holder {
        self.image.poll();
        if !std::thread::panicking() {
            self.image.check_abort();
        } else if self.image.has_ended() {
            return Holder::MayNeverRelease;
        }
        yield_now();
        Holder::Writes
    }
}
