//! What images do for each other that share no memory.
//!
//! An image changes control structures only of images on its own node. For another node it sends a message to the
//! image whose structure it is, which carries it out when it comes by: in every wait, and whenever it calls for it. So a
//! structure is changed by processors of one node only, whoever asks for it. What a message has its receiver do is in
//! `dispatch.rs`.

use std::sync::atomic::Ordering;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::Network;
use crate::job::control::{Failure, Stage};
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::handle;

impl Image {
    /// Carries out what others have asked for. Costs next to nothing where all images share memory.
    #[inline]
    pub fn poll(&self) {
        if let Some(network) = &self.network {
            poll_network(self, network);
        }
    }

    /// As [`poll`](Self::poll), but only now and then: for operations of which a program may make many while it waits
    /// for what others do.
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
    if network.is_polling.replace(true) {
        return;
    }
    let mut are_there = false;
    // SAFETY: what the message asks for is carried out.
    while let Some(message) = unsafe { image.fabric().receive() } {
        are_there = true;
        (image.dispatch)(image, message.from, &message.bytes);
    }
    handle::adapt_poll_interval(are_there);
    network.is_polling.set(false);
}

/// Lets others see how many messages this image has carried out. An image that sleeps says so only when it
/// has looked at what it waits for since.
pub(crate) fn publish_traffic(image: &Image) {
    if let Some(network) = &image.network {
        let carried_out = network.dispatched.get();
        let traffic = &image.control(image.index).traffic;
        traffic.carried_out.store(carried_out, Ordering::Release);
    }
}

/// Sends a message to an image on another node.
pub(crate) fn send_message(here: &Image, image: usize, message: &Outgoing) {
    let sent = &here.control(here.index).traffic.sent;
    sent.store(sent.load(Ordering::Relaxed) + 1, Ordering::Release);
    send_uncounted(here, image, message);
}

/// Sends a message that can wake nobody.
pub(crate) fn send_uncounted(here: &Image, image: usize, message: &Outgoing) {
    debug_assert!(!here.job.nodes.share(here.index, image));
    if here.is_over() {
        // Whoever outlives the image, such as a coarray in a variable of the thread, has nobody to tell.
        return;
    }
    // SAFETY: letters are made in this crate only, for what the structures at that place need.
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

/// Has a eventcount on another node raised to `count`.
pub(crate) fn send_advance(image: &Image, place: Place, count: u64) {
    let message = Outgoing::new(MessageKind::Advance).words(&[place.offset as u64, count]);
    send_message(image, place.image, &message);
}

/// Has bits of a word on another node set.
pub(crate) fn send_or(image: &Image, place: Place, bits: u64) {
    let message = Outgoing::new(MessageKind::SetBits).words(&[place.offset as u64, bits]);
    send_message(image, place.image, &message);
}

/// Where this image's own part has that offset.
pub(crate) fn own_address(image: &Image, offset: usize) -> *mut u8 {
    image.job.region.part_address(image.index, offset)
}

/// Sets the stage of this image, for others to see.
pub(crate) fn announce_stage(image: &Image, stage: Stage) {
    image.control(image.index).set_stage(stage);
    if image.network.is_some() {
        send_to_all(image, &Outgoing::new(MessageKind::Stage).word(stage as u64));
    }
}

/// Tells the other nodes that the job has ended.
pub(crate) fn broadcast_end(image: &Image, failure: &Failure) {
    let message = Outgoing::new(MessageKind::End)
        .words(&[failure.image as u64, u64::from(failure.code)])
        .bytes(failure.text.as_bytes());
    send_to_all(image, &message);
}
