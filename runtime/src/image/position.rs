//! Thread-local copies of an image's index, the number of images, and the range of its heap, so that reading them costs
//! one load.

use std::cell::Cell;
use std::ops::Range;

use coarray_fabric::transport::handle::no_image;

thread_local! {
    /// Index in the current team, and the number of its images; zeros on threads that are no image.
    static POSITION: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Address and length of this image's heap; zeros on threads that are no image.
    static OWN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Local. The index in the current team of the image that executes this, from 0 to `num_images() - 1`.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Source
/// *Coarray C++* section 2; Fortran `this_image()`, which counts from 1.
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{num_images, this_image};
///
/// let shares = run(4, || {
///     // Images deal out the numbers below 10 like arrivals.
///     (this_image()..10).step_by(num_images()).collect::<Vec<_>>()
/// });
/// assert_eq!(shares, [vec![0, 4, 8], vec![1, 5, 9], vec![2, 6], vec![3, 7]]);
/// ```
#[inline]
#[must_use]
#[track_caller]
pub fn this_image() -> usize {
    let (image, images) = POSITION.get();
    if images == 0 {
        no_image();
    }
    image
}

/// Local. The number of images of the current team: at first, of the job.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Source
/// *Coarray C++* section 2; Fortran `num_images()`.
///
/// # Examples
/// See [`this_image`].
#[inline]
#[must_use]
#[track_caller]
pub fn num_images() -> usize {
    let (_, images) = POSITION.get();
    if images == 0 {
        no_image();
    }
    images
}

/// Whether `thing` lies in the heap of the calling image.
#[inline]
#[must_use]
pub fn is_own<T: ?Sized>(thing: &T) -> bool {
    is_own_address(std::ptr::from_ref(thing).cast::<u8>().addr())
}

/// Whether an address lies in the heap of the calling image.
#[inline]
#[must_use]
pub fn is_own_address(address: usize) -> bool {
    let (start, bytes) = OWN.get();
    address.wrapping_sub(start) < bytes
}

/// Sets the index in the current team and its number of images; 0 images on a thread that is no image.
pub(crate) fn set_position(index: usize, images: usize) {
    POSITION.set((index, images));
}

/// Sets the range of the calling image's heap; empty on a thread that is no image.
pub(crate) fn set_own_heap(heap: Range<usize>) {
    OWN.set((heap.start, heap.len()));
}
