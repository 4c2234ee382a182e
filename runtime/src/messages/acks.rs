//! Unacknowledged active messages.
//!
//! Messages from one image to another arrive in the order in which they were sent, but messages to different images do
//! not: an image that hears from this one that it has come to a point may read what a third image has yet to change. So
//! the receiver of a message whose effect other images can see acknowledges it, and this image announces a point only
//! when all its messages are acknowledged.

use std::cell::Cell;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::MAX_POLL_INTERVAL;
use crate::messages::liveness::check_peers;
use crate::messages::liveness::is_time_to_check_peers;
use crate::messages::messaging::send_message;
use coarray_fabric::transport::pending::{Pending, note_pending};

/// Sends a message that the receiver acknowledges.
pub(crate) fn send_acked(here: &Image, image: usize, message: &Outgoing) {
    if let Some(network) = &here.network {
        network.unacked.set(network.unacked.get() + 1);
        // SAFETY: one more message is unacknowledged.
        unsafe { note_pending(Pending::Unacked, true) };
    }
    send_message(here, image, message);
}

/// Acknowledges a message to its sender.
pub(crate) fn acknowledge(here: &Image, image: usize) {
    send_message(here, image, &Outgoing::new(MessageKind::Acknowledgement));
}

/// Handles an acknowledgement.
pub(crate) fn note_acknowledged(unacked: &Cell<u64>) {
    unacked.set(unacked.get() - 1);
    // SAFETY: each message was counted when it was sent, and discounted when it was acknowledged.
    unsafe { note_pending(Pending::Unacked, unacked.get() > 0) };
}

/// Waits until all messages are acknowledged, or the job has ended.
pub(crate) fn await_acknowledgements(image: &Image) {
    let Some(network) = &image.network else {
        return;
    };
    let (since, mut yields) = (Cell::new(None), image.yields());
    while network.unacked.get() > 0 {
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
