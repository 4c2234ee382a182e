//! Packets of an open conveyor on their way: places for them, sending, receiving, and telling that they were taken.

use std::ptr::{self, NonNull};
use std::sync::atomic::{self, Ordering};

use coarray_coref::Coref;
use coarray_fabric::{Deferral, attribute_to, attribute_to_library};
use coarray_sync::{PutNotify, announce_alone, fence_number};

use super::buffers::WORD;
use super::link::Links;
use super::packets::{Header, LINE};
use super::traffic::Traffic;

impl Traffic<'_> {
    /// Has records that leave by a link by which nothing waits written to the place of their packet at once, if it is free and direct.
    pub(super) fn lend(&mut self, number: usize) {
        let link = self.links.get(number);
        let (peer, at) = (link.peer, link.next_place(&self.memory_layout));
        let is_direct = self.memory.at(peer).is_direct();
        if !(self.lends && is_direct) || number == self.links.own() || !self.has_place(number) {
            return;
        }
        let place = place(&self.memory.at(peer)[at + LINE..], self.full);
        // SAFETY: the place is mapped, since it is direct, and lives until the phase ends. Then nothing waits, or no other phase begins: `Traffic::new`
        // asserts it. All memory of a conveyor is initialised. Only the sender writes to a place for packets, and its receiver reads there between
        // the header of a packet and the count of those that were taken: `has_place` has seen that of the packet before.
        unsafe { self.links.leaving[number].lend(place, self.full) };
    }

    /// Takes the next packet of a link, of which no complete record is left. Returns whether there was one.
    pub(super) fn receive(&mut self, number: usize) -> bool {
        if number == self.links.own() {
            return false;
        }
        // Wakers may panic: they run when all is done.
        let _deferral = Deferral::new();
        if self.links.get(number).arriving.give_back() {
            self.tell_taken(number);
        }
        let link = self.links.get(number);
        let packet = link.received + 1;
        let at = self.memory_layout.header(number, packet);
        let here = self.memory.here();
        let _own = (!here.is_direct()).then(attribute_to_library);
        let Some(header) = Header::of(packet, here[at].get()) else {
            return false;
        };
        // Pairs with the fence before the header was put: what follows sees the packet.
        atomic::fence(Ordering::Acquire);
        link.received = packet;
        link.has_ended |= header.is_last;
        let came = &here[at + LINE..];
        if self.lends && here.is_direct() {
            let place = place(came, header.length);
            // SAFETY: the place is mapped, since it is direct, and lives as long as the conveyor, to which the link belongs. All memory of a conveyor
            // is initialised. Its sender has written all that the header tells of before the header, and writes there again when it has seen that this
            // packet was taken, which is told when it was given back.
            unsafe { link.arriving.lend(place, header.length) };
        } else {
            let words = link.arriving.append(header.length);
            came[..words.len()].get_into(words);
            self.tell_taken(number);
        }
        true
    }

    /// Tells the peer of a link how many packets were taken, if it is time to.
    fn tell_taken(&mut self, number: usize) {
        let link = self.links.get(number);
        if !link.received.is_multiple_of(self.memory_layout.told()) {
            return;
        }
        let taken = &self.memory.at(link.peer)[self.memory_layout.taken(link.theirs)];
        let _own = (!taken.is_direct()).then(attribute_to_library);
        // The packets were read before the sender sees that.
        fence_number(taken.image());
        let _alone = announce_alone();
        taken.put_notify(link.received, self.bell.of(link.peer));
    }

    /// Sends a packet of what waits to leave; if the link is to be `closed`, and that is all, the last one. Returns whether there was room.
    #[inline(never)]
    pub(super) fn send(&mut self, number: usize, closed: bool) -> bool {
        let _deferral = Deferral::new();
        if number == self.links.own() {
            return self.hand_over(closed);
        }
        let is_lent = self.links.leaving[number].is_lent();
        if !is_lent && !self.has_place(number) {
            return false;
        }
        let waits = self.links.leaving[number].len();
        let link = self.links.get(number);
        let at = link.next_place(&self.memory_layout);
        let header = Header {
            packet: link.sent + 1,
            length: waits.min(self.full),
            is_last: closed && waits <= self.full,
        };
        link.sent = header.packet;
        link.has_closed = header.is_last;
        let (there, bell) = (self.memory.at(link.peer), self.bell.of(link.peer));
        let leaving = &mut self.links.leaving[number];
        if !is_lent {
            let words = leaving.packet(header.length);
            let _at_opening = (!there.is_direct()).then(|| attribute_to(self.opened));
            there[at + LINE..][..words.len()].put_from(words);
        }
        // Whatever comes of the post, nothing is written to the place of a packet that is announced.
        leaving.note_sent(header.length);
        let _own = (!there.is_direct()).then(attribute_to_library);
        // Who sees the header sees the packet.
        fence_number(there.image());
        // Conveyors order items, and nothing else.
        let _alone = announce_alone();
        there[at].put_notify(header.to_word(), bell);
        true
    }

    /// Lets this image pull all that it has pushed to itself, if it has pulled all before: the buffers change places, and nothing travels. If the link is
    /// to be `closed`, there is no more. Returns whether there was room.
    pub(super) fn hand_over(&mut self, closed: bool) -> bool {
        let own = self.links.own();
        let Links { all, leaving, .. } = &mut *self.links;
        let Some(link) = &mut all[own] else {
            return true;
        };
        if !link.arriving.bytes().is_empty() {
            return false;
        }
        leaving[own].hand_over(&mut link.arriving);
        leaving[own].make_room(0, self.limit);
        link.has_closed |= closed;
        link.has_ended |= closed;
        if !link.arriving.bytes().is_empty() {
            // No bell rings for it.
            self.declined = None;
            if own != self.current {
                link.is_ready = true;
                self.ready.push_back(own);
            }
        }
        true
    }

    /// Whether the place for the next packet of a link is free.
    fn has_place(&mut self, number: usize) -> bool {
        let places = self.memory_layout.places();
        let link = self.links.get(number);
        link.sent - link.taken < places || self.under_way(number) < places
    }

    /// How many packets of a link were sent, and are not known to be taken.
    pub(super) fn under_way(&mut self, number: usize) -> u64 {
        let here = self.memory.here();
        let _own = (!here.is_direct()).then(attribute_to_library);
        let link = self.links.get(number);
        link.taken = here[self.memory_layout.taken(number)].get();
        // Pairs with the fence before the count was put: the peer has read the packets.
        atomic::fence(Ordering::Acquire);
        link.sent - link.taken
    }
}

/// Where the first bytes of some words of direct memory are, at least so many.
///
/// # Panics
/// If there are not so many.
fn place(words: &Coref<[u64]>, bytes: usize) -> NonNull<u8> {
    let words = &words[..bytes.div_ceil(WORD)];
    NonNull::new(ptr::with_exposed_provenance_mut(words.local_address()))
        .expect("direct memory is mapped")
}
