//! Asynchronous collectives of teams that span nodes.
//!
//! An image cannot follow the log of an image on another node. So an image that posts a descriptor also sends an *eager
//! descriptor* to each member there: to the member's own process, because a leader may compute for long. It names the
//! call and the place of the payload, or contains a short payload. Each image keeps the eager descriptors that it may
//! still need, and counts them in an eventcount of its own. The reader of a long payload fetches it without help of the
//! owner.
//!
//! In the other direction, an image sends the owners on other nodes a *watermark*: up to which number it needs no
//! descriptors and payloads any more. The owners read it when they reclaim. An image sends its watermark when it
//! reclaims, and to the owner of long payloads as soon as many bytes of these wait for it alone.
//!
//! Such messages name the team by the offset of its control structure. A message that arrives before this image has
//! posted anything to the team is kept until it does. When a later team uses the offset again, nothing that is kept or
//! in flight is of the earlier one:
//!
//! * An image frees the block at the offset, and forgets what it kept for it, when all members have released it. A
//!   member on another node releases it by a message, after all its other messages for the team; messages of one image
//!   arrive in order. So nothing for the earlier team arrives afterwards.
//! * A later team gets its block there when all its members have proposed the offset, after they freed it. Only then
//!   does any of them send anything for that team. So nothing for the later team arrives before.

use std::rc::Rc;

use crate::image::Image;
use crate::image::contribution::Contribution;
use crate::image::descriptor::Descriptor;
use crate::image::eager::{EagerDescriptor, LogMessage, Posted, Watermark};
use crate::image::message::{MessageKind, Reader};
use crate::image::remote_log::{RemoteLog, TeamLogs};
use crate::image::team::Team;
use crate::messages::messaging::send_message;

/// The most bytes of long payloads of one owner that this image has consumed without acknowledging them; less if heaps
/// are small.
const MANY: usize = 1 << 20;

/// The divisor of the heap size for the same limit.
const SHARE_OF_HEAP: usize = 64;

impl RemoteLog {
    /// The call of the member with number `number`, as text.
    ///
    /// # Safety
    /// The eager descriptor with this number has arrived, and this image has not released it.
    pub(crate) unsafe fn describe(&self, team: &Team, number: u64) -> String {
        let (image, place) = (
            team.image(),
            self.with_descriptor(number, |eager| eager.descriptor),
        );
        // SAFETY: the owner wrote the descriptor there before it sent the eager one, and keeps it until it is released.
        let fetch =
            |length| unsafe { Contribution::fetched(image.fabric(), self.image, place, length) };
        let head = fetch(Descriptor::HEAD);
        // SAFETY: `head` is a copy of the start of a descriptor, as aligned as one.
        let length = unsafe { Descriptor::at(head.as_ptr()) }.length();
        let record = fetch(length);
        // SAFETY: `copy` is a copy of the whole descriptor, without a payload that is stored separately.
        unsafe { Descriptor::at(record.as_ptr()) }.describe(team)
    }
}

impl TeamLogs {
    /// Sends a descriptor that this image has posted to the members on other nodes.
    pub(crate) fn send_posted(&self, image: &Image, posted: &Posted<'_>) {
        let message = posted.message(self.team, self.index);
        self.members()
            .for_each(|member| send_message(image, member.image, &message));
    }

    /// Records that this image needs no payload before number `count` any more.
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

    /// Adds `bytes` to what this image has consumed from `member` and not yet acknowledged.
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

    /// Records that this image needs no descriptor before number `count`, all of which it has found, and announces its
    /// watermark.
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

/// Opens the logs of the members on other nodes, if there are any.
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

/// The log of the member with this index, if it is on another node.
#[inline]
pub(crate) fn remote_log(team: &Team, index: usize) -> Option<&RemoteLog> {
    team.team_logs.get()?.member(index)
}

/// Announces to the members on other nodes that this image, which drops the team, needs nothing from them any more.
pub(crate) fn leave_team_logs(team: &Team) {
    let Some(node_map) = team.node_map() else {
        return;
    };
    if let Some(team_logs) = team.team_logs.get() {
        team_logs.close();
    }
    // Also if this image has posted nothing: other images may have, by mistake, and wait to reclaim their descriptors.
    let message = Watermark::ALL.message(team.identity().0, team.index());
    for index in (0..team.images()).filter(|index| !node_map.local_peers().contains(index)) {
        send_message(team.image(), team.members()[index] as usize, &message);
    }
}

/// Handles a message about the log of a member: an eager descriptor, or a watermark.
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

/// Forgets what has arrived for a team whose control structure was at this offset of the heap: its block is free.
pub(crate) fn forget_team_logs(image: &Image, offset: usize) {
    if let Some(network) = &image.network {
        let team = (image.job.region.heap_offset() + offset) as u64;
        let mut all = network.logs.borrow_mut();
        all.open.remove(&team);
        all.early.remove(&team);
    }
}
