//! Steps of images on other nodes, and their data.
//!
//! An image that waits for a step of an image on another node *subscribes* to it, by a message with its own signature.
//! The other image answers as soon as it has come to the step, or is in another operation, with its step and its
//! signature. A short piece of data comes with the answer; a longer one, and everything that is read after a barrier,
//! is fetched.
//!
//! An image waits for one step at a time, and answers carry the number of its subscription.

use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::call::Call;
use crate::collective::steps::compare_steps;
use crate::collective::steps::wait_for_step;
use crate::collective::steps::{Abandoned, STEP_BITS, StepsBegun};
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::network::Network;
use crate::image::subscriptions::{StepReport, Subscription, Subscriptions};
use crate::image::team::Team;
use crate::job::control::Steps;
use crate::job::control::TeamControl;
use crate::messages::messaging::own_address;
use crate::messages::messaging::send_message;

/// A piece of up to this many bytes comes with the answer.
const SHORT: usize = 512;

impl Team {
    /// Whether the image with this index shares memory with this one, which can then read its
    /// [`scratch`](Self::scratch) space. If not, that address only names a place.
    #[inline]
    #[must_use]
    pub fn is_local(&self, index: usize) -> bool {
        self.node_map().is_none() || is_on_this_node(self, index)
    }

    /// Fetches bytes of the scratch space of the image with index `from`, which is on another node.
    ///
    /// # Safety
    /// That image wrote the bytes before a barrier or step of this team that this image has passed or waited for, and
    /// does not write them again before the next barrier. `target` is valid for writes of as many bytes.
    #[cold]
    pub unsafe fn fetch(&self, from: usize, bytes: Range<usize>, target: *mut u8) {
        if bytes.is_empty() {
            return;
        }
        let member = self.members()[from] as usize;
        let offset = self.scratch_offset() + bytes.start;
        // SAFETY: the bytes lie in the scratch space of that image, which does not write them now: the caller vouches
        // for that.
        unsafe {
            let fabric = self.image().fabric();
            fabric.get(member, offset, target, bytes.len());
        }
    }

    /// As [`await_step`](Self::await_step) and then [`fetch`](Self::fetch), for an image on another node.
    ///
    /// # Errors
    /// As [`await_step`](Self::await_step).
    ///
    /// # Safety
    /// If that image is in the same call, it has written the bytes when it comes to the step, and does not write them
    /// again before the next barrier. `target` is valid for writes of as many bytes.
    #[cold]
    pub unsafe fn fetch_piece(
        &self,
        from: usize,
        begun: StepsBegun,
        step: usize,
        call: &Call,
        bytes: Range<usize>,
        target: *mut u8,
    ) -> Result<(), Abandoned> {
        let image = self.image();
        let Some(Network { subscriptions, .. }) = &image.network else {
            unreachable!("an image on another node is reached through a network")
        };
        let number = subscriptions.made.get() + 1;
        subscriptions.made.set(number);
        let count = begun.count(step as u64);
        let is_short = bytes.len() <= SHORT;
        let length = if is_short { bytes.len() } else { 0 };
        let offset = self.scratch_offset() + bytes.start;
        let message = Outgoing::new(MessageKind::Subscribe)
            .words(&[number, self.identity().0, count])
            .words(&begun.signature())
            .words(&[offset as u64, length as u64]);
        send_message(image, self.members()[from] as usize, &message);
        let answered = &subscriptions.answered;
        wait_for_step(self, answered, number, from, begun, call)?;
        let answer = subscriptions.answer.take();
        compare_steps(self, from, begun, count, answer.count, answer.signature)?;
        if is_short {
            assert_eq!(
                answer.bytes.len(),
                length,
                "all images run the same program"
            );
            // SAFETY: the caller vouches that `target` is valid for writes of this length.
            unsafe { ptr::copy_nonoverlapping(answer.bytes.as_ptr(), target, length) };
        } else {
            // SAFETY: the image has come to the step, so the bytes are written; the caller vouches for the rest.
            unsafe { self.fetch(from, bytes, target) };
        }
        Ok(())
    }
}

#[cold]
fn is_on_this_node(team: &Team, index: usize) -> bool {
    let (image, member) = (team.image(), team.members()[index] as usize);
    image.job.nodes.share(image.index, member)
}

/// Handles a subscription: another image waits for a step of this one.
pub(crate) fn handle_subscription(
    image: &Image,
    network: &Network,
    subscriber: usize,
    mut reader: Reader<'_>,
) {
    let [number, control, count] = reader.words();
    let subscription = Subscription {
        subscriber,
        number,
        control: control as usize,
        count,
        signature: reader.words(),
        offset: reader.size(),
        length: reader.size(),
    };
    if !answer_subscription(image, &subscription) {
        let mut waiting = network.subscriptions.waiting.borrow_mut();
        waiting.push(subscription);
    }
}

/// Answers the subscriptions whose steps this image has come to.
#[cold]
pub(crate) fn answer_subscribers(image: &Image) {
    image.poll();
    if let Some(network) = &image.network {
        let mut waiting = network.subscriptions.waiting.borrow_mut();
        waiting.retain(|subscription| !answer_subscription(image, subscription));
    }
}

/// Answers a subscription, if the step has come or cannot come.
fn answer_subscription(image: &Image, subscription: &Subscription) -> bool {
    let steps = own_steps(image, subscription.control);
    let (turn, begun, count) = (
        subscription.count >> STEP_BITS,
        steps.begun.count(),
        steps.count.count(),
    );
    let signature = steps.signature.read();
    let agrees = begun == turn && signature == subscription.signature;
    let has_come = count >= subscription.count;
    // This image has not begun the epoch, and may still enter the same operation.
    if begun < turn || agrees && !has_come {
        return false;
    }
    let message = Outgoing::new(MessageKind::StepAnswer)
        .words(&[subscription.number, count])
        .words(&signature)
        .bytes(if agrees {
            requested_bytes(image, subscription)
        } else {
            &[]
        });
    send_message(image, subscription.subscriber, &message);
    true
}

fn own_steps(image: &Image, control: usize) -> &Steps {
    let place = own_address(image, control + offset_of!(TeamControl, steps));
    // SAFETY: the subscriber is in an epoch of the team whose structures are at this offset of each member's part. They
    // were made before any image got the team, and are not used for anything else before all have dropped it. All
    // fields are atomics.
    unsafe { &*place.cast::<Steps>() }
}

/// The bytes that come with the answer.
fn requested_bytes<'a>(image: &'a Image, subscription: &Subscription) -> &'a [u8] {
    let start = own_address(image, subscription.offset);
    // SAFETY: both images are in the same epoch of the same call. This image has come to the step, before which it
    // wrote these bytes, as the subscriber vouches. It writes there again only in the epoch after the next.
    unsafe { std::slice::from_raw_parts(start, subscription.length) }
}

/// Handles the answer to the subscription of this image.
pub(crate) fn handle_step_answer(_image: &Image, network: &Network, mut reader: Reader<'_>) {
    let Subscriptions {
        answered, answer, ..
    } = &network.subscriptions;
    let [number, count] = reader.words();
    answer.replace(StepReport {
        count,
        signature: reader.words(),
        bytes: reader.bytes().into(),
    });
    answered.advance_to(number);
}
