//! The sizes of what is in a region, and its header, in which a process that maps it finds them.

use std::sync::atomic::AtomicU64;

use rustix::process::Resource;

use crate::system::limits::limit;
use crate::system::mapping::Mapping;

/// Bytes of each of the two buffers at the start of the scratch space, through which collectives pass data in turn.
pub const BUFFER_BYTES: usize = 1 << 18;

/// Bytes behind them, where images leave values for each other.
pub const POSTED_BYTES: usize = 1 << 16;

/// Bytes of scratch space in each part.
pub const SCRATCH_BYTES: usize = 2 * BUFFER_BYTES + POSTED_BYTES;

/// The sizes of the areas, in which the runtime keeps control structures. They begin as zero bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Areas {
    /// Bytes for the whole job.
    pub job: usize,
    /// Bytes at the start of each image's part.
    pub image: usize,
    /// Bytes behind these, of which an image commits with [`commit_part`](crate::memory::region::Region::commit_part) what it uses.
    pub sparse: usize,
}

/// The sizes a region was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// Number of images.
    pub images: usize,
    /// Bytes from one image's part to the next.
    pub stride: usize,
    /// Whether each image on this machine has a core.
    pub have_cores_for_all: bool,
}

/// The start of the region. `create` writes it, `layout` last.
#[repr(C, align(64))]
pub(super) struct Header {
    /// The version of the runtime's structures in the areas.
    pub(super) layout: AtomicU64,
    pub(super) images: AtomicU64,
    pub(super) stride: AtomicU64,
    pub(super) have_cores_for_all: AtomicU64,
    pub(super) job_area: AtomicU64,
    pub(super) image_area: AtomicU64,
}

impl Header {
    pub(super) fn of(map: &Mapping) -> &Self {
        // SAFETY: the mapping is at least a page long, longer than a header, and page-aligned; it lives as long as `map`. Each field is an atomic,
        // valid for all bytes, and changed by atomic operations only.
        unsafe { &*map.start().cast::<Self>() }
    }
}

impl Areas {
    /// The largest heap that the limits allow for each image: one file has all heaps, and every image maps it.
    pub fn largest_heap(&self, images: usize) -> usize {
        // The program needs address space for other mappings, too.
        let mapped = limit(Resource::As).map(|bytes| bytes / 4 * 3);
        let limits = [limit(Resource::Fsize), mapped].into_iter().flatten();
        let rest = self.file_bytes(images, 0).unwrap_or(usize::MAX);
        let heap = |length: usize| length.saturating_sub(rest) / images;
        let page = rustix::param::page_size();
        limits
            .map(heap)
            .min()
            .map_or(usize::MAX, |heap| heap / page * page)
    }

    /// Bytes of the whole file for `images` images with such heaps; `None` if they exceed the address space.
    pub(super) fn file_bytes(&self, images: usize, heap: usize) -> Option<usize> {
        self.part_bytes(heap)?
            .checked_mul(images)?
            .checked_add(self.job_bytes())
            .filter(|&length| i64::try_from(length).is_ok())
    }

    /// Bytes of the part of an image with such a heap; `None` if they exceed the address space.
    pub(super) fn part_bytes(&self, heap: usize) -> Option<usize> {
        let page = rustix::param::page_size();
        heap.checked_next_multiple_of(page)?
            .checked_add(self.image_bytes() + SCRATCH_BYTES)
    }

    pub(super) fn job_bytes(&self) -> usize {
        (size_of::<Header>() + self.job).next_multiple_of(rustix::param::page_size())
    }

    pub(super) fn image_bytes(&self) -> usize {
        (self.image + self.sparse).next_multiple_of(rustix::param::page_size())
    }
}
