//! One image's view of its heap: symmetric blocks from the low end, ragged ones from the high end.
//!
//! ```text
//! | header | block | header | block |  free  ->      <-  free | ragged | ragged |
//! 0                                 top               floor                heap_bytes
//! ```
//!
//! Pure bookkeeping: which offsets are taken, by whom, and up to where pages are committed. The
//! agreement of the images about it is `image.rs`'s work.

pub(crate) mod exhausted;
mod free_list;

use std::collections::BTreeMap;
use std::panic::Location;

use crate::agreement::Header;
use crate::call::ObjectId;
use crate::heap::exhausted::Holder;
use crate::heap::free_list::FreeList;

/// Blocks start at multiples of this, a cache line.
const GRAIN: usize = 64;

/// Pages are committed in steps of this, so that small allocations rarely need the kernel.
const COMMIT_STEP: usize = 1 << 20;

/// Largest alignment of a value in the heap: heaps start at page boundaries.
pub(crate) const MAX_ALIGN: usize = 4096;

/// A symmetric block, at the same offset of every image's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) id: ObjectId,
    /// Offset of the first byte, after the header.
    pub(crate) offset: usize,
    /// The bytes taken from the free list, header and padding included.
    start: usize,
    taken: usize,
}

impl Block {
    /// The number of the object that lives here.
    #[must_use]
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Offset of the first byte in each image's heap.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// A block that exists on one image only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaggedBlock {
    /// Offset of the first byte in this image's heap.
    pub(crate) offset: usize,
    from_end: usize,
    taken: usize,
}

impl RaggedBlock {
    /// Offset of the first byte in this image's heap.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// What an allocation is for, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    pub(crate) subject: &'static str,
    pub(crate) caller: &'static Location<'static>,
}

/// The state of one heap.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    bytes: usize,
    symmetric: FreeList,
    ragged: FreeList,
    holders: BTreeMap<usize, (Purpose, usize)>,
    /// Until all images dropped them: an image that did may have to report on one that did not.
    objects: BTreeMap<ObjectId, Purpose>,
    /// Collective allocations entered so far; also the source of object numbers.
    pub(crate) allocations: u64,
    /// Dropped by this image, not yet known to be dropped by all.
    pub(crate) dropped: Vec<Block>,
    /// Dropped by all; free from the next barrier on.
    limbo: Vec<Block>,
    committed: usize,
    ragged_committed: usize,
}

impl Heap {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Lowest offset of a ragged byte.
    pub(crate) fn floor(&self) -> usize {
        self.bytes - self.ragged.top()
    }

    /// Bytes in live blocks of both kinds.
    pub(crate) fn used(&self) -> usize {
        self.symmetric.used() + self.ragged.used()
    }

    /// Bytes in blocks that this image dropped and that wait for others.
    pub(crate) fn waiting(&self) -> usize {
        self.dropped
            .iter()
            .chain(&self.limbo)
            .map(|block| block.taken)
            .sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees what was found dropped by all before the last barrier.
    pub(crate) fn release_limbo(&mut self) {
        for block in self.limbo.drain(..) {
            self.symmetric.free(block.start, block.taken);
        }
    }

    /// Sets aside the dropped blocks of which `all_dropped` says that every image dropped them.
    pub(crate) fn collect_dropped(&mut self, all_dropped: impl Fn(&Block) -> bool) {
        let (limbo, objects) = (&mut self.limbo, &mut self.objects);
        self.dropped.retain(|block| {
            let gone = all_dropped(block);
            if gone {
                limbo.push(*block);
                objects.remove(&block.id);
            }
            !gone
        });
    }

    /// Whether a barrier would free more memory.
    pub(crate) fn has_limbo(&self) -> bool {
        !self.limbo.is_empty()
    }

    /// Takes a symmetric block of `size` bytes below `limit`, for the current allocation.
    pub(crate) fn take(
        &mut self,
        size: usize,
        align: usize,
        limit: usize,
        purpose: Purpose,
    ) -> Option<Block> {
        let lead = align.max(GRAIN);
        debug_assert!(size_of::<Header>() <= GRAIN);
        let taken = size.checked_next_multiple_of(GRAIN)?.checked_add(lead)?;
        let start = self.symmetric.allocate(taken, lead, limit)?;
        let block = Block {
            id: ObjectId(self.allocations),
            offset: start + lead,
            start,
            taken,
        };
        self.holders.insert(start, (purpose, size));
        self.objects.insert(block.id, purpose);
        Some(block)
    }

    /// Undoes [`take`](Self::take) of a block that no image will use.
    pub(crate) fn untake(&mut self, block: &Block) {
        self.holders.remove(&block.start);
        self.objects.remove(&block.id);
        self.symmetric.free(block.start, block.taken);
    }

    /// Notes that this image dropped a block.
    pub(crate) fn drop_block(&mut self, block: Block) {
        self.holders.remove(&block.start);
        self.dropped.push(block);
    }

    /// The bytes that must be committed before `block` may be touched.
    pub(crate) fn uncommitted(&self, block: &Block) -> Option<(usize, usize)> {
        let end = block.start + block.taken;
        (end > self.committed).then(|| {
            let new = end.next_multiple_of(COMMIT_STEP).min(self.bytes);
            (self.committed, new - self.committed)
        })
    }

    /// Notes that the bytes that [`uncommitted`](Self::uncommitted) named are committed on all images.
    pub(crate) fn set_committed(&mut self, offset: usize, length: usize) {
        self.committed = offset + length;
    }

    /// Takes a ragged block of `size` bytes.
    pub(crate) fn take_ragged(
        &mut self,
        size: usize,
        align: usize,
        purpose: Purpose,
    ) -> Option<RaggedBlock> {
        let lead = align.max(GRAIN);
        let taken = size.checked_next_multiple_of(lead)?.max(lead);
        let room = self.bytes - self.symmetric.top();
        let from_end = self.ragged.allocate(taken, lead, room)?;
        let offset = self.bytes - from_end - taken;
        self.holders.insert(offset, (purpose, size));
        Some(RaggedBlock {
            offset,
            from_end,
            taken,
        })
    }

    /// Frees a ragged block.
    pub(crate) fn free_ragged(&mut self, block: RaggedBlock) {
        self.holders.remove(&block.offset);
        self.ragged.free(block.from_end, block.taken);
    }

    /// The bytes that must be committed before a ragged block may be touched.
    pub(crate) fn uncommitted_ragged(&self, block: &RaggedBlock) -> Option<(usize, usize)> {
        let end = block.from_end + block.taken;
        (end > self.ragged_committed).then(|| {
            let new = end.next_multiple_of(COMMIT_STEP).min(self.bytes);
            (self.bytes - new, new - self.ragged_committed)
        })
    }

    pub(crate) fn set_ragged_committed(&mut self, length: usize) {
        self.ragged_committed += length;
    }

    /// Where the object was created, for reports.
    pub(crate) fn describe(&self, id: ObjectId) -> String {
        match self.objects.get(&id) {
            Some(purpose) => format!(
                "the coarray of {} created at {}",
                purpose.subject, purpose.caller
            ),
            None => format!("coarray number {}", id.0),
        }
    }

    /// Who holds the memory: blocks of one type from one place in the program together.
    pub(crate) fn holders(&self) -> Vec<Holder> {
        let mut groups: BTreeMap<(String, &'static str), (usize, usize)> = BTreeMap::new();
        for (purpose, size) in self.holders.values() {
            let group = groups
                .entry((purpose.caller.to_string(), purpose.subject))
                .or_default();
            group.0 += size;
            group.1 += 1;
        }
        let mut holders: Vec<Holder> = groups
            .into_iter()
            .map(|((caller, subject), (bytes, count))| Holder {
                bytes,
                count,
                subject,
                caller,
            })
            .collect();
        holders.sort_by(|one, other| {
            other
                .bytes
                .cmp(&one.bytes)
                .then_with(|| one.caller.cmp(&other.caller))
        });
        holders
    }
}
