//! The short way from the thread of an image to its fabric, for operations that cost little more than the way itself.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use crate::fabric::Fabric;
use crate::image::{Image, no_image};

/// An image looks for messages after so many operations while there are some, a power of two.
const OFTEN: u32 = 32;

/// An image that has found no messages for long looks for them after so many operations, a power of two.
const SELDOM: u32 = 512;

/// An image that need not look for messages does so nevertheless.
const NEVER: u32 = 1 << 31;

thread_local! {
    /// None on threads that are no image.
    static FABRIC: Cell<Option<NonNull<dyn Fabric>>> = const { Cell::new(None) };
    /// Where this image sees the part of image 0.
    static PARTS: Cell<usize> = const { Cell::new(0) };
    /// Bytes from one part to the next.
    static STRIDE: Cell<usize> = const { Cell::new(0) };
    /// After how many operations the image looks for messages.
    static INTERVAL: Cell<u32> = const { Cell::new(NEVER) };
    /// How many operations have asked whether it is time for that.
    static OPERATIONS: Cell<u32> = const { Cell::new(0) };
    /// Whether the image reaches memory of others by load and store.
    static HAS_NEIGHBOURS: Cell<bool> = const { Cell::new(false) };
}

/// Opens the way to the fabric of this thread's image until [`close`], for which the image must stay.
pub(crate) fn open(image: &Image) {
    let region = &image.job.region;
    let mut others = (0..image.images).filter(|&other| other != image.index);
    let shares = others.any(|other| image.job.nodes.share(image.index, other));
    let has_mail = image.network.is_some();
    PARTS.set(region.part_address(0, 0).addr());
    STRIDE.set(region.dimensions().stride);
    INTERVAL.set(if has_mail { OFTEN } else { NEVER });
    HAS_NEIGHBOURS.set(shares);
    FABRIC.set(Some(NonNull::from_ref(image.fabric())));
}

pub(crate) fn close() {
    FABRIC.set(None);
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
    if is_time_to_look() {
        return reach_later(image, address, operate);
    }
    reach_now(image, address, operate)
}

/// Last in [`reach`], so that what most operations do needs no registers but those of the call.
#[cold]
#[inline(never)]
#[track_caller]
fn reach_later<R>(
    image: usize,
    address: usize,
    operate: impl FnOnce(&dyn Fabric, usize) -> R,
) -> R {
    Image::with_current(Image::poll);
    reach_now(image, address, operate)
}

#[inline(always)]
#[track_caller]
fn reach_now<R>(
    image: usize,
    address: usize,
    operate: impl FnOnce(&dyn Fabric, usize) -> R,
) -> R {
    let offset = address - PARTS.get() - image * STRIDE.get();
    operate(fabric(), offset)
}

/// For this call only: the image closes the way on this thread before it goes.
#[inline(always)]
#[track_caller]
fn fabric<'a>() -> &'a dyn Fabric {
    match FABRIC.get() {
        // SAFETY: the image keeps its fabric, and closes the way before it goes, which it does not during an operation.
        Some(fabric) => unsafe { fabric.as_ref() },
        None => no_image(),
    }
}

/// Counts an operation; true if the image is to look for messages before it.
#[inline]
pub(crate) fn is_time_to_look() -> bool {
    let operations = OPERATIONS.get().wrapping_add(1);
    OPERATIONS.set(operations);
    operations & (INTERVAL.get() - 1) == 0
}

/// An image that finds messages looks for more of them soon, as others may wait for what they ask for.
pub(crate) fn note_messages(are_there: bool) {
    INTERVAL.set(match INTERVAL.get() {
        _ if are_there => OFTEN,
        interval => SELDOM.min(2 * interval),
    });
}

/// Completes what the fabric of this thread's image has under way.
#[inline]
pub(crate) fn complete() {
    fabric().quiet();
}

/// As [`complete`]; and what the image stores in memory that it shares is visible before what it loads from there later.
#[inline]
pub(crate) fn complete_and_fence() {
    fabric().quiet();
    if HAS_NEIGHBOURS.get() {
        fence(Ordering::SeqCst);
    }
}
