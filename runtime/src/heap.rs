//! One image's view of its heap: symmetric blocks from the low end, ragged ones from the high end.
//!
//! ```text
//! | header | block | header | block |  free  ->      <-  free | ragged | ragged |
//! 0                                 top               floor                heap_bytes
//! ```
//!
//! Pure bookkeeping: which offsets are taken, by whom, and up to where pages are committed. How images agree on
//! an offset that is free on all of them is `allocation.rs`'s work.

pub(crate) mod alloc_error;
mod free_list;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::call::ObjectId;
use crate::heap::alloc_error::HeapUser;
use crate::heap::free_list::FreeList;
use crate::lockfree::release_mask::mask_words;
use coarray_fabric::system::type_name::short;

/// Identifies a team among the teams of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TeamIdentity(pub(crate) u64);

/// Blocks start at multiples of a cache line.
const GRAIN: usize = 64;

/// Large blocks begin this many bytes into a page. The string instructions by which C libraries copy are up to a third
/// slower if the target begins less than a cache line after the source, modulo the page size, and a tenth slower if it
/// is less than a few lines. Large buffers of the C library's allocator begin 16 bytes into a page.
const INTO_PAGE: usize = 512;

/// The page size in question.
const PAGE: usize = 4096;

/// The size from which a block is large: the unused part of a page before it does not matter.
const LARGE: usize = 4 * PAGE;

/// Pages are committed in steps of this size, so that small allocations rarely need the kernel.
const COMMIT_STEP: usize = 1 << 20;

/// How many dropped objects an image can still describe.
const REMEMBERED: usize = 256;

/// The largest alignment of a value in the heap: heaps start at page boundaries.
pub(crate) const MAX_ALIGN: usize = 4096;

/// A symmetric block, at the same offset of every image's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) id: ObjectId,
    /// Offset of the first byte, after the header.
    pub(crate) offset: usize,
    /// The bytes taken from the free list, which begin with the release mask of a shared block.
    pub(crate) start: usize,
    taken: usize,
    /// Whether other images may access it until they release it.
    pub(crate) shared: bool,
}

/// The bytes that a block needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    lead: usize,
    align: usize,
    taken: usize,
    shared: bool,
}

impl Extent {
    /// The extent of a block of `size` bytes; `None` if no heap is that large. In a block that `sharers` images share,
    /// their release mask comes first.
    pub(crate) fn of(size: usize, align: usize, sharers: Option<usize>) -> Option<Self> {
        let align = align.max(GRAIN);
        let mask = sharers.map_or(0, |images| mask_words(images) * size_of::<u64>());
        let lead = mask.checked_next_multiple_of(align)?;
        let size_taken = size.checked_next_multiple_of(align)?.max(GRAIN);
        let (lead, align) = if size >= LARGE && align <= INTO_PAGE {
            let pages = lead.saturating_sub(INTO_PAGE).next_multiple_of(PAGE);
            (pages + INTO_PAGE, PAGE)
        } else {
            (lead, align)
        };
        let taken = size_taken.checked_add(lead)?;
        Some(Self {
            lead,
            align,
            taken,
            shared: sharers.is_some(),
        })
    }

    /// Whether other images may access the block until they release it.
    pub(crate) fn is_shared(self) -> bool {
        self.shared
    }

    /// Bytes taken.
    pub(crate) fn bytes(self) -> usize {
        self.taken
    }
}

impl Block {
    /// The number of the object in it.
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

/// The purpose of an allocation, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    pub(crate) subject: &'static str,
    pub(crate) caller: &'static Location<'static>,
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, caller } = self;
        let subject = short(subject);
        // A type that contains coarrays is named, rather than these.
        let is_part =
            ["HaloArray<", "Ragged<", "RaggedRows<"].map(|name| subject.starts_with(name));
        let kind = if is_part.contains(&true) {
            ""
        } else {
            "coarray of "
        };
        write!(formatter, "the {kind}{subject} created at {caller}")
    }
}

/// The state of one heap.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    bytes: usize,
    symmetric: FreeList,
    ragged: FreeList,
    users: BTreeMap<usize, (Purpose, usize)>,
    /// The objects of each team, and for a while those that this image dropped, which reports may have to name.
    objects: BTreeMap<(TeamIdentity, ObjectId), Purpose>,
    gone: VecDeque<(TeamIdentity, ObjectId)>,
    /// Shared blocks that this image dropped but not all images, and the indices of these in their teams.
    dropped: Vec<(Block, Rc<[u32]>)>,
    committed: usize,
    ragged_committed: usize,
}

impl Heap {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            // No block is at offset 0, the offset of null.
            symmetric: FreeList::from(GRAIN),
            ..Self::default()
        }
    }

    /// The lowest offset of a ragged byte.
    pub(crate) fn floor(&self) -> usize {
        self.bytes - self.ragged.top()
    }

    /// Bytes in live blocks of both kinds.
    pub(crate) fn used(&self) -> usize {
        self.symmetric.used() + self.ragged.used()
    }

    /// Bytes in blocks that this image dropped and other images have not released.
    pub(crate) fn waiting(&self) -> usize {
        self.dropped.iter().map(|(block, _)| block.taken).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees the shared blocks that all images have dropped, as `all_dropped` tells.
    pub(crate) fn collect_dropped(&mut self, all_dropped: impl Fn(&Block, &[u32]) -> bool) {
        let symmetric = &mut self.symmetric;
        self.dropped.retain(|(block, images)| {
            let gone = all_dropped(block, images);
            if gone {
                symmetric.free(block.start, block.taken);
            }
            !gone
        });
    }

    /// The lowest offset from `from` on at which a block fits here.
    pub(crate) fn propose(&self, extent: Extent, from: usize) -> Option<usize> {
        self.symmetric
            .find(extent.taken, extent.align, from, self.floor())
    }

    /// Takes the block at `start`, where it fits.
    pub(crate) fn take(&mut self, extent: Extent, start: usize, id: ObjectId) -> Block {
        self.symmetric.take(start, extent.taken);
        Block {
            id,
            offset: start + extent.lead,
            start,
            taken: extent.taken,
            shared: extent.shared,
        }
    }

    /// Undoes [`take`](Self::take) of a block that no image will use.
    pub(crate) fn untake(&mut self, block: &Block) {
        self.symmetric.free(block.start, block.taken);
    }

    /// Records the purpose of a block.
    pub(crate) fn hold(
        &mut self,
        team: TeamIdentity,
        block: &Block,
        size: usize,
        purpose: Purpose,
    ) {
        self.users.insert(block.start, (purpose, size));
        self.objects.insert((team, block.id), purpose);
    }

    /// Records that this image dropped a block of a team of these images.
    pub(crate) fn drop_block(&mut self, team: TeamIdentity, block: Block, images: &Rc<[u32]>) {
        self.users.remove(&block.start);
        self.gone.push_back((team, block.id));
        if self.gone.len() > REMEMBERED
            && let Some(forgotten) = self.gone.pop_front()
        {
            self.objects.remove(&forgotten);
        }
        if block.shared {
            self.dropped.push((block, Rc::clone(images)));
        } else {
            self.symmetric.free(block.start, block.taken);
        }
    }

    /// The end of the committed pages.
    pub(crate) fn committed(&self) -> usize {
        self.committed
    }

    /// The bytes to commit before any byte up to `end` is accessed.
    pub(crate) fn uncommitted(&self, end: usize) -> Option<(usize, usize)> {
        (end > self.committed).then(|| {
            let new = end.next_multiple_of(COMMIT_STEP).min(self.bytes);
            (self.committed, new - self.committed)
        })
    }

    /// Records that the bytes which [`uncommitted`](Self::uncommitted) named are committed.
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
        self.users.insert(offset, (purpose, size));
        Some(RaggedBlock {
            offset,
            from_end,
            taken,
        })
    }

    /// Frees a ragged block.
    pub(crate) fn free_ragged(&mut self, block: RaggedBlock) {
        self.users.remove(&block.offset);
        self.ragged.free(block.from_end, block.taken);
    }

    /// The bytes to commit before a ragged block is accessed.
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

    /// The line that created the object, for reports.
    pub(crate) fn describe(&self, team: TeamIdentity, id: ObjectId) -> String {
        match self.objects.get(&(team, id)) {
            Some(purpose) => purpose.to_string(),
            None => format!("coarray number {}", id.0),
        }
    }

    /// The object at this offset, for reports.
    pub(crate) fn describe_place(&self, offset: usize) -> Option<String> {
        let (&start, (purpose, size)) = self.users.range(..=offset).next_back()?;
        (offset < start + size + MAX_ALIGN).then(|| purpose.to_string())
    }

    /// The users of the memory: blocks of one type from one line of the program together.
    pub(crate) fn users(&self) -> Vec<HeapUser> {
        let mut groups: BTreeMap<(String, &'static str), (usize, usize)> = BTreeMap::new();
        for (purpose, size) in self.users.values() {
            let group = groups
                .entry((purpose.caller.to_string(), purpose.subject))
                .or_default();
            group.0 += size;
            group.1 += 1;
        }
        let mut users: Vec<HeapUser> = groups
            .into_iter()
            .map(|((caller, subject), (bytes, count))| HeapUser {
                bytes,
                count,
                subject,
                caller,
            })
            .collect();
        users.sort_by(|one, other| {
            other
                .bytes
                .cmp(&one.bytes)
                .then_with(|| one.caller.cmp(&other.caller))
        });
        users
    }
}
