//! The ways bytes take to places that are not directly mapped, and the check of what arrives.

use std::mem::MaybeUninit;
use std::ptr;

use coarray_fabric::Image;

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::elements_in;

/// Gets `length` bytes from a place through the fabric.
///
/// # Safety
/// `target` is valid for writes of `length` bytes, and the place is that long.
#[cold]
#[inline(never)]
pub(crate) unsafe fn fetch<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: *mut u8,
    length: usize,
) {
    let image = Image::current();
    let offset = place.local_address() - image.heap(place.image()).addr();
    // SAFETY: the caller vouches for both sides; the place's owner holds no exclusive reference to it.
    unsafe { image.fabric().get(place.image(), offset, target, length) }
}

/// Puts `length` bytes to a place through the fabric.
///
/// # Safety
/// `source` is valid for reads of `length` bytes, and the place is that long.
#[cold]
#[inline(never)]
pub(crate) unsafe fn send<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: *const u8,
    length: usize,
) {
    let image = Image::current();
    let offset = place.local_address() - image.heap(place.image()).addr();
    // SAFETY: the caller vouches for both sides; the place's owner holds no reference to it.
    unsafe { image.fabric().put(place.image(), offset, source, length) }
}

/// Gets a value through the fabric, unchecked.
///
/// Returning it keeps the caller, who loads where it can, from giving the value an address.
#[cold]
#[inline(never)]
pub(crate) fn fetch_value<T: Remote, A: Access>(place: &Coref<T, A>) -> MaybeUninit<T> {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the target is `size_of::<T>()` bytes of our own.
    unsafe { fetch(place, value.as_mut_ptr().cast(), size_of::<T>()) };
    value
}

/// Puts a value through the fabric.
///
/// Taking it by value keeps the caller, who stores where it can, from giving the value an address.
#[cold]
#[inline(never)]
pub(crate) fn send_value<T: Remote, A: MayPut>(place: &Coref<T, A>, value: T) {
    // SAFETY: the source is a value of our own.
    unsafe { send(place, ptr::from_ref(&value).cast(), size_of::<T>()) }
}

/// Takes bytes that arrived from `image` for a value, if they are one.
///
/// # Panics
/// If they are not.
#[doc(hidden)]
#[inline]
#[track_caller]
pub fn check_value<T: Remote>(value: MaybeUninit<T>, image: usize) -> T {
    // SAFETY: the bytes were copied from a place without padding, so they are initialised.
    if !T::ANY_BITS && !unsafe { T::is_valid(value.as_ptr()) } {
        torn::<T>(image);
    }
    // SAFETY: just checked, or any bits are valid.
    unsafe { value.assume_init() }
}

/// Whether `count` elements at `elements` are valid, all at once.
///
/// # Safety
/// They are aligned and initialised, and nobody writes to them.
#[doc(hidden)]
#[must_use]
pub unsafe fn bytes_are_valid<T: Remote>(items: *const T, count: usize) -> bool {
    let elements = items.cast::<T::Element>();
    // SAFETY: items are whole numbers of elements.
    T::ANY_BITS
        || (0..count * elements_in::<T>())
            .all(|index| unsafe { T::Element::is_valid(elements.add(index)) })
}

#[cold]
#[inline(never)]
#[track_caller]
fn torn<T>(image: usize) -> ! {
    panic!(
        "got bytes from image {image} that are no valid `{}`: images wrote to this place at the same time; \
         separate their puts by sync_all or give each its own place",
        std::any::type_name::<T>()
    )
}
