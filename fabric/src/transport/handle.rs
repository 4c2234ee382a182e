//! The handle of an image's thread to its fabric: thread-local, so that a put need not find the `Image` first.
//!
//! [`install`] sets it when the thread becomes an image, [`remove`] clears it. In between [`reach`] turns an address into an offset and calls
//! the fabric. Every 32 to 512 operations it also polls for active messages, because a program may call it in a loop while it waits
//! for another image.

use std::cell::Cell;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use crate::transport::fabric::Fabric;
use crate::transport::site::{Purpose, Stage, purpose};

/// Operations between two polls while messages arrive; a power of two.
const OFTEN: u32 = 32;

/// Operations between two polls after many polls that found nothing; a power of two.
const SELDOM: u32 = 512;

/// A poll interval that is effectively never: for images that get no messages.
const NEVER: u32 = 1 << 31;

/// What a thread needs to reach a place on any image.
#[derive(Debug)]
struct FabricHandle {
    /// `None` on threads that are no image.
    fabric: Cell<Option<NonNull<dyn Fabric>>>,
    /// Where this image sees the part of image 0.
    parts: Cell<usize>,
    /// Bytes from one part to the next.
    stride: Cell<usize>,
    /// Bytes of all parts; 0 on threads that are no image.
    length: Cell<usize>,
    /// Operations between two polls.
    interval: Cell<u32>,
    /// Operations so far.
    operations: Cell<u32>,
    /// Handles the messages that have arrived.
    poll: Cell<fn()>,
    /// Whether the image reaches memory of others by load and store.
    has_neighbours: Cell<bool>,
    /// Its number if it does not; else no image's.
    alone: Cell<usize>,
    /// The fabric, while operations are outstanding and its `quiet` alone completes them.
    completer: Cell<Option<NonNull<dyn Fabric>>>,
    /// How many functions this thread is in whose accesses may race.
    racy: Cell<u32>,
    /// In these it accesses words in memory, past the fabric, until this is set.
    observes_racy: Cell<Option<NonNull<AtomicBool>>>,
    /// The line of the program whose operation uses the fabric, and how far that is: for tools that observe it.
    site: Cell<Option<&'static Location<'static>>>,
    stage: Cell<Stage>,
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
            alone: Cell::new(usize::MAX),
            completer: Cell::new(None),
            racy: Cell::new(0),
            observes_racy: Cell::new(None),
            site: Cell::new(None),
            stage: Cell::new(Stage::GoesOn),
        }
    };
}

/// The handle of this thread. Call it once in a function: in a library the compiler takes each access to a thread-local for a call, and
/// saves registers around it.
///
/// The reference is for the calling function only, which returns before the thread ends.
#[inline(always)]
fn handle<'a>() -> &'a FabricHandle {
    let handle = HANDLE.with(std::ptr::from_ref);
    // SAFETY: `HANDLE` is initialised by a constant and has no destructor, so it is valid for as long as the thread runs, and the caller
    // runs on this thread. It is never borrowed mutably: all fields are cells.
    unsafe { &*handle }
}

/// The contents of a handle, for [`install`].
pub struct HandleState<'a> {
    /// Its number.
    pub image: usize,
    /// The fabric of the image.
    pub fabric: &'a (dyn Fabric + 'static),
    /// Where this image sees the part of image 0.
    pub parts: usize,
    /// Bytes from one part to the next.
    pub stride: usize,
    /// How many images the job has.
    pub images: usize,
    /// Whether the image reaches memory of others by load and store.
    pub has_neighbours: bool,
    /// Handles messages to the image of the calling thread; `None` if it gets none.
    pub poll: Option<fn()>,
    /// Until this is set, words are accessed in memory, past the fabric, where accesses may race. `None` if they never are.
    pub observes_racy: Option<&'a AtomicBool>,
}

/// Installs the handle to the fabric of this thread's image, until [`remove`].
///
/// # Safety
/// Until then what is referred to is not dropped or moved, and the parts stay mapped at these addresses, all of them if words may be accessed past
/// the fabric. The thread is an image until then.
pub unsafe fn install(state: &HandleState<'_>) {
    let handle = handle();
    handle.parts.set(state.parts);
    handle.stride.set(state.stride);
    handle.length.set(state.images * state.stride);
    handle.interval.set(state.poll.map_or(NEVER, |_| OFTEN));
    handle.poll.set(state.poll.unwrap_or(|| ()));
    handle.has_neighbours.set(state.has_neighbours);
    let alone = (!state.has_neighbours).then_some(state.image);
    handle.alone.set(alone.unwrap_or(usize::MAX));
    handle
        .observes_racy
        .set(state.observes_racy.map(NonNull::from));
    handle.fabric.set(Some(NonNull::from(state.fabric)));
}

/// Clears the handle of this thread.
///
/// # Safety
/// No operation of the image is in progress, and it begins none from now on.
pub unsafe fn remove() {
    let handle = handle();
    handle.completer.set(None);
    handle.observes_racy.set(None);
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
    /// For one operation only: the image removes the handle before it drops the fabric.
    #[inline(always)]
    #[track_caller]
    fn fabric(&self) -> &dyn Fabric {
        match self.fabric.get() {
            // SAFETY: `install` was promised that the fabric is not dropped before `remove`, which is not called during an operation.
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
        self.begin(Location::caller(), Stage::New);
        let offset = address - self.parts.get() - image * self.stride.get();
        operate(self.fabric(), offset)
    }

    #[inline(always)]
    fn begin(&self, caller: &'static Location<'static>, stage: Stage) {
        self.site.set(Some(caller));
        self.stage.set(stage);
    }

    /// Counts an operation; true if the image is to poll before it.
    #[inline(always)]
    fn is_time_to_poll(&self) -> bool {
        let operations = self.operations.get().wrapping_add(1);
        self.operations.set(operations);
        operations & (self.interval.get() - 1) == 0
    }
}

/// Calls `operate` with the fabric of this thread's image, and with the offset in the part of `image` of the place that this image sees at
/// `address`. Polls for messages now and then: a program may call this in a loop while it waits for another image.
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

/// As [`reach`], for a put. It does not poll: no program waits by putting.
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

/// The offset in the part of `image` of what this image sees at `address`, if few instructions tell that the fabric alone reaches it. `None` says nothing.
#[inline(always)]
#[must_use]
pub fn offset_elsewhere(image: usize, address: usize) -> Option<usize> {
    let handle = handle();
    let distance = address.wrapping_sub(handle.parts.get());
    let offset = distance.wrapping_sub(image.wrapping_mul(handle.stride.get()));
    let alone = handle.alone.get();
    // No place is in the job of a thread that is no image.
    let is_there = distance < handle.length.get() && offset < handle.stride.get();
    (is_there && alone != usize::MAX && alone != image).then_some(offset)
}

/// Notes that an operation of the program at `caller` begins, which goes on while the image computes: for what observes the fabric.
#[inline]
pub fn note_issue(caller: &'static Location<'static>) {
    handle().begin(caller, Stage::InFlight);
}

/// For which line of the program this thread uses the fabric, and how far its operation is, which goes on then. An observer calls it in an operation
/// that [`reach`] has begun, or [`note_issue`].
#[inline]
#[must_use]
pub fn take_site() -> (Option<Purpose>, Stage) {
    let handle = handle();
    let (caller, notifies) = (handle.site.get(), false);
    let at = caller.map(|_| Purpose { caller, notifies });
    (purpose().or(at), handle.stage.replace(Stage::GoesOn))
}

/// Whether this thread uses the fabric for this line, which has called a function itself. The operation goes on then, as after [`take_site`].
#[inline(always)]
#[must_use]
pub fn is_just_for(line: &'static Location<'static>) -> bool {
    let handle = handle();
    let is_so = purpose().is_none()
        && handle
            .site
            .get()
            .is_some_and(|site| std::ptr::eq(site, line));
    if is_so {
        handle.stage.set(Stage::GoesOn);
    }
    is_so
}

/// Counts functions of this thread whose accesses may race: by 1 or -1.
#[inline(always)]
pub fn change_racy(by: i32) {
    let racy = &handle().racy;
    racy.set(racy.get().wrapping_add_signed(by));
}

/// Whether this thread's accesses may race.
#[inline(always)]
#[must_use]
pub fn is_racy() -> bool {
    handle().racy.get() > 0
}

/// Whether this thread accesses words in memory, past the fabric. All places of its job are mapped then. After a get it asks again: if not, the word may be one
/// that the fabric is to see.
#[inline(always)]
#[must_use]
pub fn is_past_fabric() -> bool {
    let handle = handle();
    if handle.racy.get() == 0 {
        return false;
    }
    match handle.observes_racy.get() {
        // SAFETY: `install` was promised that it is not dropped before `remove`.
        Some(observes) => !is_set(unsafe { observes.as_ref() }),
        None => false,
    }
}

/// Sets what says that accesses that may race are observed from now on, before a word is put by which others may notice that.
pub fn observe_racy(observes: &AtomicBool) {
    if !observes.load(Ordering::Relaxed) {
        observes.store(true, Ordering::Relaxed);
    }
    // Release pairs with the Acquire of `is_set`, by a word that is put from now on.
    fence(Ordering::Release);
}

/// Whether it [was set](observe_racy) before a word was put that the caller has got.
#[inline(always)]
#[must_use]
pub fn is_set(observes: &AtomicBool) -> bool {
    // Acquire pairs with the Release of `observe_racy`, by the word that was got.
    fence(Ordering::Acquire);
    observes.load(Ordering::Relaxed)
}

/// The cold path of [`reach`], as a tail call, so that the hot path needs no prologue.
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

/// Counts an operation; true if the image is to poll before it.
#[inline]
#[must_use]
pub fn is_time_to_poll() -> bool {
    handle().is_time_to_poll()
}

/// Sets the poll interval after a poll: short if it found messages, whose senders may wait; else twice the last one.
pub fn adapt_poll_interval(found: bool) {
    let interval = &handle().interval;
    interval.set(match interval.get() {
        _ if found => OFTEN,
        interval => SELDOM.min(2 * interval),
    });
}

/// Notes whether operations of the fabric are all that is outstanding.
///
/// An image with local peers also needs a processor fence for its stores, so for it `quiet` of the fabric alone is never enough.
#[inline]
pub(crate) fn note_only_issued(is_so: bool) {
    let handle = handle();
    let is_enough = is_so && !handle.has_neighbours.get();
    let completer = if is_enough { handle.fabric.get() } else { None };
    handle.completer.set(completer);
}

/// Calls `quiet` of the fabric, if that alone completes everything outstanding. Otherwise does nothing and returns false; also if
/// nothing is outstanding.
#[inline(always)]
pub fn quiet_fabric_only() -> bool {
    match handle().completer.get() {
        Some(fabric) => {
            // SAFETY: `install` was promised that the fabric is not dropped before `remove`, which clears `completer` as well.
            unsafe { fabric.as_ref() }.quiet();
            true
        }
        None => false,
    }
}

/// Panics on non-image threads, with a message that says how threads become images.
#[cold]
#[track_caller]
pub fn no_image() -> ! {
    panic!(
        "this thread is not an image: start a program with #[coarray::main], a test with #[coarray::test], or use coarray::run; \
         threads that an image spawns are not images"
    )
}
