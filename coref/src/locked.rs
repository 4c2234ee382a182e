//! The coatomic of a value for which there is no instruction: a seqlock-like [`DoubleBuffer`].

use std::cell::UnsafeCell;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;
use std::rc::Rc;

use coarray_fabric::system::primitives::yield_now;
use coarray_fabric::{Place, direct};
use coarray_runtime::{Image, process_has_failed, process_image};

use crate::atomic_cell::{Atomic, AtomicCell};
use crate::fabric_slots::FabricSlots;
use crate::remote::Remote;
use crate::slots::{DoubleBuffer, Holder, Slots};

/// Any value with atomic operations. Writers exclude each other by a lock; readers do not wait.
///
/// A writer that is killed leaves a complete value, old or new, and the next writer takes over its lock.
#[doc(hidden)]
#[repr(C)]
pub struct Locked<T> {
    slots: Slots,
    /// The current one always holds a complete value. All bytes of both are initialised.
    values: [UnsafeCell<MaybeUninit<T>>; 2],
}

// SAFETY: threads share only values that travel between images anyway. `slots` excludes two writers of a slot, and readers
// race with a writer only through `direct`, which allows that.
unsafe impl<T: Remote> Sync for Locked<T> {}

// SAFETY: a value that travels between images, and two numbers: nothing of one thread.
unsafe impl<T: Remote> Send for Locked<T> {}

/// The writer's number on a thread that cannot vanish while it writes: images are threads, and only the whole job dies.
const IMMORTAL: u32 = u32::MAX;

/// The number under which this thread takes the write lock: that of its process, which others can ask after.
fn writer() -> u32 {
    process_image().map_or(IMMORTAL, |image| image as u32 + 1)
}

/// Whether all bytes are the same.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn same<T: Remote>(one: &T, other: &T) -> bool {
    const { T::CHECK };
    // SAFETY: the reference is valid for reads of `size_of::<T>()` bytes, all initialised since a `Remote` type has no padding.
    let bytes = |value| unsafe {
        std::slice::from_raw_parts(ptr::from_ref::<T>(value).cast::<u8>(), size_of::<T>())
    };
    bytes(one) == bytes(other)
}

macro_rules! atomic {
    ($($buffer:ident)*) => { $(
        impl<T: Remote> Atomic<T> for $buffer<T> {
            fn load(&self) -> T {
                DoubleBuffer::load(self)
            }

            fn store(&self, value: T) {
                self.swap(value);
            }

            fn swap(&self, value: T) -> T {
                self.update(|_| Some(value))
            }

            fn compare_swap(&self, current: T, new: T) -> T {
                self.update(|old| same(old, &current).then_some(new))
            }
        }
    )* };
}

atomic!(Locked FabricSlots);

// SAFETY: `new` puts a value into both slots, and the fields are private to this. Words and orderings are those of `Slots`; the slots are
// written by `fill` only. `check_abort` runs nothing of the program that gets at the value.
unsafe impl<T: Remote> DoubleBuffer<T> for Locked<T> {
    type Writing = ();

    #[inline]
    fn version(&self) -> u64 {
        self.slots.version()
    }

    #[inline]
    fn version_after_copy(&self) -> u64 {
        self.slots.version_after_copy()
    }

    #[inline]
    fn copy(&self, slot: usize) -> MaybeUninit<T> {
        // SAFETY: the slot is aligned for `T` and, as part of `self`, valid for atomic reads. Only `fill` writes it, through `direct`,
        // which allows the race.
        unsafe { direct::load(self.values[slot].get().cast::<T>()) }
    }

    #[inline]
    fn fill(&self, slot: usize, value: &T) {
        self.slots.before_filling();
        // SAFETY: the slot is aligned for `T` and, inside an `UnsafeCell` of `self`, valid for atomic writes: nobody else writes to it
        // while this image holds the write lock, and all read it through `direct`. A `Remote` type has no padding.
        unsafe { direct::store(self.values[slot].get().cast::<T>(), value) }
    }

    #[inline]
    fn publish(&self, version: u64) {
        self.slots.publish(version);
    }

    #[inline]
    fn prepare(&self) {}

    fn writer(&self) -> u32 {
        self.slots.writer()
    }

    #[inline]
    fn take(&self, holder: u32) -> bool {
        self.slots.take(holder, writer())
    }

    #[inline]
    fn release(&self) {
        self.slots.release();
    }

    fn ask_after(&self, holder: u32) -> Holder {
        if let Some(image) = Image::try_current().filter(|_| !std::thread::panicking()) {
            image.check_abort();
        }
        if holder != IMMORTAL && process_has_failed(holder as usize - 1) {
            return Holder::IsGone;
        }
        yield_now();
        Holder::Writes
    }
}

// SAFETY: plain bytes and atomic numbers, without drop glue, pointers and handles. All accesses are atomic words or go through
// `direct`, and `Slots` excludes two writers, across processes too.
unsafe impl<T: Remote> AtomicCell<T> for Locked<T> {
    type Remote = FabricSlots<T>;

    fn new(value: T) -> Self {
        const { T::CHECK };
        Self {
            slots: Slots::new(),
            values: [value, value].map(|value| UnsafeCell::new(MaybeUninit::new(value))),
        }
    }

    unsafe fn remote(image: Rc<Image>, place: Place) -> FabricSlots<T> {
        let at = |offset| Place {
            offset: place.offset + offset,
            ..place
        };
        let version = at(offset_of!(Self, slots) + offset_of!(Slots, version));
        let writer = at(offset_of!(Self, slots) + offset_of!(Slots, writer));
        // SAFETY: the caller vouches for a `Locked<T>` at `place`, which the fabric alone changes: these are its words and its slots.
        unsafe { FabricSlots::new(image, version, writer, at(offset_of!(Self, values))) }
    }
}
