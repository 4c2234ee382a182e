//! The short way from the thread of an image to its fabric, for operations that cost little more than the way itself.

use std::cell::Cell;

use crate::fabric::Fabric;
use crate::image::{Image, no_image};
use crate::network;

/// What it takes to reach a place on any image.
#[derive(Clone, Copy, Debug)]
struct Way {
    fabric: *const dyn Fabric,
    /// Where this image sees the part of image 0.
    parts: usize,
    /// Bytes from one part to the next.
    stride: usize,
    /// Whether the image must look for messages now and then.
    has_mail: bool,
}

thread_local! {
    /// None on threads that are no image.
    static WAY: Cell<Option<Way>> = const { Cell::new(None) };
}

/// Opens the way to the fabric of this thread's image until [`close`], for which the image must stay.
pub(crate) fn open(image: &Image) {
    let region = &image.job.region;
    WAY.set(Some(Way {
        fabric: std::ptr::from_ref(image.fabric()),
        parts: region.part_address(0, 0).addr(),
        stride: region.dimensions().stride,
        has_mail: image.network.is_some(),
    }));
}

pub(crate) fn close() {
    WAY.set(None);
}

/// Calls `operate` with the fabric of this thread's image, and the offset in the part of `image` of the place that it sees at
/// `address`. Carries out what others have asked for now and then: a program may make many such operations while it waits
/// for what others do.
///
/// # Panics
/// On a thread that is not an image of a running job.
#[inline]
#[track_caller]
pub fn reach<R>(
    image: usize,
    address: usize,
    operate: impl FnOnce(&dyn Fabric, usize) -> R,
) -> R {
    let Some(way) = WAY.get() else { no_image() };
    if way.has_mail && network::is_time() {
        look_for_messages();
    }
    // SAFETY: the image keeps its fabric, and closes the way before it goes, on this thread.
    let fabric = unsafe { &*way.fabric };
    operate(fabric, address - way.parts - image * way.stride)
}

#[cold]
#[inline(never)]
fn look_for_messages() {
    Image::with_current(Image::poll);
}

/// Completes what the fabric of this thread's image has under way.
#[inline]
pub(crate) fn quiet() {
    if let Some(way) = WAY.get() {
        // SAFETY: as in `reach`.
        unsafe { &*way.fabric }.quiet();
    }
}
