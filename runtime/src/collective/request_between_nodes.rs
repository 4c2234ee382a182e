//! Asynchronous collectives of teams whose images are on several nodes.
//!
//! Nobody can follow the list of an image on another node. So whoever posts a record also sends a *notice* to each
//! member there: to its own process, as one that others would have to ask may compute for long. A notice says what the
//! call is and where the payload is, or brings it if it is short. Each image keeps the notices that it may still need,
//! and counts them in a eventcount of its own. Long payloads are fetched by who reads them, without help of the owner.
//!
//! The other way, an image tells the owners on other nodes up to where it needs no records and payloads any more; these
//! keep the counts for when they look what they can take back. It tells them when it does its chores, and the owner of
//! long payloads as soon as many bytes of these wait for it alone.
//!
//! Such messages name the team by the offset of its control structure. One that comes before this image has posted
//! anything to the team is kept until it does. When an offset is used again, by a later team, nothing that is kept or
//! under way is of the earlier one:
//!
//! * An image frees the block at the offset, and forgets what it kept for it, when all have struck themselves off its
//!   roll. They do so by message from another node, after all that they sent for the team; messages of one image arrive
//!   in order. So nothing for the earlier team comes afterwards.
//! * A later team gets its block there when all its members have proposed the offset, after they freed it. Only then
//!   does any of them send anything for that team. So nothing for the later team comes before.

use std::rc::Rc;

use crate::image::Image;
use crate::image::contribution::Contribution;
use crate::image::descriptor::Descriptor;
use crate::image::eager::{EagerDescriptor, LogMessage, Posted, Watermark};
use crate::image::message::{MessageKind, Reader};
use crate::image::remote_log::{RemoteLog, TeamLogs};
use crate::image::team::Team;
use crate::messages::messaging::send_message;

/// Most bytes of long payloads of one owner that this image has finished with and not told it so; less if heaps are
/// small.
const MANY: usize = 1 << 20;

/// The part of a heap that may wait so.
const SHARE_OF_HEAP: usize = 64;

impl RemoteLog {
    /// Its call with that number in words.
    ///
    /// # Safety
    /// The number is that of a notice that has come, and that this image has not released.
    pub(crate) unsafe fn describe(&self, team: &Team, number: u64) -> String {
        let (image, place) = (
            team.image(),
            self.with_descriptor(number, |eager| eager.descriptor),
        );
        // SAFETY: the owner wrote the record there before it sent the notice, and leaves it until it is released.
        let fetch =
            |length| unsafe { Contribution::fetched(image.fabric(), self.image, place, length) };
        let head = fetch(Descriptor::HEAD);
        // SAFETY: a copy of the start of a record, aligned likewise.
        let length = unsafe { Descriptor::at(head.as_ptr()) }.length();
        let record = fetch(length);
        // SAFETY: a copy of all of it, but for the payload if that is not part of it.
        unsafe { Descriptor::at(record.as_ptr()) }.describe(team)
    }
}

impl TeamLogs {
    /// Tells the others of a record that this image has posted.
    pub(crate) fn send_posted(&self, image: &Image, posted: &Posted<'_>) {
        let message = posted.message(self.team, self.index);
        self.members()
            .for_each(|member| send_message(image, member.image, &message));
    }

    /// Notes that this image needs no payload before number `count` any more.
    pub(crate) fn finish(&self, image: &Image, count: u64) {
        let over = self.watermark.get();
        self.watermark.set(Watermark {
            payloads: count,
            ..over
        });
        for member in self.members() {
            let come = member.posted.count();
            for number in over.payloads..count.min(come) {
                self.owe(
                    image,
                    member,
                    member.with_descriptor(number, EagerDescriptor::retained_bytes),
                );
            }
        }
    }

    /// Notes that so many bytes of a member's wait for it to be told that this image has finished with them.
    fn owe(&self, image: &Image, member: &RemoteLog, bytes: usize) {
        let unreclaimed = member.unacknowledged_bytes.get() + bytes;
        member.unacknowledged_bytes.set(unreclaimed);
        if unreclaimed > MANY.min(image.heap_bytes() / SHARE_OF_HEAP) {
            self.send_watermark(image, member);
        }
    }

    fn send_watermark(&self, image: &Image, member: &RemoteLog) {
        member.unacknowledged_bytes.set(0);
        let message = self.watermark.get().message(self.team, self.index);
        send_message(image, member.image, &message);
    }

    /// Notes that this image needs no record before number `count` any more, all of which it has found, and tells
    /// the others all that it needs no more.
    pub(crate) fn release(&self, image: &Image, count: u64) {
        let over = Watermark {
            descriptors: count,
            ..self.watermark.get()
        };
        self.watermark.set(over);
        self.members().for_each(|member| member.forget(count));
        if self.announced.replace(over) != over {
            self.members()
                .for_each(|member| self.send_watermark(image, member));
        }
    }

    fn note(&self, image: &Image, index: usize, log_message: LogMessage) {
        let Some(member) = self.member(index) else {
            unreachable!(
                "image {index} of the team sends no messages to this one, which shares its memory"
            )
        };
        match log_message {
            LogMessage::Watermark(over) => member.watermark.set(over),
            LogMessage::Posted(..) if self.is_closed.get() => {}
            LogMessage::Posted(number, eager) => {
                debug_assert_eq!(number, member.posted.count(), "messages arrive in order");
                let bytes = eager.retained_bytes();
                member.descriptors.borrow_mut().push_back(eager);
                member.posted.advance_to(number + 1);
                if number < self.watermark.get().payloads {
                    self.owe(image, member, bytes);
                }
            }
        }
    }
}

/// Begins the correspondence with the members on other nodes, if there are any.
#[cold]
pub(crate) fn open_team_logs(team: &Team) {
    let Some(node_map) = team.node_map() else {
        return;
    };
    let image = team.image();
    let team_logs = Rc::new(TeamLogs::new(
        team.identity().0,
        team.index(),
        team.members(),
        node_map,
    ));
    if let Some(network) = &image.network {
        let mut all = network.logs.borrow_mut();
        all.open.insert(team_logs.team, Rc::clone(&team_logs));
        let early = all.early.remove(&team_logs.team);
        drop(all);
        for (index, log_message) in early.into_iter().flatten() {
            team_logs.note(image, index, log_message);
        }
    }
    let is_first = team.team_logs.set(team_logs).is_ok();
    debug_assert!(is_first);
}

/// The member with that index, if it is on another node.
#[inline]
pub(crate) fn remote_log(team: &Team, index: usize) -> Option<&RemoteLog> {
    team.team_logs.get()?.member(index)
}

/// Tells the members on other nodes that this image, which drops the team, needs nothing from them any more.
pub(crate) fn leave_team_logs(team: &Team) {
    let Some(node_map) = team.node_map() else {
        return;
    };
    if let Some(team_logs) = team.team_logs.get() {
        team_logs.close();
    }
    // Also if it has posted nothing: others may have, by mistake, and wait for it to take their records back.
    let message = Watermark::ALL.message(team.identity().0, team.index());
    for index in (0..team.images()).filter(|index| !node_map.local_peers().contains(index)) {
        send_message(team.image(), team.members()[index] as usize, &message);
    }
}

/// Takes the message of an image of a team about what it has posted, or needs no more.
pub(crate) fn handle_log_message(image: &Image, kind: MessageKind, reader: Reader<'_>) {
    let (team, index, log_message) = LogMessage::read(kind, reader);
    let Some(network) = &image.network else {
        unreachable!("there are no messages without a network")
    };
    let mut all = network.logs.borrow_mut();
    let Some(team_logs) = all.open.get(&team).map(Rc::clone) else {
        all.early
            .entry(team)
            .or_default()
            .push((index, log_message));
        return;
    };
    drop(all);
    team_logs.note(image, index, log_message);
}

/// Forgets what has come for a team whose control structure was at that offset of its heap: its block is free.
pub(crate) fn forget_team_logs(image: &Image, offset: usize) {
    if let Some(network) = &image.network {
        let team = (image.job.region.heap_offset() + offset) as u64;
        let mut all = network.logs.borrow_mut();
        all.open.remove(&team);
        all.early.remove(&team);
    }
}
