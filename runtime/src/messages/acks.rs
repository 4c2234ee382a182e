//! What an image has told others to do, and does not know to be done.
//!
//! Messages of one image to another arrive in the order in which they were sent, but those to different ones do not: who hears
//! from this image that it has come to some point may look at what a third was told before. So this image says that
//! it has come to a point only when all that it told before is done: whoever is told to do something that others may see
//! acknowledges it. Posts of events alone may overtake each other, lest an image that computes delays all who post to it.

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
    /// Posts an event on another node: adds to its eventcount there.
    ///
    /// # Safety
    /// At the place is the eventcount of an event, which stays until this image next meets those who may drop it.
    pub unsafe fn send_post(&self, place: Place) {
        let message = Outgoing::new(MessageKind::PostEvent).word(place.offset as u64);
        send_acked(self, place.image, &message, Pending::Posts);
    }
}

/// Sends a message that is to be acknowledged.
pub(crate) fn send_acked(here: &Image, image: usize, message: &Outgoing, pending: Pending) {
    if let Some(network) = &here.network {
        let count = network.unacked.count(pending);
        count.set(count.get() + 1);
        // SAFETY: one message is not acknowledged.
        unsafe { note_pending(pending, true) };
    }
    send_message(here, image, message);
}

/// Tells another image that its message has been carried out.
pub(crate) fn acknowledge(here: &Image, image: usize, pending: Pending) {
    let message = Outgoing::new(MessageKind::Acknowledgement).word(pending as u64);
    send_message(here, image, &message);
}

/// Notes that a message has been carried out.
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
    // SAFETY: each message of the kind that was sent has been counted, and each answer discounted.
    unsafe { note_pending(pending, count.get() > 0) };
}

/// Waits until all messages of a kind have been carried out, or the job has ended.
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
        // Then the others may be gone. The image unwinds when it next waits for something that matters.
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
