//! Where packets lie in the memory of their receiver, and what their headers say.

use super::buffers::WORD;

/// Packets of a link that may be under way.
pub(super) const PACKETS: usize = 4;

/// After how many packets their receiver tells that they were taken: in time for the sender, which has as many places more.
pub(super) const TOLD: u64 = PACKETS as u64 / 2;

/// Words of a cache line.
pub(super) const LINE: usize = 8;

/// Where packets, their headers and counts are in each image's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryLayout {
    /// Bytes of a full packet.
    pub(super) packet: usize,
    links: usize,
}

impl MemoryLayout {
    pub(super) fn new(packet: usize, links: usize) -> Self {
        Self { packet, links }
    }

    /// Words from one place for a packet to the next: whole lines, the header on one of its own.
    fn stride(&self) -> usize {
        LINE + self.packet.div_ceil(WORD).next_multiple_of(LINE)
    }

    /// The word of the header of a packet; the packet begins on the next line.
    pub(super) fn header(&self, link: usize, packet: u64) -> usize {
        (link * PACKETS + packet as usize % PACKETS) * self.stride()
    }

    /// The word with the number of packets that were taken from a link of this image to another one.
    pub(super) fn taken(&self, link: usize) -> usize {
        self.links * PACKETS * self.stride() + link * LINE
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
