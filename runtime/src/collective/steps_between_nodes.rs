//! Steps of images on other nodes, and their data.
//!
//! An image that publishes a piece knows who reads it, and *pushes* the step to the readers on other nodes: by one message each,
//! with its signature and the part of the piece that the reader needs. A part that is longer than the eager limit stays where it
//! is: only the reader knows where it wants it, so the message says that it is written, and the reader gets it. What is read
//! after a barrier is fetched as well.
//!
//! A reader takes each step that is pushed to it, in any order. Those that come before it waits for them are held. An image that
//! abandons the epoch says so to all images on other nodes, so none of them waits for a step that does not come.
//!
//! An image that is in another call pushes to other readers, or to none. So a reader that has waited for a while sends its own
//! signature once, as step 0, and is part of a deadlock only afterwards. An image that is in another call, or beyond it, answers
//! with its signature; one that has not come so far holds the message until it has begun the epoch.

use std::mem::offset_of;
use std::ops::Range;
use std::time::{Duration, Instant};
use std::{ptr, slice};

use crate::call::Call;
use crate::collective::steps::compare_steps;
use crate::collective::steps::wait_for_step;
use crate::collective::steps::{Abandoned, StepsBegun};
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::network::Network;
use crate::image::pushed_steps::{PushedStep, PushedSteps};
use crate::image::team::Team;
use crate::job::control::Steps;
use crate::job::control::TeamControl;
use crate::job::control::steps::{abandoned, is_announcement, turn_of};
use crate::lockfree::arrival::Signature;
use crate::messages::messaging::own_address;
use crate::messages::messaging::send_message;

/// The longest piece that comes with its step.
const EAGER_LIMIT: usize = 512;

/// How long an image waits for a step before it tells the awaited image which call it is in.
const ANNOUNCE_AFTER: Duration = Duration::from_millis(20);

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
        let start = self.scratch_offset();
        // SAFETY: the bytes lie in the scratch space of that image, which does not write them now: the caller vouches
        // for that, and for the target.
        unsafe { self.get(from, start + bytes.start..start + bytes.end, target) }
    }

    /// Gets bytes of the part of the image with index `from`, by the fabric.
    ///
    /// # Safety
    /// That image does not write them now, and `target` is valid for writes of as many.
    pub(crate) unsafe fn get(&self, from: usize, bytes: Range<usize>, target: *mut u8) {
        if bytes.is_empty() {
            return;
        }
        let member = self.members()[from] as usize;
        // SAFETY: passed on by the caller.
        unsafe {
            let fabric = self.image().fabric();
            fabric.get(member, bytes.start, target, bytes.len());
        }
    }

    /// Pushes a step that this image has taken to the image with index `to`, which reads these bytes of this image's scratch space
    /// by one [`fetch_piece`](Self::fetch_piece). Does nothing if they share memory.
    ///
    /// # Safety
    /// This image has written the bytes, and does not write them again before the epoch is over.
    #[cold]
    pub unsafe fn push_step(&self, begun: StepsBegun, step: usize, to: usize, bytes: Range<usize>) {
        if self.is_local(to) {
            return;
        }
        let start = own_address(self.image(), self.scratch_offset() + bytes.start);
        let eager = if bytes.len() <= EAGER_LIMIT {
            // SAFETY: the bytes lie in this image's part. The caller vouches that they are written, and that nobody writes there
            // now.
            unsafe { slice::from_raw_parts(start, bytes.len()) }
        } else {
            &[]
        };
        let place = [bytes.start as u64, bytes.len() as u64];
        let to = self.members()[to] as usize;
        let team = self.identity().0;
        let count = begun.count(step as u64);
        send_step(
            self.image(),
            to,
            team,
            count,
            &begun.signature(),
            place,
            eager,
        );
    }

    /// As [`await_step`](Self::await_step) and then [`fetch`](Self::fetch), for an image on another node, which
    /// [pushes](Self::push_step) the step with these bytes.
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
        let (image, count) = (self.image(), begun.count(step as u64));
        let pushed = pushed(self);
        let place = [bytes.start as u64, bytes.len() as u64];
        let member = self.members()[from] as usize;
        let team = self.identity().0;
        let mut deadline = Some(Instant::now() + ANNOUNCE_AFTER);
        image.poll();
        let step = loop {
            if let Some(step) = pushed.take(team, member, count, place) {
                break step;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                deadline = None;
                send_step(
                    image,
                    member,
                    team,
                    begun.count(0),
                    &begun.signature(),
                    [0; 2],
                    &[],
                );
            }
            let next = pushed.arrived.count() + 1;
            wait_for_step(self, &pushed.arrived, next, from, begun, call, deadline)?;
        };
        compare_steps(self, from, begun, count, step.count, step.signature)?;
        if bytes.len() > EAGER_LIMIT {
            // SAFETY: the image has come to the step, so the bytes are written; the caller vouches for the rest.
            unsafe { self.fetch(from, bytes, target) };
            return Ok(());
        }
        assert_eq!(
            step.bytes.len(),
            bytes.len(),
            "all images run the same program"
        );
        // SAFETY: `step.bytes` is valid for reads, and the caller vouches that `target` is valid for writes of this length. The
        // vector is this image's alone, so the two do not overlap.
        unsafe { ptr::copy_nonoverlapping(step.bytes.as_ptr(), target, bytes.len()) };
        Ok(())
    }
}

#[cold]
fn is_on_this_node(team: &Team, index: usize) -> bool {
    let (image, member) = (team.image(), team.members()[index] as usize);
    image.job.nodes.share(image.index, member)
}

fn pushed(team: &Team) -> &PushedSteps {
    match &team.image().network {
        Some(network) => &network.pushed,
        None => unreachable!("an image on another node is reached through a network"),
    }
}

fn send_step(
    here: &Image,
    to: usize,
    team: u64,
    count: u64,
    signature: &Signature,
    place: [u64; 2],
    bytes: &[u8],
) {
    let message = Outgoing::new(MessageKind::Step)
        .words(&[team, count])
        .words(signature)
        .words(&place)
        .bytes(bytes);
    send_message(here, to, &message);
}

/// Says to all images on other nodes that this one abandons the epoch.
pub(crate) fn push_abandonment(team: &Team, begun: StepsBegun) {
    for index in (0..team.images()).filter(|&index| !team.is_local(index)) {
        let (to, control) = (team.members()[index] as usize, team.identity().0);
        send_step(
            team.image(),
            to,
            control,
            abandoned(begun.turn()),
            &begun.signature(),
            [0; 2],
            &[],
        );
    }
}

/// Handles a step of another image.
///
/// # Safety
/// As `handle_message` in `dispatch.rs`: the message names the team by the offset of its structures.
pub(crate) unsafe fn handle_step(
    image: &Image,
    network: &Network,
    from: usize,
    mut reader: Reader<'_>,
) {
    let [team, count] = reader.words();
    let step = PushedStep {
        from,
        team,
        count,
        signature: reader.words(),
        place: reader.words(),
        bytes: reader.bytes().into(),
    };
    let teams = network.teams.borrow();
    if is_announcement(count) && !teams.iter().any(|&(_, control)| control as u64 == team) {
        // It is late: the sender has passed, as `answer_announcement` says, and all images have dropped the team. Or this image
        // does not have it yet.
        return;
    }
    drop(teams);
    // SAFETY: this image has the team, so not all have dropped it.
    let is_settled = is_announcement(count) && unsafe { answer_announcement(image, &step) };
    if !is_settled {
        network.pushed.hold(step);
    }
}

/// Answers the announcements of images that wait for this one, which has just begun epoch `turn`. Drops what was pushed to this
/// image in epochs that it abandoned.
#[cold]
pub(crate) fn answer_announcements(team: &Team, turn: u64) {
    let (image, control) = (team.image(), team.identity().0);
    pushed(team).retain(|step| {
        if step.team != control {
            return true;
        }
        // SAFETY: this image is in an operation of the team.
        let is_settled = is_announcement(step.count) && unsafe { answer_announcement(image, step) };
        turn_of(step.count) >= turn && !is_settled
    });
}

/// Answers the announcement of an image that waits for this one, if this image is in another call. Returns whether that is known.
///
/// # Safety
/// No image has dropped the team of the step: its structures are at that offset.
unsafe fn answer_announcement(image: &Image, step: &PushedStep) -> bool {
    // SAFETY: passed on by the caller.
    let steps = unsafe { own_steps(image, step.team as usize) };
    let (turn, signature) = (steps.begun.count(), steps.signature.read());
    if turn < turn_of(step.count) {
        // This image may still enter the same operation.
        return false;
    }
    // An announcement of an earlier epoch is late: another image carried the sender's arrival at the barrier that ended it, and may
    // have been faster. The sender waits no more.
    if turn == turn_of(step.count) && signature != step.signature {
        send_step(
            image,
            step.from,
            step.team,
            abandoned(turn),
            &signature,
            [0; 2],
            &[],
        );
    }
    true
}

/// # Safety
/// The structures of a team are at the offset `control` of each member's part, and no image drops the team while the result lives.
unsafe fn own_steps(image: &Image, control: usize) -> &Steps {
    let place = own_address(image, control + offset_of!(TeamControl, steps));
    // SAFETY: the structures were made before any image got the team, and are not used for anything else before all have dropped it,
    // as the caller vouches. All fields are atomics.
    unsafe { &*place.cast::<Steps>() }
}

/// Drops what was pushed to this image in the team at this offset of the heap, which all images have dropped: steps of epochs that
/// this image abandoned.
pub(crate) fn forget_pushed_steps(image: &Image, offset: usize) {
    if let Some(network) = &image.network {
        let control = (image.job.region.heap_offset() + offset) as u64;
        network.pushed.retain(|step| step.team != control);
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use super::*;
    use crate::job::control::steps::count;
    use crate::testing::run;

    /// What image 0 does with announcements of image 1, which waits for it in other epochs and operations.
    #[test]
    fn only_an_announcement_of_this_epoch_is_answered() {
        const TURN: u64 = 3;
        run(2, 2, || {
            Image::with_current(|image| {
                if image.index == 1 {
                    return;
                }
                let team = Team::current().identity().0;
                // SAFETY: it is the team of all images, here and below.
                let steps = unsafe { own_steps(image, team as usize) };
                steps.begun.advance_to(TURN);
                let signature = steps.signature.read();
                let announcement = |turn, signature| PushedStep {
                    from: 1,
                    team,
                    count: count(turn, 0),
                    signature,
                    place: [0; 2],
                    bytes: Box::new([]),
                };
                let other = signature.map(|word| !word);
                let sent = || image.control(image.index).traffic.sent();
                for (turn, signature, is_settled, answers) in [
                    // Late: the epoch is over, whatever its sender was in.
                    (TURN - 1, other, true, 0),
                    (TURN, signature, true, 0),
                    (TURN, other, true, 1),
                    // This image may still enter the same operation.
                    (TURN + 1, other, false, 0),
                ] {
                    let before = sent();
                    let step = announcement(turn, signature);
                    // SAFETY: as above.
                    let settled = unsafe { answer_announcement(image, &step) };
                    assert_eq!(settled, is_settled, "{turn}");
                    assert_eq!(sent() - before, answers, "{turn}");
                }
                // No collective operation takes part in this.
                steps.begun.advance_to(0);
            });
        });
    }
}
