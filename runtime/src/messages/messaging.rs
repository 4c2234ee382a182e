//! Active messages between images that share no memory.
//!
//! An image changes control structures only of images on its own node. For another node it sends a message to the owner
//! of the structure, which handles it when it polls: in every wait, and in every call of [`poll`](Image::poll). So only
//! processors of one node change a structure, whichever image asks. The handlers are in `dispatch.rs`.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::Network;
use crate::job::control::Failure;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::fabric::Message;
use coarray_fabric::transport::{handle, spare};

impl Image {
    /// Handles messages that have arrived. Costs next to nothing where all images share memory.
    #[inline]
    pub fn poll(&self) {
        if let Some(network) = &self.network {
            poll_network(self, network);
        }
    }

    /// As [`poll`](Self::poll), but only now and then: for operations that a program may repeat while it waits for
    /// other images.
    #[inline]
    pub fn poll_throttled(&self) {
        if let Some(network) = &self.network
            && handle::is_time_to_poll()
        {
            poll_network(self, network);
        }
    }
}

fn poll_network(image: &Image, network: &Network) {
    let mut are_there = false;
    while handle_one(image, network) {
        are_there = true;
    }
    handle::adapt_poll_interval(are_there);
}

/// Handles one message, if one has arrived: in a wait, which may be over then. Returns whether there was one.
pub(crate) fn poll_one(image: &Image) -> bool {
    let Some(network) = &image.network else {
        return false;
    };
    let is_there = handle_one(image, network);
    if is_there {
        handle::adapt_poll_interval(true);
    }
    is_there
}

fn handle_one(image: &Image, network: &Network) -> bool {
    if network.is_polling.replace(true) {
        return false;
    }
    // Wakers that run when operations are complete may panic.
    let _polling = Polling(&network.is_polling);
    // SAFETY: the message is handled.
    let message = unsafe { image.fabric().receive() };
    let is_there = message.is_some();
    if let Some(Message { from, bytes }) = message {
        // SAFETY: the fabric delivers what an image of this job has sent to this one, and only this crate sends messages.
        unsafe { (image.dispatch)(image, from, &bytes) };
        spare::keep(bytes);
    }
    is_there
}

/// That an image polls, until this is dropped.
struct Polling<'a>(&'a Cell<bool>);

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Publishes how many messages this image has handled. A sleeping image does so only when it has checked its own wait
/// since.
pub(crate) fn publish_traffic(image: &Image) {
    if let Some(network) = &image.network {
        let carried_out = network.dispatched.get();
        let traffic = &image.control(image.index).traffic;
        traffic.carried_out.store(carried_out, Ordering::Release);
    }
}

/// Sends a message to an image on another node.
pub(crate) fn send_message(here: &Image, image: usize, message: &Outgoing) {
    count_sent(here);
    send_uncounted(here, image, message);
}

fn count_sent(here: &Image) {
    let sent = &here.control(here.index).traffic.sent;
    sent.store(sent.load(Ordering::Relaxed) + 1, Ordering::Release);
}

/// Sends a message that can end no wait.
pub(crate) fn send_uncounted(here: &Image, image: usize, message: &Outgoing) {
    debug_assert!(!here.job.nodes.share(here.index, image));
    if here.is_over() {
        // An object that outlives the image, such as a coarray in a variable of the thread, has no receiver.
        return;
    }
    // SAFETY: this crate alone makes messages, for the structures at these places.
    unsafe { here.fabric().send(image, message.as_bytes()) };
}

/// Sends a message to all images on other nodes.
pub(crate) fn send_to_all(here: &Image, message: &Outgoing) {
    for image in 0..here.images {
        if !here.job.nodes.share(here.index, image) {
            send_message(here, image, message);
        }
    }
}

/// Sets bits of a word on another node.
pub(crate) fn send_or(image: &Image, place: Place, bits: u64) {
    let message = Outgoing::new(MessageKind::SetBits).words(&[place.offset as u64, bits]);
    send_message(image, place.image, &message);
}

/// The address of an offset in this image's own part.
pub(crate) fn own_address(image: &Image, offset: usize) -> *mut u8 {
    image.job.region.part_address(image.index, offset)
}

/// Announces to the other nodes that the job has ended.
pub(crate) fn broadcast_end(image: &Image, failure: &Failure) {
    let message = Outgoing::new(MessageKind::End)
        .words(&[failure.image as u64, u64::from(failure.code)])
        .bytes(failure.text.as_bytes());
    send_to_all(image, &message);
}
