//! The double buffer of `slots.rs` by the fabric's operations: for jobs whose images do not all share memory.
//!
//! The fabric's atomic operations are complete at the target when they return, and a put is after `quiet`. Hence:
//!
//! * A writer publishes a version after the slot of that version is complete.
//! * A writer of version `v + 2`, which overwrites the slot of version `v`, begins after version `v + 1` was published. So a
//!   reader that got a byte of that writer reads a later version afterwards, and tries again.
//!
//! No image fails alone in such a job, so the write lock is taken over only when the job has ended.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::rc::Rc;

use coarray_fabric::{AtomicOperation, Deferral, Place, Word};
use coarray_runtime::{Image, quiet_and_defer};

use crate::locked::Buffer;
use crate::remote::Remote;
use crate::slots::{NOBODY, Words};

/// The places of a double buffer that only the fabric changes.
#[doc(hidden)]
pub struct FabricSlots<T> {
    words: FabricWords,
    /// The first slot; the second follows it.
    values: Place,
    value: PhantomData<T>,
}

/// The places of the words that say which slot is current, and who may write the other.
pub(crate) struct FabricWords {
    image: Rc<Image>,
    version: Place,
    writer: Place,
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
            words: FabricWords {
                image,
                version,
                writer,
            },
            values,
            value: PhantomData,
        }
    }

    fn offset(&self, slot: usize) -> usize {
        self.values.offset + slot * size_of::<T>()
    }
}

impl FabricWords {
    fn operate(&self, place: Place, word: Word, operation: AtomicOperation) -> u64 {
        let fabric = self.image.fabric();
        // SAFETY: the contract of `FabricSlots::new`: the word is the version or the writer of a coatomic: aligned, of that width, in a
        // block of `place.image`. Every image, the owner too, reaches it by the fabric's atomic operations only.
        unsafe { fabric.atomic(place.image, place.offset, word, operation) }
    }
}

impl Words for FabricWords {
    fn version(&self) -> u64 {
        self.operate(self.version, Word::Bits64, AtomicOperation::Load)
    }

    fn version_after_copy(&self) -> u64 {
        self.version()
    }

    fn begin(&self) -> u64 {
        self.version()
    }

    fn publish(&self, version: u64) {
        self.operate(self.version, Word::Bits64, AtomicOperation::Swap(version));
    }

    fn writer(&self) -> u32 {
        self.operate(self.writer, Word::Bits32, AtomicOperation::Load) as u32
    }

    fn take(&self, from: u32, me: u32) -> bool {
        let [current, new] = [from, me].map(u64::from);
        let exchange = AtomicOperation::CompareExchange { current, new };
        self.operate(self.writer, Word::Bits32, exchange) == current
    }

    fn release(&self) {
        let nobody = AtomicOperation::Swap(u64::from(NOBODY));
        self.operate(self.writer, Word::Bits32, nobody);
    }
}

impl<T: Remote> Buffer<T> for FabricSlots<T> {
    type Words = FabricWords;
    type Quiet = Deferral;

    fn words(&self) -> &FabricWords {
        &self.words
    }

    /// No waker of the program runs while this image holds the write lock.
    fn quiet(&self) -> Deferral {
        quiet_and_defer()
    }

    fn me(&self) -> u32 {
        self.words.image.index() as u32 + 1
    }

    /// If the job has ended, the writer may never release the lock, and nobody reads the value any more.
    fn is_gone(&self, _writer: u32) -> bool {
        let image = &self.words.image;
        image.poll();
        if !std::thread::panicking() {
            image.check_abort();
        }
        image.has_ended()
    }

    fn copy(&self, slot: usize) -> MaybeUninit<T> {
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.words.image.fabric(), value.as_mut_ptr().cast::<u8>());
            let offset = self.offset(slot);
            // SAFETY: `target` is valid for writes of `size_of::<T>()` bytes: it is `value`. The slot is that long and lies in a
            // coatomic, whose slots are in cells: nobody holds an exclusive reference to them.
            unsafe { fabric.get(self.values.image, offset, target, size_of::<T>()) }
        }
        value
    }

    fn fill(&self, slot: usize, value: &T) {
        if size_of::<T>() > 0 {
            let (fabric, source) = (self.words.image.fabric(), std::ptr::from_ref(value).cast());
            let offset = self.offset(slot);
            // SAFETY: `source` is valid for reads of `size_of::<T>()` bytes: it is a `T`, without padding. The slot is that
            // long and lies in a coatomic, whose slots are in cells: nobody holds a reference to them.
            unsafe { fabric.put(self.values.image, offset, source, size_of::<T>()) }
            fabric.quiet();
        }
    }
}
