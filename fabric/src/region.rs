//! The one piece of memory all images map: control structures and one heap an image, at a fixed stride.
//!
//! ```text
//! | JobControl | image 0: ImageControl, pairs, scratch, heap -> ... <- ragged | image 1: ... | ... |
//! |            |<------------------------- stride --------------------------->|
//! ```
//!
//! The memory is an anonymous file (`memfd_create`): it has no name in any file system and disappears
//! with the last process that maps it. It is sparse: the reserve costs address space only, and pages
//! exist from the moment an allocation commits them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, Mode, SealFlags, fchmod, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use rustix::process::Resource;

use crate::control::{Dimensions, ImageControl, JobControl};
use crate::direct;
use crate::limits::{self, limit};
use crate::mapping::Mapping;
use crate::memory;
use crate::overlay::Overlay;
use crate::tally::Tally;

/// Bytes at the start of each image's part that collectives pass data through.
pub const SCRATCH_BYTES: usize = 1 << 17;

/// What one image waits for from one other in `sync_images`: a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Pair(Tally);

/// A mapping of the region.
#[derive(Debug)]
pub(crate) struct Region {
    map: Mapping,
    file: Arc<File>,
    dimensions: Dimensions,
    /// Where the first part is in the region.
    parts: usize,
    /// Where in each part the scratch space of the team of all images is.
    scratch: usize,
    /// The parts of images that are memory of the engine.
    overlays: BTreeMap<usize, Overlay>,
}

impl Region {
    /// Makes a region of `images` heaps of `heap` bytes each.
    pub(crate) fn create(images: usize, heap: usize, cores: usize) -> io::Result<Self> {
        let page = rustix::param::page_size();
        let too_large = || {
            io::Error::other(format!(
                "{images} heaps of {heap} bytes exceed the address space"
            ))
        };
        let control = control_bytes(images, page);
        let stride = part_bytes(images, heap).ok_or_else(too_large)?;
        let length = file_bytes(images, heap).ok_or_else(too_large)?;

        let region = Self::map(
            memory_file(length)?,
            length,
            Dimensions {
                images,
                stride,
                cores,
            },
        )?;
        region.commit(0, job_bytes(page))?;
        for image in 0..images {
            region.commit(region.part(image), control)?;
        }
        region.job().initialise(region.dimensions);
        Ok(region)
    }

    /// Maps the region that another process created.
    pub(crate) fn attach(file: File) -> io::Result<Self> {
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let unknown = Dimensions {
            images: 0,
            stride: 0,
            cores: 1,
        };
        let mut region = Self::map(file, length, unknown)?;
        let dimensions = region.job().dimensions().ok_or_else(|| {
            io::Error::other("the launcher was built with another version of coarray")
        })?;
        region.dimensions = dimensions;
        region.scratch = control_bytes(dimensions.images, rustix::param::page_size());
        Ok(region)
    }

    fn map(file: File, length: usize, dimensions: Dimensions) -> io::Result<Self> {
        let page = rustix::param::page_size();
        if length < job_bytes(page) {
            return Err(io::Error::other("the region is too small to be one"));
        }
        let map = Mapping::new(&file, length).map_err(limits::explain)?;
        // Places are stored as addresses and turned back into pointers by `place`.
        map.start().expose_provenance();
        Ok(Self {
            map,
            file: Arc::new(file),
            dimensions,
            parts: job_bytes(page),
            scratch: control_bytes(dimensions.images, page),
            overlays: BTreeMap::new(),
        })
    }

    /// Puts memory of the engine in the place of the part of an image; it stays where it is, too.
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
        // SAFETY: passed on; the place of the part belongs to the region.
        let overlay = unsafe { Overlay::new(place, self.dimensions.stride, memory)? };
        self.overlays.insert(image, overlay);
        Ok(())
    }

    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The anonymous file, to be inherited by image processes.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// The page the whole job shares.
    pub(crate) fn job(&self) -> &JobControl {
        // SAFETY: the region starts with a JobControl: `map` made sure that it is long enough, mmap
        // returns page-aligned memory, every field is an atomic for which zero bytes are valid, and the
        // mapping lives as long as `self`.
        unsafe { &*self.map.start().cast::<JobControl>() }
    }

    /// The control structure of an image.
    #[inline]
    pub(crate) fn control(&self, image: usize) -> &ImageControl {
        assert!(image < self.dimensions.images);
        // SAFETY: each part starts with an ImageControl at a multiple of the page size inside the
        // mapping (`create` computed the length from the same numbers); every field is an atomic for
        // which zero bytes are valid, and the mapping lives as long as `self`.
        unsafe {
            &*self
                .map
                .start()
                .add(self.part(image))
                .cast::<ImageControl>()
        }
    }

    /// Address of what is `offset` bytes into an image's part.
    #[inline]
    pub(crate) fn part_address(&self, image: usize, offset: usize) -> *mut u8 {
        assert!(image < self.dimensions.images && offset < self.dimensions.stride);
        // SAFETY: parts lie inside the mapping, one stride after the other.
        unsafe { self.map.start().add(self.part(image) + offset) }
    }

    /// Where in each part the control structure of the team of all images is.
    pub(crate) fn first_team(&self) -> usize {
        offset_of!(ImageControl, team)
    }

    /// Where in each part the scratch space of the team of all images is.
    pub(crate) fn scratch_offset(&self) -> usize {
        self.scratch
    }

    /// Where in each part the heap is.
    pub(crate) fn heap_offset(&self) -> usize {
        self.scratch_offset() + SCRATCH_BYTES
    }

    /// Address of the first byte of an image's heap.
    pub(crate) fn heap(&self, image: usize) -> *mut u8 {
        self.part_address(image, self.heap_offset())
    }

    /// Bytes in each heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.dimensions.stride - self.heap_offset()
    }

    /// How often image `from` has called `sync_images` with `image`: raised by `from`, read by `image`.
    pub(crate) fn pair(&self, image: usize, from: usize) -> &Tally {
        assert!(from < self.dimensions.images);
        let offset = size_of::<ImageControl>() + from * size_of::<Pair>();
        // SAFETY: the pairs follow the control structure in each part, which is a multiple of their alignment
        // long; zero bytes are valid, only this function refers to them, and the mapping lives as long as
        // `self`.
        unsafe { &(*self.part_address(image, offset).cast::<Pair>()).0 }
    }

    /// All addresses of the region.
    pub(crate) fn addresses(&self) -> Range<usize> {
        let start = self.map.start().addr();
        start..start + self.map.length()
    }

    /// The image in whose part that address is, and where there.
    pub(crate) fn locate(&self, address: usize) -> Option<(usize, usize)> {
        let distance = address.checked_sub(self.map.start().addr() + self.parts)?;
        let (image, offset) = (
            distance / self.dimensions.stride,
            distance % self.dimensions.stride,
        );
        (image < self.dimensions.images).then_some((image, offset))
    }

    /// Where in the region a tally or lock is; some number beyond its end if it is not in it.
    #[inline]
    pub(crate) fn offset_of<T>(&self, place: &T) -> u64 {
        let offset = std::ptr::from_ref(place)
            .addr()
            .wrapping_sub(self.map.start().addr());
        offset as u64
    }

    /// Whether that offset is in the region.
    #[inline]
    pub(crate) fn contains(&self, offset: u64) -> bool {
        offset < self.map.length() as u64
    }

    /// The count of the tally at that offset, as another image sees it; `None` if no tally can be there.
    pub(crate) fn count_at(&self, offset: usize) -> Option<u64> {
        let inside = offset.checked_add(size_of::<Tally>())? <= self.map.length();
        if !inside || !offset.is_multiple_of(align_of::<Tally>()) {
            return None;
        }
        // SAFETY: the bytes lie in the mapping and are aligned. Some image waits for a tally there, or did so when it was
        // asked: the page exists, but the tally may be gone by now and its image use the bytes for something else, which is
        // why this is no access of the language.
        let word = unsafe { direct::peek(self.map.start().add(offset).cast()) };
        Some(Tally::count_in(word))
    }

    /// Makes pages exist for the scratch space of an image.
    pub(crate) fn commit_scratch(&self, image: usize) -> io::Result<()> {
        self.commit(self.part(image) + self.scratch_offset(), SCRATCH_BYTES)
    }

    /// Makes pages exist for bytes `offset .. offset + length` of an image's heap, so that touching
    /// them later cannot fail. `images` images of this node do so at the same time.
    pub(crate) fn commit_heap(
        &self,
        image: usize,
        offset: usize,
        length: usize,
        images: usize,
    ) -> io::Result<()> {
        let start = self.part(image) + self.heap_offset() + offset;
        let taken = memory::take(
            start..start + length,
            images,
            memory::available_memory,
            |piece| self.commit(piece.start, piece.len()),
        );
        if taken.is_err() && !self.overlays.contains_key(&image) {
            self.map.give_back(&self.file, start..start + length);
        }
        taken
    }

    /// Makes pages exist for bytes of a part whose image is on another node.
    pub(crate) fn commit_mirror(
        &self,
        image: usize,
        offset: usize,
        length: usize,
    ) -> io::Result<()> {
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

/// A file without a name, of that length for ever. Only processes of the same user can open it, none can shorten it under
/// those that have it mapped, and it cannot be run as a program.
fn memory_file(length: usize) -> io::Result<File> {
    limits::check_file(length)?;
    let (name, flags) = ("coarray", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING);
    let file = match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        // Linux knows that flag since 6.3.
        Err(Errno::INVAL) => memfd_create(name, flags)?,
        created => created?,
    };
    fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    let file = File::from(file);
    file.set_len(length as u64)?;
    fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

/// The largest heap of each image that the limits allow: one file has all of them, and every image maps it.
pub(crate) fn largest_heap(images: usize) -> usize {
    // A program maps other things, too.
    let mapped = limit(Resource::As).map(|bytes| bytes / 4 * 3);
    let limits = [limit(Resource::Fsize), mapped].into_iter().flatten();
    let rest = file_bytes(images, 0).unwrap_or(usize::MAX);
    let heap = |length: usize| length.saturating_sub(rest) / images;
    let page = rustix::param::page_size();
    limits
        .map(heap)
        .min()
        .map_or(usize::MAX, |heap| heap / page * page)
}

/// Bytes of the whole file for `images` images with such heaps; none if they exceed the address space.
pub(crate) fn file_bytes(images: usize, heap: usize) -> Option<usize> {
    part_bytes(images, heap)?
        .checked_mul(images)?
        .checked_add(job_bytes(rustix::param::page_size()))
        .filter(|&length| i64::try_from(length).is_ok())
}

/// Bytes of the part of an image with such a heap; none if they exceed the address space.
pub(crate) fn part_bytes(images: usize, heap: usize) -> Option<usize> {
    let page = rustix::param::page_size();
    heap.checked_next_multiple_of(page)?
        .checked_add(control_bytes(images, page) + SCRATCH_BYTES)
}

fn job_bytes(page: usize) -> usize {
    size_of::<JobControl>().next_multiple_of(page)
}

fn control_bytes(images: usize, page: usize) -> usize {
    (size_of::<ImageControl>() + images * size_of::<Pair>()).next_multiple_of(page)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{Mode, fstat};

    use super::*;

    #[test]
    fn nobody_can_shorten_the_memory_of_a_job_or_run_it() {
        let region = Region::create(2, 1 << 20, 1).unwrap();
        let length = region.file().metadata().unwrap().len();
        for other in [0, length - 1, length + 1] {
            let refused = region.file().set_len(other).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{other}");
        }
        let mode = Mode::from_raw_mode(fstat(region.file()).unwrap().st_mode);
        assert_eq!(mode, Mode::RUSR | Mode::WUSR);
        // What is left to do with it still works: another process maps it, and pages come.
        let again = Region::attach(region.file().try_clone().unwrap()).unwrap();
        assert_eq!(again.dimensions(), region.dimensions());
        again.commit_heap(1, 0, 1 << 20, 1).unwrap();
    }

    #[test]
    fn a_region_that_was_laid_out_otherwise_is_refused() {
        let region = Region::create(2, 1 << 20, 1).unwrap();
        // SAFETY: the first word of a region says how it is laid out; only this test uses it.
        unsafe { *region.map.start().cast::<u64>() ^= 1 };
        let refused = Region::attach(region.file().try_clone().unwrap()).unwrap_err();
        assert!(refused.to_string().contains("another version"), "{refused}");
    }
}
