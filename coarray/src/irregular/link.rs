//! The links of an image, which outlive the phases of their conveyor.

use super::buffers::{Arriving, Leaving};
use super::packets::MemoryLayout;
use super::routes::Routes;

/// One of this image's links, in both directions.
#[derive(Debug)]
pub(super) struct Link {
    /// The image at the other end.
    pub(super) peer: usize,
    /// The number of the link there.
    pub(super) theirs: usize,
    pub(super) arriving: Arriving,
    /// Packets since the creation: sent, known to be taken by the peer, and received.
    pub(super) sent: u64,
    pub(super) taken: u64,
    pub(super) received: u64,
    /// Whether the last packet of this phase was sent, and received.
    pub(super) has_closed: bool,
    pub(super) has_ended: bool,
    /// Whether it waits for its turn, with something to pull.
    pub(super) is_ready: bool,
}

impl Link {
    pub(super) fn new(peer: usize, theirs: usize) -> Self {
        Self {
            peer,
            theirs,
            arriving: Arriving::new(),
            sent: 0,
            taken: 0,
            received: 0,
            has_closed: false,
            has_ended: false,
            is_ready: false,
        }
    }

    /// The word of the header of the next packet to be sent, in the memory of the peer.
    pub(super) fn next_place(&self, layout: &MemoryLayout) -> usize {
        layout.header(self.theirs, self.sent + 1)
    }
}

/// The links of a conveyor on this image, which outlive its phases. Links that are not in use are none.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) all: Vec<Option<Link>>,
    /// What waits to leave by each: apart, because each push looks for it.
    pub(super) leaving: Vec<Leaving>,
    /// The link by which an item for an image leaves.
    pub(super) first: Vec<u32>,
    /// How many end at targets; the others end at relays.
    pub(super) finals: usize,
    pub(super) routes: Routes,
    pub(super) me: usize,
}

impl Links {
    /// The link from this image to itself.
    #[inline]
    pub(super) fn own(&self) -> usize {
        self.first[self.me] as usize
    }

    #[inline]
    pub(super) fn get(&mut self, link: usize) -> &mut Link {
        match self.all.get_mut(link) {
            Some(Some(link)) => link,
            _ => unused(),
        }
    }
}

#[cold]
fn unused() -> ! {
    unreachable!("only links in use are on a route")
}
