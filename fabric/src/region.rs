//! The one piece of memory all images map: control structures and one heap an image, at a fixed stride.
//!
//! ```text
//! | JobControl | image 0: ImageControl, scratch, heap -> ... <- ragged | image 1: ... | ... |
//! |            |<-------------------- stride ------------------------->|
//! ```
//!
//! The memory is an anonymous file (`memfd_create`): it has no name in any file system and disappears
//! with the last process that maps it. It is sparse: the reserve costs address space only, and pages
//! exist from the moment an allocation commits them.

use std::fs::File;
use std::io;

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, memfd_create};

use crate::control::{Dimensions, ImageControl, JobControl};
use crate::memory;

/// Bytes at the start of each image's part that collectives pass data through.
pub const SCRATCH_BYTES: usize = 1 << 17;

/// A mapping of the region.
#[derive(Debug)]
pub(crate) struct Region {
    map: MmapRaw,
    file: File,
    dimensions: Dimensions,
    page: usize,
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
        let control = control_bytes(page);
        let stride = heap
            .checked_next_multiple_of(page)
            .and_then(|heap| heap.checked_add(control + SCRATCH_BYTES))
            .ok_or_else(too_large)?;
        let length = stride
            .checked_mul(images)
            .and_then(|parts| parts.checked_add(job_bytes(page)))
            .filter(|&length| i64::try_from(length).is_ok())
            .ok_or_else(too_large)?;

        let file = File::from(memfd_create("coarray", MemfdFlags::CLOEXEC)?);
        file.set_len(length as u64)?;
        let region = Self::map(
            file,
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
        region.dimensions = region.job().dimensions().ok_or_else(|| {
            io::Error::other("the launcher was built with another version of coarray")
        })?;
        Ok(region)
    }

    fn map(file: File, length: usize, dimensions: Dimensions) -> io::Result<Self> {
        let page = rustix::param::page_size();
        if length < job_bytes(page) {
            return Err(io::Error::other("the region is too small to be one"));
        }
        let map = MmapOptions::new()
            .len(length)
            .no_reserve_swap()
            .map_raw(&file)?;
        // Places are stored as addresses and turned back into pointers by `place`.
        map.as_mut_ptr().expose_provenance();
        Ok(Self {
            map,
            file,
            dimensions,
            page,
        })
    }

    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The anonymous file, to be inherited by image processes.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The page the whole job shares.
    pub(crate) fn job(&self) -> &JobControl {
        // SAFETY: the region starts with a JobControl: `map` made sure that it is long enough, mmap
        // returns page-aligned memory, every field is an atomic for which zero bytes are valid, and the
        // mapping lives as long as `self`.
        unsafe { &*self.map.as_ptr().cast::<JobControl>() }
    }

    /// The control structure of an image.
    pub(crate) fn control(&self, image: usize) -> &ImageControl {
        assert!(image < self.dimensions.images);
        // SAFETY: each part starts with an ImageControl at a multiple of the page size inside the
        // mapping (`create` computed the length from the same numbers); every field is an atomic for
        // which zero bytes are valid, and the mapping lives as long as `self`.
        unsafe {
            &*self
                .map
                .as_ptr()
                .add(self.part(image))
                .cast::<ImageControl>()
        }
    }

    /// Address of the first byte of an image's scratch space; its heap follows the scratch space.
    pub(crate) fn scratch(&self, image: usize) -> *mut u8 {
        assert!(image < self.dimensions.images);
        // SAFETY: parts lie inside the mapping, and each is longer than its control structure.
        unsafe {
            self.map
                .as_mut_ptr()
                .add(self.part(image) + control_bytes(self.page))
        }
    }

    /// Address of the first byte of an image's heap.
    pub(crate) fn heap(&self, image: usize) -> *mut u8 {
        // SAFETY: the scratch space lies inside the part.
        unsafe { self.scratch(image).add(SCRATCH_BYTES) }
    }

    /// Bytes in each heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.dimensions.stride - control_bytes(self.page) - SCRATCH_BYTES
    }

    /// Makes pages exist for the scratch space of an image.
    pub(crate) fn commit_scratch(&self, image: usize) -> io::Result<()> {
        self.commit(self.part(image) + control_bytes(self.page), SCRATCH_BYTES)
    }

    /// Makes pages exist for bytes `offset .. offset + length` of an image's heap, so that touching
    /// them later cannot fail. `images` images do so at the same time.
    pub(crate) fn commit_heap(
        &self,
        image: usize,
        offset: usize,
        length: usize,
        images: usize,
    ) -> io::Result<()> {
        memory::check_available(length.saturating_mul(images))?;
        let heap = self.part(image) + control_bytes(self.page) + SCRATCH_BYTES;
        self.commit(heap + offset, length)
    }

    fn commit(&self, offset: usize, length: usize) -> io::Result<()> {
        Ok(fallocate(
            &self.file,
            FallocateFlags::empty(),
            offset as u64,
            length as u64,
        )?)
    }

    fn part(&self, image: usize) -> usize {
        job_bytes(self.page) + image * self.dimensions.stride
    }
}

fn job_bytes(page: usize) -> usize {
    size_of::<JobControl>().next_multiple_of(page)
}

fn control_bytes(page: usize) -> usize {
    size_of::<ImageControl>().next_multiple_of(page)
}
