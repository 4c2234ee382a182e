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

/// What tells a team from others of the same image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TeamIdentity(pub(crate) u64);

/// Blocks start at multiples of this, a cache line.
const GRAIN: usize = 64;

/// Large blocks begin so many bytes into a page. The string instructions with which C libraries copy are slower by up to
/// a third where the target begins less than a line after the source, counted within pages, and by a tenth where it is less than
/// some lines. Large buffers from the C library's allocator begin 16 bytes into one.
const INTO_PAGE: usize = 512;

/// The pages in question.
const PAGE: usize = 4096;

/// A large block: the rest of a page before it does not matter.
const LARGE: usize = 4 * PAGE;

/// Pages are committed in steps of this, so that small allocations rarely need the kernel.
const COMMIT_STEP: usize = 1 << 20;

/// How many dropped objects an image can still describe.
const REMEMBERED: usize = 256;

/// Largest alignment of a value in the heap: heaps start at page boundaries.
pub(crate) const MAX_ALIGN: usize = 4096;

/// A symmetric block, at the same offset of every image's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) id: ObjectId,
    /// Offset of the first byte, after the header.
    pub(crate) offset: usize,
    /// The bytes taken from the free list, which begin with the roll of a shared block.
    pub(crate) start: usize,
    taken: usize,
    /// Whether other images may reach it until they drop it.
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
    /// For a block of `size` bytes; `None` if no heap is that large. A block that is shared by `sharers` images
    /// has their roll before it.
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

    /// Whether other images may reach the block until they drop it.
    pub(crate) fn is_shared(self) -> bool {
        self.shared
    }

    /// Bytes taken.
    pub(crate) fn bytes(self) -> usize {
        self.taken
    }
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

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, caller } = self;
        let subject = short(subject);
        // What has coarrays of its own goes by its own name.
        let is_part = ["HaloArray<", "Ragged<"].map(|name| subject.starts_with(name));
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
    /// What the objects of each team are; for a while also those that this image dropped, on which it may
    /// have to report.
    objects: BTreeMap<(TeamIdentity, ObjectId), Purpose>,
    gone: VecDeque<(TeamIdentity, ObjectId)>,
    /// Shared blocks that this image dropped and not yet all images, and the numbers of those.
    dropped: Vec<(Block, Rc<[u32]>)>,
    committed: usize,
    ragged_committed: usize,
}

impl Heap {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            // No place is at offset 0, which is that of null.
            symmetric: FreeList::from(GRAIN),
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
        self.dropped.iter().map(|(block, _)| block.taken).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees the shared blocks of which `all_dropped` says that these images dropped them.
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

    /// Notes what a block is for.
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

    /// Notes that this image dropped a block of a team of these images.
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

    /// Up to where pages are committed.
    pub(crate) fn committed(&self) -> usize {
        self.committed
    }

    /// The bytes that must be committed before any up to `end` may be touched.
    pub(crate) fn uncommitted(&self, end: usize) -> Option<(usize, usize)> {
        (end > self.committed).then(|| {
            let new = end.next_multiple_of(COMMIT_STEP).min(self.bytes);
            (self.committed, new - self.committed)
        })
    }

    /// Notes that the bytes that [`uncommitted`](Self::uncommitted) named are committed.
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
    pub(crate) fn describe(&self, team: TeamIdentity, id: ObjectId) -> String {
        match self.objects.get(&(team, id)) {
            Some(purpose) => purpose.to_string(),
            None => format!("coarray number {}", id.0),
        }
    }

    /// What lives at that offset, for reports.
    pub(crate) fn describe_place(&self, offset: usize) -> Option<String> {
        let (&start, (purpose, size)) = self.users.range(..=offset).next_back()?;
        (offset < start + size + MAX_ALIGN).then(|| purpose.to_string())
    }

    /// Who holds the memory: blocks of one type from one place in the program together.
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
