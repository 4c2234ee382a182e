//! The ways bytes take to places that are not directly mapped, and the check of what arrives.
//!
//! What moves values is cold, so that programs call it where they would load and store otherwise, and inline, so that it is compiled
//! with the program: only there is the way of the thread found without a call, around which registers would be saved.

use std::any::type_name;
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::rc::Rc;

use coarray_fabric::{Buffer, Request, reach, reach_to_put};
use coarray_runtime::Image;

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::elements_in;

/// Gets `length` bytes from a place through the fabric.
///
/// # Safety
/// `target` is valid for writes of `length` bytes, and the place is that long.
#[cold]
#[inline]
pub(crate) unsafe fn fetch<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: *mut u8,
    length: usize,
) {
    let image = place.image();
    reach(image, place.local_address(), move |fabric, offset| {
        // SAFETY: the caller vouches for both sides; the place's owner holds no exclusive reference to it.
        unsafe { fabric.get(image, offset, target, length) }
    });
}

/// Puts `length` bytes to a place through the fabric.
///
/// # Safety
/// `source` is valid for reads of `length` bytes, and the place is that long.
#[cold]
#[inline]
pub(crate) unsafe fn send<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: *const u8,
    length: usize,
) {
    let image = place.image();
    reach_to_put(image, place.local_address(), move |fabric, offset| {
        // SAFETY: the caller vouches for both sides; the place's owner holds no reference to it.
        unsafe { fabric.put(image, offset, source, length) }
    });
}

/// An operation on its way, and the image that issued it.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) image: Rc<Image>,
    pub(crate) request: Request,
}

/// Begins to fill `target` from a place through the fabric.
///
/// # Safety
/// Memory that is lent stays valid until the operation is complete, and the place is as long.
#[cold]
#[inline(never)]
pub(crate) unsafe fn issue_get<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: Buffer,
) -> Issued {
    let image = Image::current();
    let offset = image.offset_of(place.image(), place.local_address());
    // SAFETY: the caller vouches for the memory. The place stays what it is until this image completes its
    // operations, as whoever made the coref promised.
    let request = unsafe { image.fabric().issue_get(place.image(), offset, target) };
    Issued { image, request }
}

/// Begins to put all of `source` to a place through the fabric.
///
/// # Safety
/// Memory that is lent stays valid until the operation is complete, and the place is as long.
#[cold]
#[inline(never)]
pub(crate) unsafe fn issue_put<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    source: Buffer,
) -> Issued {
    let image = Image::current();
    let offset = image.offset_of(place.image(), place.local_address());
    // SAFETY: as in `issue_get`.
    let request = unsafe { image.fabric().issue_put(place.image(), offset, source) };
    Issued { image, request }
}

/// Gets a value through the fabric, unchecked.
///
/// Returning it keeps the caller, who loads where it can, from giving the value an address.
#[cold]
#[inline]
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
#[inline]
pub(crate) fn send_value<T: Remote, A: MayPut>(place: &Coref<T, A>, value: T) {
    if size_of::<T>() == size_of::<u64>() {
        // SAFETY: the sizes are the same, and a remote type has no padding.
        let word = unsafe { mem::transmute_copy::<T, u64>(&value) };
        let image = place.image();
        return reach_to_put(image, place.local_address(), move |fabric, offset| {
            // SAFETY: the place is that long, and its owner holds no reference to it.
            unsafe { fabric.put_word(image, offset, word) }
        });
    }
    // SAFETY: the source is a value of our own.
    unsafe { send(place, ptr::from_ref(&value).cast(), size_of::<T>()) }
}

/// Takes bytes that arrived from `image` for a value, if they are one.
///
/// # Panics
/// If they are not.
///
/// # Safety
/// All bytes of the value are initialised.
#[doc(hidden)]
#[inline]
#[track_caller]
pub unsafe fn check_value<T: Remote>(value: MaybeUninit<T>, image: usize) -> T {
    // SAFETY: passed on.
    match unsafe { checked(value, image) } {
        Ok(value) => value,
        Err(torn) => torn.report(),
    }
}

/// As [`check_value`], for who reports the error later.
///
/// # Safety
/// As [`check_value`].
#[inline]
pub(crate) unsafe fn checked<T: Remote>(value: MaybeUninit<T>, image: usize) -> Result<T, Torn> {
    // SAFETY: an aligned value of our own, whose bytes are initialised, as the caller says.
    if !T::ANY_BITS && !unsafe { T::is_valid(value.as_ptr()) } {
        return Err(Torn {
            image,
            type_name: type_name::<T>(),
        });
    }
    // SAFETY: initialised, and just checked, or any bits are valid.
    Ok(unsafe { value.assume_init() })
}

/// Bytes that arrived and are no valid value.
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
