//! Unacknowledged active messages.
//!
//! Messages from one image to another arrive in the order in which they were sent, but messages to different images do
//! not: an image that hears from this one that it has come to a point may read what a third image has yet to change. So
//! the receiver of a message whose effect other images can see acknowledges it, and this image announces a point only
//! when all its messages are acknowledged. Only posts of events may overtake each other, so that an image that computes
//! does not delay all that post to it.

use std::cell::Cell;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::MAX_POLL_INTERVAL;
use crate::messages::liveness::check_peers;
use crate::messages::liveness::is_time_to_check_peers;
use crate::messages::messaging::send_message;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::pending::{Pending, note_pending};

impl Image {
    /// Posts an event on another node: adds to its eventcount.
    ///
    /// # Safety
    /// At `place` is the eventcount of an event, which stays until this image enters the next barrier with the images
    /// that may drop it.
    pub unsafe fn send_post(&self, place: Place) {
        let message = Outgoing::new(MessageKind::PostEvent).word(place.offset as u64);
        send_acked(self, place.image, &message, Pending::Posts);
    }
}

/// Sends a message that the receiver acknowledges.
pub(crate) fn send_acked(here: &Image, image: usize, message: &Outgoing, pending: Pending) {
    if let Some(network) = &here.network {
        let count = network.unacked.count(pending);
        count.set(count.get() + 1);
        // SAFETY: one more message is unacknowledged.
        unsafe { note_pending(pending, true) };
    }
    send_message(here, image, message);
}

/// Acknowledges a message to its sender.
pub(crate) fn acknowledge(here: &Image, image: usize, pending: Pending) {
    let message = Outgoing::new(MessageKind::Acknowledgement).word(pending as u64);
    send_message(here, image, &message);
}

/// Handles an acknowledgement.
pub(crate) fn note_acknowledged(image: &Image, pending: u64) {
    let Some(network) = &image.network else {
        return;
    };
    let pending = if pending == Pending::Posts as u64 {
        Pending::Posts
    } else {
        Pending::Unacked
    };
    let count = network.unacked.count(pending);
    count.set(count.get() - 1);
    // SAFETY: each message of this kind was counted when it was sent, and discounted when it was acknowledged.
    unsafe { note_pending(pending, count.get() > 0) };
}

/// Waits until all messages of a kind are acknowledged, or the job has ended.
pub(crate) fn await_acknowledgements(image: &Image, pending: Pending) {
    let Some(network) = &image.network else {
        return;
    };
    let count = network.unacked.count(pending);
    if count.get() == 0 {
        return;
    }
    let (since, mut yields) = (Cell::new(None), image.yields());
    while count.get() > 0 {
        image.poll();
        // Then the receivers may be gone. The image unwinds at its next wait.
        if image.has_ended() {
            return;
        }
        if is_time_to_check_peers(image) {
            check_peers(image, &since, None);
        }
        if yields == 0 {
            std::thread::sleep(MAX_POLL_INTERVAL);
        } else if image.yield_core() {
            yields -= 1;
        } else {
            yields = 0;
        }
    }
}
