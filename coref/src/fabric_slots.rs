//! The two slots of a value for which there is no instruction, in jobs whose images do not all share memory.
//!
//! The protocol is that of `slots.rs`, with the fabric's operations in the place of instructions. Atomic operations are
//! complete at the target when they return, and what was put is after `quiet`. So a version is published when the
//! slot it names is complete; and a reader that got a byte of a later writer gets a later version afterwards, because
//! that writer began when the version before its own had been published. No image fails alone in such a job, so that
//! nobody's place is taken over.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use coarray_fabric::{AtomicOperation, Place, Word};
use coarray_runtime::{Image, quiet_and_defer};

use crate::remote::Remote;
use crate::slots::{ATTEMPTS, NOBODY};

/// Where a value is that is changed by the fabric only, in two slots.
pub(crate) struct FabricSlots<'a, T> {
    pub(crate) image: &'a Image,
    /// How many values were published. The lowest bit is the number of the current slot.
    pub(crate) version: Place,
    /// Who may write.
    pub(crate) writer: Place,
    /// The first slot; the other is behind it.
    pub(crate) values: Place,
    pub(crate) value: PhantomData<T>,
}

impl<T: Remote> FabricSlots<'_, T> {
    fn operate(&self, place: Place, word: Word, operation: AtomicOperation) -> u64 {
        let fabric = self.image.fabric();
        // SAFETY: the place is the version or the writer of a coatomic, an aligned word of that width which nothing else
        // changes in such a job.
        unsafe { fabric.atomic(place.image, place.offset, word, operation) }
    }

    fn version(&self) -> u64 {
        self.operate(self.version, Word::Bits64, AtomicOperation::Load)
    }

    fn slot(&self, version: u64) -> usize {
        self.values.offset + (version & 1) as usize * size_of::<T>()
    }

    /// What lies in the current slot of that version, or what a writer makes of it meanwhile.
    fn copy(&self, version: u64) -> MaybeUninit<T> {
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.image.fabric(), value.as_mut_ptr().cast::<u8>());
            let offset = self.slot(version);
            // SAFETY: the target is as long as the slot, which is a part of a coatomic: nobody has a reference to it.
            unsafe { fabric.get(self.values.image, offset, target, size_of::<T>()) }
        }
        value
    }

    fn replace(&self, version: u64, value: &T) {
        if size_of::<T>() > 0 {
            let (fabric, source) = (self.image.fabric(), std::ptr::from_ref(value).cast());
            let offset = self.slot(version);
            // SAFETY: the source is as long as the slot and has no padding; of the slot as in `copy`.
            unsafe { fabric.put(self.values.image, offset, source, size_of::<T>()) }
            fabric.quiet();
        }
    }

    /// The current value, unless others publish all the time.
    fn read(&self) -> Option<T> {
        let mut version = self.version();
        for _ in 0..ATTEMPTS {
            let value = self.copy(version);
            let now = self.version();
            if now == version {
                // SAFETY: nobody has begun to write the slot since it was published, completely, with a `T` in it.
                return Some(unsafe { value.assume_init() });
            }
            version = now;
        }
        None
    }

    pub(crate) fn load(&self) -> T {
        self.image.poll_throttled();
        match self.read() {
            Some(value) => value,
            None => self.update(|_| None),
        }
    }

    /// Replaces the value by what `change` makes of it, if anything; returns the old one.
    pub(crate) fn update(&self, change: impl Fn(&T) -> Option<T>) -> T {
        self.image.poll_throttled();
        // No waker runs in the writer's place.
        let _deferral = quiet_and_defer();
        while !self.take() {
            self.image.poll();
            if !std::thread::panicking() {
                self.image.check_abort();
            } else if self.image.has_ended()
                && let Some(value) = self.read()
            {
                // Whoever writes may never go on, and nobody looks at the value any more.
                return value;
            }
            std::thread::yield_now();
        }
        let version = self.version();
        // SAFETY: the slot holds a `T`, completely, and nobody but this image writes while it has the writer's place.
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

    /// Takes the writer's place if nobody has it.
    fn take(&self) -> bool {
        let exchange = AtomicOperation::CompareExchange {
            current: u64::from(NOBODY),
            new: self.image.index() as u64 + 1,
        };
        self.operate(self.writer, Word::Bits32, exchange) == u64::from(NOBODY)
    }
}
