//! The links of an open conveyor: packets from image to image, and how they end.
//!
//! Each link has a few places for packets in the memory of its receiver, which are used in turn, each with a header in a word of its own. The sender
//! puts the packet, then the header, which says the packet's number, and rings the receiver's bell with it. The receiver takes a packet as soon as it
//! has no record of the one before. When half of the places were taken it puts back how many, and rings the sender's bell: that many packets more may come.
//!
//! Where places are direct, and no record is cut, nothing is copied: the sender appends records to the packet in its place, if that is free when
//! the first one is pushed, and the receiver reads them there.
//!
//! * *No packet is read before it is there:* the header is put after a fence, and the receiver fences when it has seen it.
//! * *No packet is overwritten:* the count is put when the packet has been read, and the sender fences when it has seen the count. A packet that is read in
//!   its place has been read when its last record was consumed and the next one is looked for, as it is before each sleep.
//! * *No wake-up is lost:* the bell is posted with the header, or the count. An image sleeps only if it has looked at all links since it has heard the
//!   bell last.
//! * *To itself* an image sends no packets: what has been pushed becomes what can be pulled, when all before was.
//! * *The end:* the last packet of a link says so. An image that pushes no more ends its links to relays, and those to targets when all links that it
//!   relays have ended. It is done when all links to it have ended: then nothing is under way.

use std::collections::VecDeque;
use std::panic::Location;

use super::bell::Bell;
use super::buffers::Leaving;
use super::full::Full;
use super::link::{Link, Links};
use super::packets::MemoryLayout;
use super::record::{self, RecordLayout};
use crate::open::Open;

/// A conveyor in its phase, whatever its items are.
pub(super) struct Traffic<'a> {
    pub(super) memory: Open<'a, [u64]>,
    pub(super) bell: &'a Bell,
    pub(super) links: &'a mut Links,
    pub(super) memory_layout: MemoryLayout,
    pub(super) records: RecordLayout,
    /// From how many bytes on a buffer is full.
    pub(super) full: usize,
    /// How many bytes may wait before a push is no matter of course: as `full`, until this image has finished. None in two hops.
    pub(super) limit: usize,
    /// Whether no record is cut by the end of a packet, so that packets need not be copied where their places are direct.
    pub(super) lends: bool,
    /// The link that is pulled from, and those that have something to pull after it.
    pub(super) current: usize,
    pub(super) ready: VecDeque<usize>,
    /// Up to where this image has looked at its links; see [`Bell`].
    seen: u64,
    /// Whether this image pushes no more.
    has_finished: bool,
    /// Whether the program knows that all is done.
    pub(super) is_told: bool,
    /// The link that had no room for the last push.
    refused: Option<usize>,
    /// How often the bell had been heard when the program left an item that it had seen.
    pub(super) declined: Option<u64>,
    pub(super) opened: &'static Location<'static>,
}

impl<'a> Traffic<'a> {
    pub(super) fn new(
        memory: Open<'a, [u64]>,
        bell: &'a Bell,
        links: &'a mut Links,
        memory_layout: MemoryLayout,
        records: RecordLayout,
        opened: &'static Location<'static>,
    ) -> Self {
        for link in links.all.iter_mut().flatten() {
            link.has_closed = false;
            link.has_ended = false;
        }
        assert!(
            links.leaving.iter().all(|leaving| leaving.len() == 0),
            "no phase begins that follows one in which images failed"
        );
        // A record of one length lies in one packet if it fits; others are cut where a packet is full.
        let (packet, record) = (memory_layout.packet, records.bytes(1));
        let is_whole = !records.varies && record <= packet;
        let full = if is_whole {
            packet / record * record
        } else {
            packet
        };
        Self {
            memory,
            bell,
            current: links.own(),
            links,
            memory_layout,
            records,
            lends: is_whole,
            full,
            limit: if records.tag > 0 { 0 } else { full },
            ready: VecDeque::new(),
            // The last phase may have left posts.
            seen: u64::MAX,
            has_finished: false,
            is_told: false,
            refused: None,
            declined: None,
            opened,
        }
    }

    /// Appends a record for an image with so many `bytes` behind the tag, unless its link is full: has `fill` write them.
    ///
    /// # Panics
    /// If there is no such image, or this image pushes no more.
    #[inline]
    #[track_caller]
    pub(super) fn push(
        &mut self,
        image: usize,
        bytes: usize,
        fill: impl Fn(&mut [u8]),
    ) -> Result<(), Full> {
        match Leaving::push_at_once(&mut self.links.leaving, image, bytes, &fill) {
            true => Ok(()),
            false => self.push_slowly(image, bytes, fill),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn push_slowly(
        &mut self,
        image: usize,
        bytes: usize,
        fill: impl Fn(&mut [u8]),
    ) -> Result<(), Full> {
        let Some(&number) = self.links.first.get(image) else {
            self.bell.team().no_such_image(image);
        };
        if self.has_finished {
            pushed_after_finish(self.opened);
        }
        let number = number as usize;
        let (me, is_final) = (self.links.me, number < self.links.finals);
        let tag = self.records.tag;
        let Some(record) = self.make_room(number, tag + bytes) else {
            self.refused = Some(number);
            return Err(Full);
        };
        if tag > 0 {
            record::set_number(record, if is_final { me } else { image });
        }
        fill(&mut record[tag..]);
        Ok(())
    }

    /// Appends a record of so many bytes, to be written by the caller. Sends a packet before that if one is full; none if there is no room for it.
    fn make_room(&mut self, number: usize, bytes: usize) -> Option<&mut [u8]> {
        if self.links.leaving[number].len() >= self.full && !self.send(number, false) {
            return None;
        }
        if self.links.leaving[number].len() == 0 {
            self.lend(number);
        }
        let leaving = &mut self.links.leaving[number];
        leaving.make_room(bytes, self.limit);
        leaving.append(bytes)
    }

    /// From now on this image pushes no more.
    pub(super) fn finish(&mut self) {
        self.has_finished = true;
        self.limit = 0;
        self.links.leaving.iter_mut().for_each(Leaving::close);
        self.progress();
    }

    /// The link with a complete record at the front of what has arrived, and the bytes of the record.
    #[inline]
    pub(super) fn find(&mut self) -> Option<(&mut Link, usize)> {
        loop {
            let records = self.records;
            let link = self.links.get(self.current);
            if let Some(length) = records.front(link.arriving.bytes()) {
                // Found anew, for the borrow checker lets no reference leave a loop on some ways only.
                return Some((self.links.get(self.current), length));
            }
            if !self.turn() {
                return None;
            }
        }
    }

    /// Goes on to the next link that has something, when the current one has no complete record. Returns whether there is one.
    #[cold]
    #[inline(never)]
    fn turn(&mut self) -> bool {
        let current = self.current;
        if self.receive(current) {
            // The links take turns, a packet each.
            self.links.get(current).is_ready = true;
            self.ready.push_back(current);
        }
        if self.ready.is_empty() {
            self.progress();
            if self.has_record(current) {
                return true;
            }
        }
        if self.ready.is_empty() {
            // After what others have sent: an image that pushes to itself whatever it pulls would not come to that.
            self.hand_over(false);
            if self.has_record(current) {
                return true;
            }
        }
        let next = self.ready.pop_front();
        if let Some(next) = next {
            self.links.get(next).is_ready = false;
            self.current = next;
        }
        next.is_some()
    }

    /// Takes what has come, relays, and ends links that can be ended.
    pub(super) fn progress(&mut self) {
        let heard = self.bell.listen();
        if self.seen != heard {
            self.seen = heard;
            for link in 0..self.links.finals {
                self.look(link);
            }
            for link in self.links.finals..self.links.all.len() {
                self.relay(link);
            }
        }
        if self.has_finished {
            self.close();
        }
    }

    /// Takes a packet of a link that ends here, if the one before has no complete record left.
    fn look(&mut self, number: usize) {
        let Some(link) = &self.links.all[number] else {
            return;
        };
        if number == self.current {
            // As many as a long record takes: who looks here next may have nothing to wake it.
            while !self.has_record(number) && self.receive(number) {}
        } else if !link.is_ready && self.receive(number) {
            self.links.get(number).is_ready = true;
            self.ready.push_back(number);
        }
    }

    /// Whether a complete record has come by a link.
    fn has_record(&mut self, number: usize) -> bool {
        let arrived = self.links.get(number).arriving.bytes();
        self.records.front(arrived).is_some()
    }

    /// Sends on what has come by a link that this image relays, as long as there is room.
    fn relay(&mut self, number: usize) {
        if self.links.all[number].is_none() {
            return;
        }
        loop {
            let link = self.links.get(number);
            let arrived = link.arriving.bytes();
            let Some(length) = self.records.front(arrived) else {
                match self.receive(number) {
                    true => continue,
                    false => return,
                }
            };
            let to = record::number(arrived);
            let next = self.links.routes.link_between(self.links.me, to, false);
            if self.make_room(next, length).is_none() {
                return;
            }
            let Links { all, leaving, .. } = &mut *self.links;
            let Some(link) = &mut all[number] else {
                return;
            };
            let record = leaving[next].last(length);
            record.copy_from_slice(&link.arriving.bytes()[..length]);
            record::set_number(record, link.peer);
            link.arriving.consume(length);
        }
    }

    /// Ends the links that get nothing any more, as far as there is room.
    fn close(&mut self) {
        let finals = self.links.finals;
        let relays_all = |link: &Link| link.has_ended && link.arriving.bytes().is_empty();
        let has_relayed = self.links.all[finals..].iter().flatten().all(relays_all);
        for number in 0..self.links.all.len() {
            if (number < finals && !has_relayed) || self.links.all[number].is_none() {
                continue;
            }
            while !self.links.get(number).has_closed && self.send(number, true) {}
        }
    }

    /// Sends what waits to leave, as far as there is room. If a push was refused, more is to come: then a packet that is not full waits until
    /// those before it were taken, as segments do in Nagle's algorithm (1984); but for the last few, of which the peer does not tell.
    pub(super) fn flush(&mut self) {
        for number in 0..self.links.all.len() {
            let waits = self.links.leaving[number].len();
            if waits == 0 {
                continue;
            }
            let is_due = waits >= self.full
                || !self.is_refused()
                || self.under_way(number) < self.memory_layout.told();
            if is_due {
                self.send(number, false);
            }
        }
    }

    /// Whether the last push that was refused would find room now.
    pub(super) fn has_room_again(&mut self) -> bool {
        let Some(number) = self.refused else {
            return false;
        };
        let has_room = self.links.leaving[number].len() < self.full || self.send(number, false);
        if has_room {
            self.refused = None;
        }
        has_room
    }

    /// Whether a push was refused, and there is no room yet.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Notes that the program leaves the item that it has seen: it is nothing new until the bell rings.
    pub(super) fn decline(&mut self) {
        self.declined = Some(self.bell.heard());
    }

    /// Whether there is something to pull that the program has not seen, or for which something has changed since.
    pub(super) fn has_something(&mut self) -> bool {
        self.find().is_some() && self.declined != Some(self.bell.heard())
    }

    /// Whether the bell has rung since this image has looked at the links.
    pub(super) fn is_behind(&self) -> bool {
        self.seen != self.bell.heard()
    }

    /// Whether all images have finished, and nothing is left to pull or to relay.
    pub(super) fn is_done(&self) -> bool {
        self.links
            .all
            .iter()
            .flatten()
            .all(|link| link.has_closed && link.has_ended && link.arriving.bytes().is_empty())
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn pushed_after_finish(opened: &'static Location<'static>) -> ! {
    panic!(
        "this image has finished, and pushes no more to the conveyor opened at {opened}: call `finish` after the last push"
    )
}
