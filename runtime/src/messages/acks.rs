//! Unacknowledged active messages.
//!
//! Messages from one image to another arrive in the order in which they were sent, but messages to different images do
//! not: an image that hears from this one that it has come to a point may read what a third image has yet to change. So
//! the receiver of a message whose effect other images can see acknowledges it, and this image announces a point only
//! when all its messages are acknowledged.

use std::cell::Cell;

use crate::image::Image;
use crate::image::message::Outgoing;
use crate::image::network::MAX_POLL_INTERVAL;
use crate::messages::liveness::check_peers;
use crate::messages::liveness::is_time_to_check_peers;
use crate::messages::messaging::send_message;
use coarray_fabric::transport::pending::{Pending, note_pending};

/// Sends a message that the receiver acknowledges.
pub(crate) fn send_acked(here: &Image, image: usize, message: &Outgoing) {
    if let Some(network) = &here.network {
        network.sent_acked.set(network.sent_acked.get() + 1);
        // SAFETY: one more message is unacknowledged.
        unsafe { note_pending(Pending::Unacked, true) };
    }
    send_message(here, image, message);
}

/// Acknowledges a message to its sender, by a signal: it need not handle anything.
pub(crate) fn acknowledge(here: &Image, image: usize) {
    if let Some(place) = here.remote_place(&here.control(image).acks) {
        // SAFETY: the word is aligned, in the control structures of that image, which stay until the end of the job, and only this
        // changes it.
        unsafe { here.fabric().signal(place.image, place.offset, 1) };
    }
}

/// Waits until all messages are acknowledged, or the job has ended.
pub(crate) fn await_acknowledgements(image: &Image) {
    let Some(network) = &image.network else {
        return;
    };
    let acks = &image.control(image.index).acks;
    let (since, mut yields) = (Cell::new(None), image.yields());
    while acks.sum() < network.sent_acked.get() {
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
    // SAFETY: each message is acknowledged once.
    unsafe { note_pending(Pending::Unacked, false) };
}
