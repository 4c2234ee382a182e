//! Whether an image has issued operations that may not be complete.

use std::cell::Cell;
use std::sync::atomic::{Ordering, fence};

use crate::image::{Image, num_images};
use crate::way;

thread_local! {
    static PENDING: Cell<u8> = const { Cell::new(0) };
}

/// What may not be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Pending {
    /// Operations of the fabric.
    Issued = 1,
    /// What other images were told to do, other than to post events.
    Told = 2,
    /// Posts of events on other nodes.
    Posts = 4,
}

/// Whether the image of this thread has issued operations that may not be complete.
#[inline]
#[must_use]
pub fn has_issued() -> bool {
    is_pending(Pending::Issued)
}

/// Whether all that the image of this thread has issued, and told others to do, is complete.
#[inline]
pub(crate) fn is_complete() -> bool {
    PENDING.get() == 0
}

#[inline]
fn is_pending(pending: Pending) -> bool {
    PENDING.get() & pending as u8 != 0
}

/// To be told by the image's fabric whenever it changes.
#[cold]
#[inline(never)]
pub(crate) fn note_issued(has_issued: bool) {
    note_pending(Pending::Issued, has_issued);
}

#[inline]
pub(crate) fn note_pending(pending: Pending, is_pending: bool) {
    let others = PENDING.get() & !(pending as u8);
    let now = others | if is_pending { pending as u8 } else { 0 };
    PENDING.set(now);
    way::note_only_issued(now == Pending::Issued as u8);
}

/// Completes what the image of this thread has issued and not waited for, and told others to do. Whatever tells other
/// images that this one has come to some point does this first; it costs next to nothing if there is nothing to complete.
#[inline]
pub fn complete() {
    if !way::complete_by_fabric() {
        complete_whatever_is_pending();
    }
}

/// As [`complete`]; and all that the image has written is visible before what it reads and writes later.
///
/// # Panics
/// On a thread that is not an image of a running job.
#[inline]
#[track_caller]
pub fn complete_and_fence() {
    if way::complete_by_fabric() {
        return;
    }
    // Who is no image hears about it here.
    let _ = num_images();
    complete_whatever_is_pending();
    fence(Ordering::SeqCst);
}

#[inline]
fn complete_whatever_is_pending() {
    if PENDING.get() != 0 {
        complete_all(&[Pending::Told, Pending::Posts]);
    }
}

/// As [`complete`], but for posts, which may overtake each other.
#[inline]
pub fn complete_but_posts() {
    if PENDING.get() & !(Pending::Posts as u8) != 0 {
        complete_all(&[Pending::Told]);
    }
}

#[cold]
#[inline(never)]
fn complete_all(told: &[Pending]) {
    Image::with_current(|image| {
        if has_issued() {
            image.fabric().quiet();
        }
        for &pending in told {
            if is_pending(pending) {
                image.await_acknowledgements(pending);
            }
        }
    });
}
