//! Gets and puts of places that are not directly mapped, by the fabric; and the check of the bytes that arrive.
//!
//! The functions that move values are both cold and inline. Cold: the program's loop calls them only where it cannot load or
//! store. Inline: they are compiled with the program, where the thread-local handle of the fabric is read without a call.

use std::any::type_name;
use std::mem::{self, MaybeUninit};
use std::panic::Location;
use std::ptr;
use std::rc::Rc;

use coarray_fabric::{Buffer, Request, direct, is_past_fabric, reach, reach_to_put};
use coarray_runtime::Image;

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::elements_in;

/// Gets `length` bytes from a place through the fabric.
///
/// # Safety
/// `target` is valid for writes of `length` bytes, and the place is at least that long.
#[cold]
#[inline]
#[track_caller]
pub(crate) unsafe fn fetch<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: *mut u8,
    length: usize,
) {
    let image = place.image();
    reach(image, place.local_address(), move |fabric, offset| {
        // SAFETY: the caller vouches that `target` is valid for writes of `length` bytes and that the place is that long. Its
        // owner holds no exclusive reference to it, as the contract of `Coref::new` says.
        unsafe { fabric.get(image, offset, target, length) }
    });
}

/// Puts `length` bytes to a place through the fabric.
///
/// # Safety
/// `source` is valid for reads of `length` bytes, and the place is at least that long.
#[cold]
#[inline]
#[track_caller]
pub(crate) unsafe fn send<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: *const u8,
    length: usize,
) {
    let image = place.image();
    reach_to_put(image, place.local_address(), move |fabric, offset| {
        // SAFETY: the caller vouches that `source` is valid for reads of `length` bytes and that the place is that long. Its
        // owner holds no reference to it, as the contract of `Coref::new` says.
        unsafe { fabric.put(image, offset, source, length) }
    });
}

/// An operation in flight, and the image that issued it.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) image: Rc<Image>,
    pub(crate) request: Request,
}

/// Begins to fill `target` from a place through the fabric.
///
/// # Safety
/// The place is as long as the buffer. If the buffer is lent, its memory stays valid until the operation is complete.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn issue_get<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: Buffer,
) -> Issued {
    let image = Image::current();
    let offset = image.offset_of(place.image(), place.local_address());
    let fabric = image.fabric_for(Location::caller());
    // SAFETY: the caller vouches that lent memory stays valid until the operation is complete, and that the place is as long.
    // The contract of `Coref::new`: until this image has completed its operations, the owner holds no exclusive reference.
    let request = unsafe { fabric.issue_get(place.image(), offset, target) };
    Issued { image, request }
}

/// Begins to put all of `source` to a place through the fabric.
///
/// # Safety
/// The place is as long as the buffer. If the buffer is lent, its memory stays valid until the operation is complete.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn issue_put<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: Buffer,
) -> Issued {
    let image = Image::current();
    let offset = image.offset_of(place.image(), place.local_address());
    let fabric = image.fabric_for(Location::caller());
    // SAFETY: the caller vouches that lent memory stays valid until the operation is complete, and that the place is as long.
    // The contract of `Coref::new`: until this image has completed its operations, the owner holds no reference.
    let request = unsafe { fabric.issue_put(place.image(), offset, source) };
    Issued { image, request }
}

/// Gets a value through the fabric, unchecked.
///
/// Returns it by value, so that the caller, which loads direct places, need not give the value an address.
#[cold]
#[inline]
#[track_caller]
pub(crate) fn fetch_value<T: Remote, A: Access>(place: &Coref<T, A>) -> MaybeUninit<T> {
    if is_past_fabric() {
        // SAFETY: aligned for `T`, mapped as all places of the job are then, and allocated; nobody holds an exclusive reference to it,
        // as the contract of `Coref::new` says.
        let value = unsafe { direct::load(ptr::with_exposed_provenance(place.local_address())) };
        if is_past_fabric() {
            return value;
        }
    }
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: `value` is valid for writes of `size_of::<T>()` bytes, and the place of a `T` is that long.
    unsafe { fetch(place, value.as_mut_ptr().cast(), size_of::<T>()) };
    value
}

/// Puts a value through the fabric.
///
/// Takes it by value, so that the caller, which stores to direct places, need not give the value an address.
#[cold]
#[inline]
#[track_caller]
pub(crate) fn send_value<T: Remote, A: MayPut>(place: &Coref<T, A>, value: T) {
    if is_past_fabric() {
        let place = ptr::with_exposed_provenance_mut::<T>(place.local_address());
        // SAFETY: as in `fetch_value`; a `Remote` type has no padding.
        return unsafe { direct::store(place, &value) };
    }
    if size_of::<T>() == size_of::<u64>() {
        // SAFETY: `T` has the size of `u64` and no padding, and any initialised bytes are a `u64`.
        let word = unsafe { mem::transmute_copy::<T, u64>(&value) };
        let image = place.image();
        return reach_to_put(image, place.local_address(), move |fabric, offset| {
            // SAFETY: the place of a `T` is as long as a word, and its owner holds no reference to it, as the contract of
            // `Coref::new` says.
            unsafe { fabric.put_word(image, offset, word) }
        });
    }
    // SAFETY: `value` is valid for reads of `size_of::<T>()` bytes, and the place of a `T` is that long.
    unsafe { send(place, ptr::from_ref(&value).cast(), size_of::<T>()) }
}

/// The value that bytes from `image` are.
///
/// # Panics
/// If they are no valid value.
///
/// # Safety
/// All bytes of the value are initialised.
#[doc(hidden)]
#[inline]
#[track_caller]
pub unsafe fn check_value<T: Remote>(value: MaybeUninit<T>, image: usize) -> T {
    // SAFETY: the caller vouches that all bytes are initialised.
    match unsafe { checked(value, image) } {
        Ok(value) => value,
        Err(torn) => torn.report(),
    }
}

/// As [`check_value`], but returns the error.
///
/// # Errors
/// If the bytes are no valid value.
///
/// # Safety
/// As [`check_value`].
#[inline]
pub(crate) unsafe fn checked<T: Remote>(value: MaybeUninit<T>, image: usize) -> Result<T, Torn> {
    // SAFETY: `value` is aligned and valid for reads; the caller vouches that all its bytes are initialised.
    if !T::ANY_BITS && !unsafe { T::is_valid(value.as_ptr()) } {
        return Err(Torn {
            image,
            type_name: type_name::<T>(),
        });
    }
    // SAFETY: the caller vouches that all bytes are initialised; they are a valid `T`, as any bytes are or as just checked.
    Ok(unsafe { value.assume_init() })
}

/// Bytes from another image that are no valid value: a race of several puts has torn it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Torn {
    image: usize,
    type_name: &'static str,
}

impl Torn {
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn report(self) -> ! {
        let Self { image, type_name } = self;
        panic!(
            "got bytes from image {image} that are no valid `{type_name}`: images wrote to this place at the same \
             time; separate their puts by sync_all or give each its own place"
        )
    }
}

/// Whether the `count` items at `items` are all valid.
///
/// # Safety
/// They are aligned and initialised, and nobody writes to them.
#[doc(hidden)]
#[must_use]
pub unsafe fn bytes_are_valid<T: Remote>(items: *const T, count: usize) -> bool {
    let elements = items.cast::<T::Element>();
    // SAFETY: the caller vouches for the items: aligned, initialised, and not written meanwhile. Each is `elements_in` elements,
    // so the index stays within them.
    T::ANY_BITS
        || (0..count * elements_in::<T>())
            .all(|index| unsafe { T::Element::is_valid(elements.add(index)) })
}
