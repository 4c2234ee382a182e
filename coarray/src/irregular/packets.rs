//! Where packets lie in the memory of their receiver, and what their headers say.

use super::buffers::WORD;

/// How many packets of a link may be under way: at least, and at most if they are short. Images that share a core would have to wait for each other after
/// a few short ones.
const PLACES: [usize; 2] = [4, 16];

/// Bytes of them all, if they are short.
const UNDER_WAY: usize = 1 << 15;

/// Words of a cache line.
pub(super) const LINE: usize = 8;

/// Where packets, their headers and counts are in each image's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryLayout {
    /// Bytes of a full packet.
    pub(super) packet: usize,
    links: usize,
    /// Places for packets of a link, which may be under way: a power of two.
    places: usize,
}

impl MemoryLayout {
    pub(super) fn new(packet: usize, links: usize) -> Self {
        let [least, most] = PLACES;
        let places = (UNDER_WAY / packet.max(1)).clamp(least, most);
        Self {
            packet,
            links,
            places: 1 << places.ilog2(),
        }
    }

    /// How many packets of a link may be under way.
    pub(super) fn places(&self) -> u64 {
        self.places as u64
    }

    /// After how many packets their receiver tells that they were taken: in time for the sender, which has as many places more.
    pub(super) fn told(&self) -> u64 {
        self.places() / 2
    }

    /// Words from one place for a packet to the next: whole lines, the header on one of its own.
    fn stride(&self) -> usize {
        LINE + self.packet.div_ceil(WORD).next_multiple_of(LINE)
    }

    /// The word of the header of a packet; the packet begins on the next line.
    pub(super) fn header(&self, link: usize, packet: u64) -> usize {
        (link * self.places + packet as usize % self.places) * self.stride()
    }

    /// The word with the number of packets that were taken from a link of this image to another one.
    pub(super) fn taken(&self, link: usize) -> usize {
        self.links * self.places * self.stride() + link * LINE
    }

    pub(super) fn words(&self) -> usize {
        self.taken(self.links)
    }
}

/// The header of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Packets of the link are numbered from 1.
    pub(super) packet: u64,
    pub(super) length: usize,
    pub(super) is_last: bool,
}

impl Header {
    /// Bits of a packet's number that a header has; only the last few packets must be told apart.
    const PACKET: u64 = u32::MAX as u64 >> 1;

    pub(super) fn to_word(self) -> u64 {
        (self.packet & Self::PACKET) << 33 | u64::from(self.is_last) << 32 | self.length as u64
    }

    /// The header of that packet, if it is there.
    pub(super) fn of(packet: u64, word: u64) -> Option<Self> {
        (word >> 33 == packet & Self::PACKET).then_some(Self {
            packet,
            length: word as u32 as usize,
            is_last: word >> 32 & 1 != 0,
        })
    }
}
