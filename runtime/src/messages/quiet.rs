//! Completing everything that an image has issued: operations of its fabric, and active messages.

use std::panic::Location;
use std::sync::atomic::{Ordering, fence};

use crate::image::Image;
use crate::image::checking::Posted;
use crate::image::position::num_images;
use crate::profile::activity::Activity;
use crate::profile::recorder::Recording;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::deferral::Deferral;
use coarray_fabric::transport::handle;
use coarray_fabric::transport::pending::{
    Pending, has_outstanding, is_complete, is_complete_but, is_pending,
};

/// Completes what the image of this thread has issued: operations and active messages. Every operation that announces a
/// point to other images does this first. It costs next to nothing if nothing is outstanding.
#[inline]
pub fn quiet() {
    if !handle::quiet_fabric_only() {
        complete_pending();
    }
}

/// As [`quiet`], and orders everything that the image has written before what it reads and writes later.
///
/// # Panics
/// On a thread that is not an image of a running job.
#[inline]
#[track_caller]
pub fn quiet_and_fence() {
    // Never of a job that is checked.
    if handle::quiet_fabric_only() {
        return;
    }
    // Panics on a thread that is not an image.
    let _ = num_images();
    if !is_complete() {
        complete_all(true);
        note_fence(Location::caller());
    }
    fence(Ordering::SeqCst);
}

#[inline]
fn complete_pending() {
    if !is_complete() {
        complete_all(true);
    }
}

/// As [`quiet`], but without signals: posts of events may overtake each other, and an image that computes does not delay
/// those that post to it.
#[inline]
pub fn quiet_except_signals() {
    if !is_complete_but(Pending::Signals) {
        complete_all(false);
    }
}

/// Notes in a job that is checked that the program has completed all.
#[cold]
#[inline(never)]
fn note_fence(caller: &'static Location<'static>) {
    Image::with_current(|image| image.check_fence(None, caller));
}

/// As [`quiet_except_signals`], when the event at this place is about to be posted, which timelines show.
#[inline]
#[track_caller]
pub fn quiet_before_post(event: impl FnOnce(&Image) -> Option<Place>) {
    if !is_complete_but(Pending::Signals) {
        complete_all(false);
        note_post(event, Posted::All, Location::caller());
    }
}

/// Notes in a job that is traced or checked that the event at this place is about to be posted, and what that announces.
#[cold]
#[inline(never)]
pub fn note_post(
    event: impl FnOnce(&Image) -> Option<Place>,
    posted: Posted,
    caller: &'static Location<'static>,
) {
    // The image may be over, and a destructor of the thread posts.
    if let Some(image) = Image::try_current() {
        let event = event(&image);
        image.note_release(Activity::Post, event);
        image.check_post(event, posted, caller);
    }
}

#[cold]
#[inline(never)]
fn complete_all(also_signals: bool) {
    // An image that notes what it tells others comes here with nothing to complete.
    let has_signals = || also_signals && is_pending(Pending::Signals);
    if !(has_signals() || has_outstanding() || is_pending(Pending::Notices)) {
        return;
    }
    Image::with_current(|image| {
        let _wait = image.recording().map(Recording::begin_completion);
        if has_outstanding() {
            image.fabric().quiet();
        }
        image.give_notices(|_| true);
        // Perhaps of these notices.
        if has_signals() {
            image.fabric().quiet_signals();
        }
    });
}

/// Local. Completes what the image has issued, and runs the wakers that this makes due, before the following operation
/// begins. No waker runs until the deferral is dropped.
#[inline]
pub fn quiet_and_defer() -> Deferral {
    quiet();
    Deferral::new()
}
