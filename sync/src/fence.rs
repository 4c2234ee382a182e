//! Order and completion of what an image puts, without waiting for other images.

use std::panic::Location;
use std::sync::atomic::{self, Ordering};

use coarray_fabric::transport::pending::{Pending, is_complete_but};
use coarray_runtime::{Image, Team, num_images, quiet_and_fence};

/// Local. Orders this image's puts to `image`, an index in the current team, before its later puts to it:
/// an image that sees a later put sees all earlier ones.
///
/// Completes what was issued to `image` by asynchronous operations.
///
/// # Panics
/// On a thread that is not an image, or if there is no such image.
///
/// # Examples
/// ```
/// use coarray::image_fence;
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let (mut data, mut ready) = (Coarray::new([0; 100]), Coarray::new(0));
///     let (data, ready) = coarray::open((&mut data, &mut ready));
///     if this_image() == 0 {
///         data.at(1).put_from(&[7; 100]);
///         fence(1);
///         ready.at(1).as_atomic().store(1); // after the data
///     } else {
///         ready.here().as_atomic().wait_until(|ready| ready == 1);
///         image_fence();
///         assert_eq!(data.here().get(), [7; 100]);
///     }
/// });
/// ```
///
/// # Source
/// `shmem_fence`, OpenSHMEM 1.5 section 9.12, for one image.
#[inline]
#[track_caller]
pub fn fence(image: usize) {
    if image >= num_images() {
        Team::current().no_such_image(image);
    }
    if !is_complete_but(Pending::Signals) {
        order_puts(
            Team::current().members()[image] as usize,
            Location::caller(),
        );
    }
    // Orders the stores of direct puts. Pairs with an Acquire load or fence of an image that reads a later put.
    atomic::fence(Ordering::Release);
}

/// As [`complete_on`], for the program at this line.
#[cold]
#[inline(never)]
fn order_puts(image: usize, caller: &'static Location<'static>) {
    Image::with_current(|here| {
        here.fence(image);
        here.check_fence(Some(image), caller);
    });
}

/// Orders what was put to `image`, a number in the job, and completes what was issued to it.
#[cold]
#[inline(never)]
pub(crate) fn complete_on(image: usize) {
    Image::with_current(|here| here.fence(image));
}

/// Local. As [`fence`], by the number of the image in the job, which [`Coref::image`](coarray_coref::Coref::image) returns.
#[doc(hidden)]
#[inline]
pub fn fence_number(number: usize) {
    if !is_complete_but(Pending::Signals) {
        complete_on(number);
    }
    // As in `fence`; earlier loads of this image come before its later puts, too.
    atomic::fence(Ordering::Release);
}

/// Local. Completes all operations of this image, asynchronous ones included, on all images: its puts are
/// visible to all images before any later put.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[usize; 3]>::zeroed();
///     let x = x.open();
///     for image in 0..num_images() {
///         drop(x.at(image)[this_image()].put_async(1 + this_image())); // nobody waits for one
///     }
///     quiet(); // all of them are complete, on all images
///     assert_eq!(x.at(2)[this_image()].get(), 1 + this_image());
/// });
/// ```
///
/// # Source
/// `shmem_quiet`, OpenSHMEM 1.5 section 9.12.
#[inline]
#[track_caller]
pub fn quiet() {
    quiet_and_fence();
}
