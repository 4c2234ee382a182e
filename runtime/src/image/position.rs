//! What a thread knows of the image that it is: its index, the number of images, and its own memory. Reading it costs a load.

use std::cell::Cell;
use std::ops::Range;

use coarray_fabric::transport::handle::no_image;

thread_local! {
    /// Index of this image in the current team, and how many images that has; none outside of a job.
    static POSITION: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Where this image's heap begins, and how many bytes it has; none outside of a job.
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

/// Whether something lies in the heap of the image that this thread is.
#[inline]
#[must_use]
pub fn is_own<T: ?Sized>(thing: &T) -> bool {
    let (start, bytes) = OWN.get();
    let address = std::ptr::from_ref(thing).cast::<u8>().addr();
    address.wrapping_sub(start) < bytes
}

/// Notes which image of how many of the current team this thread is; none if there are none.
pub(crate) fn set_position(index: usize, images: usize) {
    POSITION.set((index, images));
}

/// Notes where the heap of the image that this thread is lies; empty if it is none.
pub(crate) fn set_own(heap: Range<usize>) {
    OWN.set((heap.start, heap.len()));
}
