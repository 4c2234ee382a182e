//! Unacknowledged active messages.
//!
//! Messages from one image to another arrive in the order in which they were sent, but messages to different images do
//! not: an image that hears from this one that it has come to a point may read what a third image has yet to change. So
//! the receiver of a message whose effect other images can see acknowledges it, and this image announces a point only
//! when all its messages are acknowledged. Only posts of events may overtake each other, so that an image that computes
//! does not delay all that post to it.
//!
//! Posts are acknowledged on demand: an image that is about to announce a point asks each image that it has posted to
//! since, once. The request arrives after the posts, so its acknowledgement is one of them all, and a stream of posts
//! costs one message each. Other messages are few, and the next post needs their acknowledgements: these come unasked.

use std::cell::Cell;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::network::{MAX_POLL_INTERVAL, Network};
use crate::messages::liveness::check_peers;
use crate::messages::liveness::is_time_to_check_peers;
use crate::messages::messaging::{send_message, send_signal};
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::pending::{Pending, note_pending};

impl Image {
    /// Posts an event on another node: adds to its eventcount.
    ///
    /// # Safety
    /// At `place` is the eventcount of an event, which stays until this image enters the next barrier with the images
    /// that may drop it.
    pub unsafe fn send_post(&self, place: Place) {
        note_post(self, place.image);
        send_message(self, place.image, &post(place));
    }

    /// As [`send_post`](Self::send_post), after all earlier puts of this image to that image have taken effect. Completes
    /// nothing on other images.
    ///
    /// # Safety
    /// As [`send_post`](Self::send_post).
    pub unsafe fn send_post_after_puts(&self, place: Place) {
        note_post(self, place.image);
        send_signal(self, place.image, &post(place));
    }
}

fn post(place: Place) -> Outgoing {
    Outgoing::new(MessageKind::PostEvent).word(place.offset as u64)
}

fn note_post(here: &Image, image: usize) {
    if let Some(network) = &here.network {
        network.unacked.note_post(image);
        // SAFETY: the post is not acknowledged.
        unsafe { note_pending(Pending::Posts, true) };
    }
}

/// Sends a message that the receiver acknowledges unasked.
pub(crate) fn send_acked(here: &Image, image: usize, message: &Outgoing) {
    if let Some(network) = &here.network {
        let count = &network.unacked.others;
        count.set(count.get() + 1);
        // SAFETY: one more message is unacknowledged.
        unsafe { note_pending(Pending::Unacked, true) };
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
    let Some(Network { unacked, .. }) = &image.network else {
        return;
    };
    let (pending, count) = if pending == Pending::Posts as u64 {
        (Pending::Posts, &unacked.requests)
    } else {
        (Pending::Unacked, &unacked.others)
    };
    count.set(count.get() - 1);
    let is_pending = match pending {
        Pending::Posts => unacked.has_posts(),
        _ => count.get() > 0,
    };
    // SAFETY: each message and request was counted when it was sent, and discounted when it was acknowledged; posts that no
    // request has followed are noted, too.
    unsafe { note_pending(pending, is_pending) };
}

/// Asks for the acknowledgements of all posts so far.
fn request_acknowledgements(here: &Image, network: &Network) {
    let targets = network.unacked.take_targets();
    let requests = &network.unacked.requests;
    requests.set(requests.get() + targets.len() as u64);
    for image in targets {
        send_message(here, image, &Outgoing::new(MessageKind::AcknowledgePosts));
    }
}

/// Waits until all messages of a kind are acknowledged, or the job has ended.
pub(crate) fn await_acknowledgements(image: &Image, pending: Pending) {
    let Some(network) = &image.network else {
        return;
    };
    let count = match pending {
        Pending::Posts => {
            request_acknowledgements(image, network);
            &network.unacked.requests
        }
        _ => &network.unacked.others,
    };
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::lockfree::eventcount::Eventcount;
    use crate::messages::messaging::own_address;
    use crate::messages::quiet::quiet;
    use crate::testing::run;
    use coarray_fabric::transport::pending::{has_outstanding, is_complete};

    /// Runs `body` on images of a node each, with the count that image 1 sees and its place for the others. The images go on
    /// together at the barrier, without a message.
    fn with_count(images: usize, body: impl Fn(&Image, &Eventcount, Place, &Barrier) + Sync) {
        let barrier = Barrier::new(images);
        run(images, images, || {
            Image::with_current(|image| {
                // A count of `sync_images`, which nobody calls here.
                let count = image.job.region.pair(1, 0);
                let own = Place {
                    image: 1,
                    offset: 0,
                };
                let place = image.remote_place(count).unwrap_or(own);
                body(image, count, place, &barrier);
            });
        });
    }

    #[test]
    fn a_stream_of_posts_is_acknowledged_once_and_on_demand() {
        const POSTS: u64 = 100;
        with_count(3, |image, count, place, barrier| {
            let sent = || image.control(image.index).traffic.sent();
            let before = sent();
            barrier.wait();
            match image.index {
                0 => {
                    // SAFETY: it is an eventcount, which stays until the end of the job.
                    (0..POSTS).for_each(|_| unsafe { image.send_post(place) });
                    assert_eq!(sent() - before, POSTS);
                    quiet();
                    assert!(is_complete());
                    assert_eq!(sent() - before, POSTS + 1);
                    quiet();
                    assert_eq!(sent() - before, POSTS + 1);
                }
                1 => {
                    while count.count() < POSTS || sent() == before {
                        image.poll();
                    }
                    assert_eq!((count.count(), sent() - before), (POSTS, 1));
                }
                _ => assert_eq!(sent(), before),
            }
            barrier.wait();
        });
    }

    #[test]
    fn a_signal_follows_the_puts_to_its_image_and_leaves_others_in_flight() {
        with_count(3, |image, count, place, barrier| {
            let scratch = image.job.region.scratch_offset();
            barrier.wait();
            if image.index == 0 {
                for (round, to) in [(1, 1), (2, 2), (3, 1), (4, 2), (5, 1)] {
                    // SAFETY: the place is scratch memory, which no collective operation uses meanwhile.
                    unsafe { image.fabric().put_word(to, scratch + 8 * to, round) };
                }
                // SAFETY: it is an eventcount, which stays until the end of the job.
                unsafe { image.send_post_after_puts(place) };
                assert!(has_outstanding(), "the puts to image 2");
            } else if image.index == 1 {
                while count.count() == 0 {
                    image.poll();
                }
                let word = own_address(image, scratch + 8).cast::<u64>();
                // SAFETY: as above; nobody puts to it any more.
                assert_eq!(unsafe { word.read_volatile() }, 5);
            }
            barrier.wait();
        });
    }
}
