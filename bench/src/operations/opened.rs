//! Coarrays that stay open from batch to batch.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

use coarray::places::Shape;
use coarray::{Coarray, Open, Remote};

/// An open coarray that owns itself, so that an action can keep it. Dropping it is collective.
pub struct Opened<T: ?Sized + Shape<Item: Remote> + 'static> {
    guard: ManuallyDrop<Open<'static, T>>,
    coarray: NonNull<Coarray<T>>,
}

impl<T: ?Sized + Shape<Item: Remote>> Opened<T> {
    /// Collective. Opens the coarray.
    pub fn new(coarray: Coarray<T>) -> Self {
        let coarray = NonNull::from(Box::leak(Box::new(coarray)));
        // SAFETY: the box is freed only after the guard is dropped, both by `drop`, and until then only the guard
        // refers to it.
        let guard = unsafe { &mut *coarray.as_ptr() }.open();
        Self {
            guard: ManuallyDrop::new(guard),
            coarray,
        }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Deref for Opened<T> {
    type Target = Open<'static, T>;

    fn deref(&self) -> &Open<'static, T> {
        &self.guard
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Drop for Opened<T> {
    fn drop(&mut self) {
        // SAFETY: the guard is dropped here only, and then nothing refers to the box, which `new` has leaked.
        unsafe {
            ManuallyDrop::drop(&mut self.guard);
            drop(Box::from_raw(self.coarray.as_ptr()));
        }
    }
}
