//! The region: memory that all images of a node map. It has an area for the job and one part for each image, at a fixed stride.
//!
//! ```text
//! | header, job area | image 0: its area, scratch, heap -> ... <- ragged | image 1: ... | ... |
//! |                  |<---------------------- stride ------------------->|
//! ```
//!
//! The runtime keeps its control structures in the areas; this file knows only their sizes.
//!
//! The memory is an anonymous file (`memfd_create`): it has no name in any file system and disappears
//! with the last process that maps it. It is sparse: reserved memory costs address space only, and an allocation commits the pages that it
//! needs.

mod file;
mod layout;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use layout::{Areas, BUFFER_BYTES, Dimensions, POSTED_BYTES, SCRATCH_BYTES};

use crate::memory::direct;
use crate::memory::nodes::Nodes;
use crate::memory::overlay::Overlay;
use crate::memory::region::file::{memory_file, named_file};
use crate::memory::region::layout::Header;
use crate::system::available_memory;
use crate::system::limits;
use crate::system::mapping::Mapping;

/// An owner of a mapped region.
///
/// # Safety
/// Both methods return the same objects in all calls, and the region stays mapped as long as the owner lives.
pub unsafe trait RegionOwner: std::fmt::Debug + Send + Sync {
    /// The region.
    fn region(&self) -> &Region;

    /// The nodes of the images in it.
    fn nodes(&self) -> &Nodes;
}

/// A mapping of the region.
#[derive(Debug)]
pub struct Region {
    map: Mapping,
    file: Arc<File>,
    dimensions: Dimensions,
    /// Where the first part is in the region.
    parts: usize,
    /// Where in each part the scratch space of the team of all images is, behind the image's area.
    scratch: usize,
    /// The parts that are memory of MPI or OpenSHMEM.
    overlays: BTreeMap<usize, Overlay>,
}

impl Region {
    /// Makes a region of `images` heaps of `heap` bytes each, with these areas of that layout.
    pub fn create(
        areas: Areas,
        layout: u64,
        images: usize,
        heap: usize,
        have_cores_for_all: bool,
    ) -> io::Result<Self> {
        Self::create_in(memory_file, areas, layout, images, heap, have_cores_for_all)
    }

    /// As [`create`](Self::create), in a file at that path, which stays there when nobody maps it any more.
    ///
    /// # Errors
    /// If there cannot be one, or there is no room for what all images use at once.
    pub fn create_at(path: &Path, areas: Areas, layout: u64, images: usize) -> io::Result<Self> {
        let file = |length| named_file(path, length);
        Self::create_in(file, areas, layout, images, 0, false)
    }

    fn create_in(
        make_file: impl FnOnce(usize) -> io::Result<File>,
        areas: Areas,
        layout: u64,
        images: usize,
        heap: usize,
        have_cores_for_all: bool,
    ) -> io::Result<Self> {
        let too_large = || {
            io::Error::other(format!(
                "{images} heaps of {heap} bytes exceed the address space"
            ))
        };
        let stride = areas.part_bytes(heap).ok_or_else(too_large)?;
        let length = areas.file_bytes(images, heap).ok_or_else(too_large)?;
        let dimensions = Dimensions {
            images,
            stride,
            have_cores_for_all,
        };
        let region = Self::map(make_file(length)?, length, areas, dimensions)?;
        region.commit(0, region.parts)?;
        for image in 0..images {
            region.commit(region.part(image), areas.image)?;
        }
        let header = Header::of(&region.map);
        let sizes = [
            (&header.images, images),
            (&header.stride, stride),
            (&header.have_cores_for_all, usize::from(have_cores_for_all)),
            (&header.job_area, areas.job),
            (&header.image_area, areas.image + areas.sparse),
        ];
        for (place, size) in sizes {
            place.store(size as u64, Ordering::Relaxed);
        }
        // Pairs with the acquire load in `attach`: a process that reads this layout sees the sizes.
        header.layout.store(layout, Ordering::Release);
        Ok(region)
    }

    /// Maps the region that another process created, with areas of that layout.
    ///
    /// # Safety
    /// The file was made by [`create`](Self::create), and all processes that map it access it by the rules of this library.
    pub unsafe fn attach(file: File, layout: u64) -> io::Result<Self> {
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let too_small = || io::Error::other("the region is too small to be one");
        if length < rustix::param::page_size() {
            return Err(too_small());
        }
        let map = Mapping::new(&file, length).map_err(limits::explain)?;
        let header = Header::of(&map);
        // Pairs with the release store in `create`.
        if header.layout.load(Ordering::Acquire) != layout {
            return Err(io::Error::other(
                "the launcher was built with another version of coarray",
            ));
        }
        let size = |place: &AtomicU64| place.load(Ordering::Relaxed) as usize;
        let areas = Areas {
            job: size(&header.job_area),
            image: size(&header.image_area),
            sparse: 0,
        };
        let dimensions = Dimensions {
            images: size(&header.images),
            stride: size(&header.stride),
            have_cores_for_all: size(&header.have_cores_for_all) != 0,
        };
        let parts = dimensions.images.checked_mul(dimensions.stride);
        let least = parts.and_then(|parts| parts.checked_add(areas.job_bytes()));
        if least.is_none_or(|least| length < least) {
            return Err(too_small());
        }
        Ok(Self::of(map, file, areas, dimensions))
    }

    fn map(file: File, length: usize, areas: Areas, dimensions: Dimensions) -> io::Result<Self> {
        let map = Mapping::new(&file, length).map_err(limits::explain)?;
        Ok(Self::of(map, file, areas, dimensions))
    }

    fn of(map: Mapping, file: File, areas: Areas, dimensions: Dimensions) -> Self {
        // Places are stored as addresses and turned back into pointers by `place`.
        map.start().expose_provenance();
        Self {
            map,
            file: Arc::new(file),
            dimensions,
            parts: areas.job_bytes(),
            scratch: areas.image_bytes(),
            overlays: BTreeMap::new(),
        }
    }

    /// Puts memory of the fabric in the place of the part of an image; it stays where it is, too.
    ///
    /// # Errors
    /// If it cannot be mapped a second time; then nothing has changed.
    ///
    /// # Safety
    /// A part's bytes at `memory` are mapped shared, begin at a page, and live as long as the region; the control
    /// structures at their start are zero, and nobody has used the part so far.
    #[cfg(any(feature = "mpi", feature = "shmem"))]
    pub(crate) unsafe fn overlay(&mut self, image: usize, memory: *mut u8) -> io::Result<()> {
        let place = self.part_address(image, 0);
        // SAFETY: the caller vouches for `memory`; the address of the part, and its stride, belong to this region.
        let overlay = unsafe { Overlay::new(place, self.dimensions.stride, memory)? };
        self.overlays.insert(image, overlay);
        Ok(())
    }

    /// The sizes that it was created with.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The anonymous file, to be inherited by image processes.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Where the job's area begins, a multiple of 64.
    #[inline]
    pub fn job_area(&self) -> *mut u8 {
        // SAFETY: the region is longer than its header.
        unsafe { self.map.start().add(size_of::<Header>()) }
    }

    /// Address of what is `offset` bytes into an image's part.
    #[inline]
    pub fn part_address(&self, image: usize, offset: usize) -> *mut u8 {
        assert!(image < self.dimensions.images && offset < self.dimensions.stride);
        // SAFETY: parts lie inside the mapping, one stride after the other.
        unsafe { self.map.start().add(self.part(image) + offset) }
    }

    /// Where in each part the scratch space of the team of all images is.
    pub fn scratch_offset(&self) -> usize {
        self.scratch
    }

    /// Where in each part the heap is.
    pub fn heap_offset(&self) -> usize {
        self.scratch_offset() + SCRATCH_BYTES
    }

    /// Address of the first byte of an image's heap.
    pub fn heap(&self, image: usize) -> *mut u8 {
        self.part_address(image, self.heap_offset())
    }

    /// Bytes in each heap.
    pub fn heap_bytes(&self) -> usize {
        self.dimensions.stride - self.heap_offset()
    }

    /// The addresses of the region.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.map.start().addr();
        start..start + self.map.length()
    }

    /// The image in whose part the address lies, and the offset there.
    pub fn locate(&self, address: usize) -> Option<(usize, usize)> {
        let distance = address.checked_sub(self.map.start().addr() + self.parts)?;
        let (image, offset) = (
            distance / self.dimensions.stride,
            distance % self.dimensions.stride,
        );
        (image < self.dimensions.images).then_some((image, offset))
    }

    /// The offset of an object in the region; a number beyond its end if the object is elsewhere.
    #[inline]
    pub fn offset_of<T>(&self, place: &T) -> u64 {
        self.offset_of_address(std::ptr::from_ref(place).addr())
    }

    /// The offset of an address in the region; a number beyond its end if it is elsewhere.
    #[inline]
    pub fn offset_of_address(&self, address: usize) -> u64 {
        address.wrapping_sub(self.map.start().addr()) as u64
    }

    /// Whether the offset is in the region.
    #[inline]
    pub fn contains(&self, offset: u64) -> bool {
        offset < self.map.length() as u64
    }

    /// The word at that offset; `None` if it is misaligned or outside.
    ///
    /// # Safety
    /// The page is committed: an image has, or had, an object there.
    pub unsafe fn word_at(&self, offset: usize) -> Option<u64> {
        let inside = offset.checked_add(size_of::<u64>())? <= self.map.length();
        if !inside || !offset.is_multiple_of(align_of::<u64>()) {
            return None;
        }
        // SAFETY: the word lies in the mapping and is aligned, and its page is committed, as the caller says. `peek` races with nothing, even if the
        // bytes belong to another object by now.
        Some(unsafe { direct::peek(self.map.start().add(offset).cast()) })
    }

    /// Commits the scratch space of an image.
    pub fn commit_scratch(&self, image: usize) -> io::Result<()> {
        self.commit(self.part(image) + self.scratch_offset(), SCRATCH_BYTES)
    }

    /// Commits bytes `offset .. offset + length` of an image's heap, so that accessing them cannot fail later. `images` images of this node
    /// do so at the same time.
    pub fn commit_heap(
        &self,
        image: usize,
        offset: usize,
        length: usize,
        images: usize,
    ) -> io::Result<()> {
        let start = self.part(image) + self.heap_offset() + offset;
        let taken = available_memory::take(
            start..start + length,
            images,
            available_memory::available_memory,
            |piece| self.commit(piece.start, piece.len()),
        );
        if taken.is_err() && !self.overlays.contains_key(&image) {
            self.map.give_back(&self.file, start..start + length);
        }
        taken
    }

    /// Commits bytes of an image's part, or of the shadow of an image on another node.
    ///
    /// # Panics
    /// If they are not all in it.
    pub fn commit_part(&self, image: usize, offset: usize, length: usize) -> io::Result<()> {
        let Dimensions { images, stride, .. } = self.dimensions;
        assert!(image < images && offset <= stride && length <= stride - offset);
        self.commit(self.part(image) + offset, length)
    }

    fn commit(&self, offset: usize, length: usize) -> io::Result<()> {
        if let Some(part) = offset.checked_sub(self.parts) {
            let (image, offset) = (part / self.dimensions.stride, part % self.dimensions.stride);
            if let Some(overlay) = self.overlays.get(&image) {
                return overlay.commit(offset..offset + length);
            }
        }
        self.map.commit(&self.file, offset..offset + length)
    }

    #[inline]
    fn part(&self, image: usize) -> usize {
        self.parts + image * self.dimensions.stride
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{Mode, fstat};

    use super::*;

    const AREAS: Areas = Areas {
        job: 100,
        image: 5000,
        sparse: 100_000,
    };

    #[test]
    fn nobody_can_shorten_the_memory_of_a_job_or_run_it() {
        let region = Region::create(AREAS, 7, 2, 1 << 20, false).unwrap();
        let length = region.file().metadata().unwrap().len();
        for other in [0, length - 1, length + 1] {
            let refused = region.file().set_len(other).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{other}");
        }
        let mode = Mode::from_raw_mode(fstat(region.file()).unwrap().st_mode);
        assert_eq!(mode, Mode::RUSR | Mode::WUSR);
        // What is left to do with it still works: another process maps it, and pages come.
        // SAFETY: `create` made it.
        let again = unsafe { Region::attach(region.file().try_clone().unwrap(), 7) }.unwrap();
        assert_eq!(again.dimensions(), region.dimensions());
        again.commit_heap(1, 0, 1 << 20, 1).unwrap();
    }

    #[test]
    fn a_region_that_was_laid_out_otherwise_is_refused() {
        let region = Region::create(AREAS, 7, 2, 1 << 20, false).unwrap();
        // SAFETY: the first word of a region says how it is laid out, and is used by atomic operations only.
        let layout = unsafe { &*region.map.start().cast::<AtomicU64>() };
        layout.fetch_xor(1, Ordering::Relaxed);
        // SAFETY: `create` made it.
        let refused = unsafe { Region::attach(region.file().try_clone().unwrap(), 7) }.unwrap_err();
        assert!(refused.to_string().contains("another version"), "{refused}");
    }
}
