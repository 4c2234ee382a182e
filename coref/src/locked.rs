//! The coatomic of a value for which there is no instruction.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;

use coarray_fabric::{Place, direct, may_span_nodes};
use coarray_runtime::{Image, locate, process_has_failed, process_image};

use crate::atomic_cell::AtomicCell;
use crate::fabric_slots::FabricSlots;
use crate::remote::Remote;
use crate::slots::Slots;

/// Any value with atomic operations, by a lock for those who change it. Those who read do not wait.
///
/// An image that is killed in the middle leaves a complete value, old or new, and others take its place.
#[doc(hidden)]
#[repr(C)]
pub struct Locked<T> {
    slots: Slots,
    /// The current one is always a complete value. All bytes of both are initialised.
    values: [UnsafeCell<MaybeUninit<T>>; 2],
}

// SAFETY: values travel between images anyway, and all accesses are ordered by `slots` or fit to race.
unsafe impl<T: Remote> Sync for Locked<T> {}

// SAFETY: a value and two numbers.
unsafe impl<T: Remote> Send for Locked<T> {}

/// Who writes, on a thread that cannot vanish while it does.
const IMMORTAL: u32 = u32::MAX;

/// The number under which this thread writes: that of its process, for which others can find out whether
/// it is still there.
fn writer() -> u32 {
    process_image().map_or(IMMORTAL, |image| image as u32 + 1)
}

/// Whether the writer will touch nothing any more. If the job has ended, the image unwinds, unless it does
/// so already.
fn is_gone(writer: u32) -> bool {
    if let Some(image) = Image::try_current().filter(|_| !std::thread::panicking()) {
        image.check_abort();
    }
    writer != IMMORTAL && process_has_failed(writer as usize - 1)
}

impl<T: Remote> Locked<T> {
    fn copy(&self, slot: usize) -> MaybeUninit<T> {
        // SAFETY: the slot is an aligned place of this cell, and only `update` writes it, through `direct`.
        unsafe { direct::load(self.values[slot].get().cast::<T>()) }
    }

    /// The value as the fabric reaches it, if that is how it is reached in this job.
    fn by_fabric<R>(&self, operate: impl FnOnce(&FabricSlots<'_, T>) -> R) -> Option<R> {
        if !may_span_nodes() {
            return None;
        }
        locate(self, |image, place| {
            let at = |offset| Place {
                offset: place.offset + offset,
                ..place
            };
            operate(&FabricSlots {
                image,
                version: at(offset_of!(Self, slots) + offset_of!(Slots, version)),
                writer: at(offset_of!(Self, slots) + offset_of!(Slots, writer)),
                values: at(offset_of!(Self, values)),
                value: PhantomData,
            })
        })
    }

    /// Replaces the value by what `change` makes of it, if anything; returns the old one.
    fn update(&self, change: impl Fn(&T) -> Option<T>) -> T {
        match self.by_fabric(|slots| slots.update(&change)) {
            Some(old) => old,
            None => self.update_here(change),
        }
    }

    fn update_here(&self, change: impl FnOnce(&T) -> Option<T>) -> T {
        let writer = self.slots.write(writer(), is_gone);
        // SAFETY: the current slot holds the value that was published last, or the first one: a `T` that
        // was stored completely. Nobody writes the slot while we hold the writer's place.
        let old = unsafe { self.copy(writer.current()).assume_init() };
        if let Some(new) = change(&old) {
            let spare = self.values[writer.spare()].get().cast::<T>();
            // SAFETY: the slot is an aligned place of this cell, read through `direct` only, and nobody
            // else writes it while we hold the writer's place; a `Remote` type has no padding.
            unsafe { direct::store(spare, &new) };
            writer.publish();
        }
        old
    }
}

/// Whether all bytes are the same.
fn same<T: Remote>(one: &T, other: &T) -> bool {
    // SAFETY: a `Remote` type has no padding, so all bytes of the value are initialised.
    let bytes = |value| unsafe {
        std::slice::from_raw_parts(ptr::from_ref::<T>(value).cast::<u8>(), size_of::<T>())
    };
    bytes(one) == bytes(other)
}

// SAFETY: plain bytes and atomic numbers without drop glue, pointers and handles. All accesses are atomic
// words or go through `direct`, and `slots` keeps those who change the value apart, across processes too; or all go
// through the fabric, and `FabricSlots` does so across nodes.
unsafe impl<T: Remote> AtomicCell<T> for Locked<T> {
    fn new(value: T) -> Self {
        const { T::CHECK };
        Self {
            slots: Slots::new(),
            values: [value, value].map(|value| UnsafeCell::new(MaybeUninit::new(value))),
        }
    }

    fn load(&self) -> T {
        if let Some(value) = self.by_fabric(|slots| slots.load()) {
            return value;
        }
        match self.slots.read(|slot| self.copy(slot)) {
            // SAFETY: `read` gives only what lay in a slot while that was current: a complete value.
            Some(value) => unsafe { value.assume_init() },
            None => self.update_here(|_| None),
        }
    }

    fn store(&self, value: T) {
        self.swap(value);
    }

    fn swap(&self, value: T) -> T {
        self.update(|_| Some(value))
    }

    fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        let old = self.update(|old| same(old, &current).then_some(new));
        if same(&old, &current) {
            Ok(old)
        } else {
            Err(old)
        }
    }
}
