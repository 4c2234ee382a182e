//! The memory of a job: its region, and the control structures at the start of it and of each image's part.
//!
//! ```text
//! | JobControl | image 0: ImageControl, pairs, scratch, heap -> ... <- ragged | image 1: ... | ... |
//! ```

use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut};

use crate::job::control::{ImageControl, JobControl, LAYOUT};
use crate::lockfree::eventcount::Eventcount;
use coarray_fabric::memory::region::{Areas, Region};

/// The count that one image awaits from one other in `sync_images`: a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Pair(Eventcount);

/// A mapping of the memory of a job.
#[derive(Debug)]
pub struct JobMemory(Region);

impl JobMemory {
    /// Creates the memory of a job with `images` heaps of `heap` bytes each.
    pub fn create(images: usize, heap: usize, have_cores_for_all: bool) -> io::Result<Self> {
        Region::create(areas(images), LAYOUT, images, heap, have_cores_for_all).map(Self)
    }

    /// Maps the memory that another process created.
    ///
    /// # Safety
    /// The file is that of a job of which this process is to be an image.
    pub unsafe fn attach(file: File) -> io::Result<Self> {
        // SAFETY: `create` made the file, and the layout says that the job's images are of the same version.
        unsafe { Region::attach(file, LAYOUT) }.map(Self)
    }

    /// The structure that the whole job shares.
    #[inline]
    pub fn job(&self) -> &JobControl {
        // SAFETY: the job's area was made for a `JobControl` and is aligned to cache lines. Every field is an atomic,
        // for which zero bytes are valid, and the mapping lives as long as `self`.
        unsafe { &*self.job_area().cast::<JobControl>() }
    }

    /// The control structure of an image.
    #[inline]
    pub fn control(&self, image: usize) -> &ImageControl {
        // SAFETY: each part begins at a page with an area that was made for an `ImageControl`. Every field is an
        // atomic, for which zero bytes are valid, and the mapping lives as long as `self`.
        unsafe { &*self.part_address(image, 0).cast::<ImageControl>() }
    }

    /// The offset in each part of the control structure of the team of all images.
    pub(crate) fn first_team(&self) -> usize {
        offset_of!(ImageControl, team)
    }

    /// The count of calls of `sync_images` by image `from` with `image`: `from` advances it, `image` reads it.
    pub(crate) fn pair(&self, image: usize, from: usize) -> &Eventcount {
        assert!(from < self.dimensions().images);
        let offset = size_of::<ImageControl>() + from * size_of::<Pair>();
        // SAFETY: the pairs follow the control structure in each part, whose length is a multiple of their alignment.
        // Zero bytes are valid, only this function refers to them, and the mapping lives as long as `self`.
        unsafe { &(*self.part_address(image, offset).cast::<Pair>()).0 }
    }

    /// The count of the eventcount at this offset of the region, as another image sees it; `None` if none can be there.
    pub(crate) fn count_at(&self, offset: usize) -> Option<u64> {
        // SAFETY: some image waits or waited for an eventcount there, so the page exists. If the eventcount is gone,
        // the count means nothing.
        unsafe { self.word_at(offset) }.map(Eventcount::count_in)
    }
}

impl Deref for JobMemory {
    type Target = Region;

    #[inline]
    fn deref(&self) -> &Region {
        &self.0
    }
}

impl DerefMut for JobMemory {
    fn deref_mut(&mut self) -> &mut Region {
        &mut self.0
    }
}

/// The largest heap for each of `images` images that the limits allow.
pub(crate) fn largest_heap(images: usize) -> usize {
    areas(images).largest_heap(images)
}

fn areas(images: usize) -> Areas {
    Areas {
        job: size_of::<JobControl>(),
        image: size_of::<ImageControl>() + images * size_of::<Pair>(),
    }
}
