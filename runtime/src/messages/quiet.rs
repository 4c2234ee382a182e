//! Completing everything that an image has issued: operations of its fabric, and active messages.

use std::sync::atomic::{Ordering, fence};

use crate::image::Image;
use crate::image::position::num_images;
use crate::profile::recorder::Recording;
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
    if handle::quiet_fabric_only() {
        return;
    }
    // Panics on a thread that is not an image.
    let _ = num_images();
    complete_pending();
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

#[cold]
#[inline(never)]
fn complete_all(also_signals: bool) {
    Image::with_current(|image| {
        let _wait = image.recording().map(Recording::begin_completion);
        if has_outstanding() {
            image.fabric().quiet();
        }
        image.give_notices(|_| true);
        if also_signals && is_pending(Pending::Signals) {
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
