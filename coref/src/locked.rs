//! The coatomic of a value for which there is no instruction: a seqlock-like double buffer, [`Slots`].

use std::cell::UnsafeCell;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;
use std::rc::Rc;

use coarray_fabric::{Place, direct};
use coarray_runtime::{Image, process_has_failed, process_image};

use crate::atomic_cell::{Atomic, AtomicCell};
use crate::fabric_slots::FabricSlots;
use crate::remote::Remote;
use crate::slots::Slots;

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

/// Whether the writer has failed, and will touch nothing any more. If the job has ended, this image unwinds, unless it does so
/// already.
fn is_gone(writer: u32) -> bool {
    if let Some(image) = Image::try_current().filter(|_| !std::thread::panicking()) {
        image.check_abort();
    }
    writer != IMMORTAL && process_has_failed(writer as usize - 1)
}

impl<T: Remote> Locked<T> {
    fn copy(&self, slot: usize) -> MaybeUninit<T> {
        // SAFETY: the slot is aligned for `T` and, as part of `self`, valid for atomic reads. Only `update` writes it,
        // through `direct`, which allows the race.
        unsafe { direct::load(self.values[slot].get().cast::<T>()) }
    }
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

/// A value that is loaded, and replaced under a write lock.
pub(crate) trait Update<T> {
    fn load(&self) -> T;

    /// Replaces the value by the one that `change` returns, if it returns one; returns the old one.
    fn update(&self, change: impl FnOnce(&T) -> Option<T>) -> T;
}

macro_rules! atomic {
    ($($buffer:ident)*) => { $(
        impl<T: Remote> Atomic<T> for $buffer<T> {
            fn load(&self) -> T {
                Update::load(self)
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

impl<T: Remote> Update<T> for Locked<T> {
    fn load(&self) -> T {
        match self.slots.read(|slot| self.copy(slot)) {
            // SAFETY: `read` returns only a copy of a slot that was current all the while: a complete value.
            Some(value) => unsafe { value.assume_init() },
            None => self.update(|_| None),
        }
    }

    fn update(&self, change: impl FnOnce(&T) -> Option<T>) -> T {
        let writer = self.slots.write(writer(), is_gone);
        // SAFETY: the current slot holds the value that was published last, or the first one: a `T` that was stored
        // completely. Nobody writes to it while this image holds the write lock.
        let old = unsafe { self.copy(writer.current()).assume_init() };
        if let Some(new) = change(&old) {
            let spare = self.values[writer.spare()].get().cast::<T>();
            // SAFETY: the slot is aligned for `T` and, inside an `UnsafeCell` of `self`, valid for atomic writes: nobody else
            // writes to it while this image holds the write lock, and all read it through `direct`. A `Remote` type has no
            // padding.
            unsafe { direct::store(spare, &new) };
            writer.publish();
        }
        old
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
