//! The short handle from the thread of an image to its fabric, for operations that cost little more than the handle itself.

use std::cell::Cell;
use std::ptr::NonNull;

use crate::transport::fabric::Fabric;

/// An image looks for messages after so many operations while there are some, a power of two.
const OFTEN: u32 = 32;

/// An image that has found no messages for long looks for them after so many operations, a power of two.
const SELDOM: u32 = 512;

/// An image that need not look for messages does so nevertheless.
const NEVER: u32 = 1 << 31;

/// What it takes to reach a place on any image.
#[derive(Debug)]
struct FabricHandle {
    /// None on threads that are no image.
    fabric: Cell<Option<NonNull<dyn Fabric>>>,
    /// Where this image sees the part of image 0.
    parts: Cell<usize>,
    /// Bytes from one part to the next.
    stride: Cell<usize>,
    /// Bytes of all parts; none on threads that are no image.
    length: Cell<usize>,
    /// After how many operations the image looks for messages.
    interval: Cell<u32>,
    /// How many operations have asked whether it is time for that.
    operations: Cell<u32>,
    /// Looks for messages.
    poll: Cell<fn()>,
    /// Whether the image reaches memory of others by load and store.
    has_neighbours: Cell<bool>,
    /// The fabric, while there is something to complete and its `quiet` is all that it takes.
    completer: Cell<Option<NonNull<dyn Fabric>>>,
}

thread_local! {
    static HANDLE: FabricHandle = const {
        FabricHandle {
            fabric: Cell::new(None),
            parts: Cell::new(0),
            stride: Cell::new(0),
            length: Cell::new(0),
            interval: Cell::new(NEVER),
            operations: Cell::new(0),
            poll: Cell::new(|| ()),
            has_neighbours: Cell::new(false),
            completer: Cell::new(None),
        }
    };
}

/// The handle of this thread, looked up once: in a library each look-up counts as a call, around which registers are saved.
///
/// For the calling function only, which is over before the thread is.
#[inline(always)]
fn handle<'a>() -> &'a FabricHandle {
    let handle = HANDLE.with(std::ptr::from_ref);
    // SAFETY: the value is part of the thread, and nothing is dropped with it.
    unsafe { &*handle }
}

/// What there is to know of the handle of one image.
pub struct HandleState<'a> {
    /// What reaches other images.
    pub fabric: &'a (dyn Fabric + 'static),
    /// Where this image sees the part of image 0.
    pub parts: usize,
    /// Bytes from one part to the next.
    pub stride: usize,
    /// How many images the job has.
    pub images: usize,
    /// Whether the image reaches memory of others by load and store.
    pub has_neighbours: bool,
    /// Looks for messages of the image of the calling thread, if it can have any.
    pub poll: Option<fn()>,
}

/// Installs the handle to the fabric of this thread's image, until [`remove`].
///
/// # Safety
/// The fabric stays until then, and the parts are mapped at these addresses. The thread is an image, and is over no earlier.
pub unsafe fn install(state: &HandleState<'_>) {
    let handle = handle();
    handle.parts.set(state.parts);
    handle.stride.set(state.stride);
    handle.length.set(state.images * state.stride);
    handle.interval.set(state.poll.map_or(NEVER, |_| OFTEN));
    handle.poll.set(state.poll.unwrap_or(|| ()));
    handle.has_neighbours.set(state.has_neighbours);
    handle.fabric.set(Some(NonNull::from(state.fabric)));
}

/// Closes the handle of this thread.
///
/// # Safety
/// No operation of the image is in progress, and it begins none from now on.
pub unsafe fn remove() {
    let handle = handle();
    handle.completer.set(None);
    handle.fabric.set(None);
    handle.length.set(0);
}

/// Whether something is in the memory that this thread's image shares with the others of its job.
#[inline]
#[must_use]
pub fn is_in_job<T>(thing: &T) -> bool {
    let handle = handle();
    let distance = std::ptr::from_ref(thing)
        .addr()
        .wrapping_sub(handle.parts.get());
    distance < handle.length.get()
}

impl FabricHandle {
    /// For one operation only: the image closes the handle on this thread before it goes.
    #[inline(always)]
    #[track_caller]
    fn fabric(&self) -> &dyn Fabric {
        match self.fabric.get() {
            // SAFETY: the image keeps its fabric, and closes the handle before it goes, which it does not during an operation.
            Some(fabric) => unsafe { fabric.as_ref() },
            None => no_image(),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn reach<R>(
        &self,
        image: usize,
        address: usize,
        operate: impl FnOnce(&dyn Fabric, usize) -> R,
    ) -> R {
        let offset = address - self.parts.get() - image * self.stride.get();
        operate(self.fabric(), offset)
    }

    /// Counts an operation; true if the image is to look for messages before it.
    #[inline(always)]
    fn is_time_to_poll(&self) -> bool {
        let operations = self.operations.get().wrapping_add(1);
        self.operations.set(operations);
        operations & (self.interval.get() - 1) == 0
    }
}

/// Calls `operate` with the fabric of this thread's image, and the offset in the part of `image` of the place that it sees at
/// `address`. Carries out what others have asked for now and then: a program may make many such operations while it waits
/// for what others do.
///
/// # Panics
/// On a thread that is not an image of a running job.
#[inline]
#[track_caller]
pub fn reach<R>(image: usize, address: usize, operate: impl FnOnce(&dyn Fabric, usize) -> R) -> R {
    let handle = handle();
    if handle.is_time_to_poll() {
        return poll_and_reach(image, address, operate);
    }
    handle.reach(image, address, operate)
}

/// As [`reach`], for a put: nobody waits by putting, so it does not look for messages.
///
/// # Panics
/// On a thread that is not an image of a running job.
#[inline]
#[track_caller]
pub fn reach_to_put<R>(
    image: usize,
    address: usize,
    operate: impl FnOnce(&dyn Fabric, usize) -> R,
) -> R {
    handle().reach(image, address, operate)
}

/// Last in [`reach`], so that what most operations do needs no registers but those of the call.
#[cold]
#[inline(never)]
#[track_caller]
fn poll_and_reach<R>(
    image: usize,
    address: usize,
    operate: impl FnOnce(&dyn Fabric, usize) -> R,
) -> R {
    let handle = handle();
    handle.poll.get()();
    handle.reach(image, address, operate)
}

/// Counts an operation; true if the image is to look for messages before it.
#[inline]
pub fn is_time_to_poll() -> bool {
    handle().is_time_to_poll()
}

/// An image that finds messages looks for more of them soon, as others may wait for what they ask for.
pub fn adapt_poll_interval(are_there: bool) {
    let interval = &handle().interval;
    interval.set(match interval.get() {
        _ if are_there => OFTEN,
        interval => SELDOM.min(2 * interval),
    });
}

/// To be told whether operations of the fabric are all that is not complete.
///
/// Who has neighbours needs a fence as well, by which these see what it stores.
#[inline]
pub(crate) fn note_only_issued(is_so: bool) {
    let handle = handle();
    let is_enough = is_so && !handle.has_neighbours.get();
    let completer = if is_enough { handle.fabric.get() } else { None };
    handle.completer.set(completer);
}

/// Completes what is not complete, if the fabric of this thread's image does that alone, and no fence is needed. Returns
/// false, and does nothing, if there is more to do, or nothing.
#[inline(always)]
pub fn quiet_fabric_only() -> bool {
    match handle().completer.get() {
        Some(fabric) => {
            // SAFETY: the image keeps its fabric, and closes the handle before it goes, which it does not during an operation.
            unsafe { fabric.as_ref() }.quiet();
            true
        }
        None => false,
    }
}

/// Panics: an operation of images was called on a thread that is none.
#[cold]
#[track_caller]
pub fn no_image() -> ! {
    panic!(
        "this thread is not an image: start a program with #[coarray::main], a test with #[coarray::test], or use coarray::run; \
         threads that an image spawns are not images"
    )
}
