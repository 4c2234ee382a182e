//! The memory of a job: its region, and the control structures at the start of it and of each image's part.
//!
//! ```text
//! | JobControl | image 0: ImageControl, pairs, tables, timeline, scratch, heap -> ... <- ragged | image 1: ... | ... |
//! ```
//!
//! Only in a job that is traced is there a timeline. What its images record may lie in the memory of another such structure, in a file with a name
//! and without heaps, which is there when all processes have been killed: [`JobMemory::record_in`].

use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::job::control::{ImageControl, JobControl, LAYOUT};
use crate::lockfree::eventcount::Eventcount;
use crate::profile::activity::Activity;
use crate::profile::counts::{Count, CountTable, Counts};
use crate::profile::place::Place;
use crate::profile::table::{ImageProfile, ImageTable};
use crate::profile::timebase::Timebase;
use crate::profile::timeline::{GROWTH, Origin, Steps, Timeline};
use coarray_fabric::memory::region::{Areas, Region};

/// The count that one image awaits from one other in `sync_images`: a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Pair(Eventcount);

/// A mapping of the memory of a job.
#[derive(Debug)]
pub struct JobMemory {
    region: Region,
    /// Where images record what they do, if that is not here, and in which part each.
    records: Option<(Box<Self>, Vec<Option<usize>>)>,
}

impl JobMemory {
    /// Creates the memory of a job with `images` heaps of `heap` bytes each, and room for timelines if it is traced.
    pub fn create(
        images: usize,
        heap: usize,
        have_cores_for_all: bool,
        is_traced: bool,
    ) -> io::Result<Self> {
        let areas = areas(images, is_traced);
        Region::create(areas, LAYOUT, images, heap, have_cores_for_all).map(Self::of)
    }

    fn of(region: Region) -> Self {
        Self {
            region,
            records: None,
        }
    }

    /// Creates memory in which so many images of a node can [record](Self::record_in) what they do, in a file at this path.
    ///
    /// # Errors
    /// If there cannot be such a file, or no room for what all of them record at first: then they would not begin. It may be there.
    pub fn create_records(path: &Path, images: usize) -> io::Result<Self> {
        let memory = Self::of(Region::create_at(
            path,
            areas(images, true),
            LAYOUT,
            images,
        )?);
        for part in 0..images {
            memory.commit_table(part)?;
            memory.commit_records(part, &(0..GROWTH))?;
        }
        Ok(memory)
    }

    /// Lets these images, those of the node, record in `records` what they do, each in the part of its place in the list. Before any of them begins.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub fn record_in(&mut self, records: Self, images: &[usize]) {
        assert!(records.is_traced() && images.len() <= records.dimensions().images);
        let mut parts = vec![None; self.dimensions().images];
        for (part, &image) in images.iter().enumerate() {
            parts[image] = Some(part);
        }
        self.records = Some((Box::new(records), parts));
    }

    /// Where an image records what it does, and in which part.
    #[inline]
    fn records_of(&self, image: usize) -> (&Self, usize) {
        let there = self.records.as_ref();
        let there = there.and_then(|(records, parts)| Some((&**records, parts[image]?)));
        there.unwrap_or((self, image))
    }

    /// Maps the memory that another process created.
    ///
    /// # Safety
    /// The file is that of a job of which this process is to be an image.
    pub unsafe fn attach(file: File) -> io::Result<Self> {
        // SAFETY: `create` made the file, and the layout says that the job's images are of the same version.
        unsafe { Region::attach(file, LAYOUT) }.map(Self::of)
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

    /// The count of calls of `sync_images` by image `from` with `image`: `from` advances it, `image` reads it. Either commits it before
    /// it uses it.
    pub(crate) fn pair(&self, image: usize, from: usize) -> &Eventcount {
        let offset = self.pair_offset(from);
        // SAFETY: the pairs follow the control structure in each part, whose length is a multiple of their alignment.
        // Zero bytes are valid, only this function refers to them, and the mapping lives as long as `self`.
        unsafe { &(*self.part_address(image, offset).cast::<Pair>()).0 }
    }

    /// Commits the memory of a pair. Of all pairs of images of a large job, few ever meet.
    pub(crate) fn commit_pair(&self, image: usize, from: usize) -> io::Result<()> {
        self.commit_part(image, self.pair_offset(from), size_of::<Pair>())
    }

    fn pair_offset(&self, from: usize) -> usize {
        assert!(from < self.dimensions().images);
        size_of::<ImageControl>() + from * size_of::<Pair>()
    }

    /// What an image has waited for, and what it has moved; nothing in a job that is not profiled.
    pub fn profile(&self, image: usize) -> ImageProfile {
        let (moves, row) = self.counts(image).read();
        ImageProfile {
            moves,
            row,
            ..self.table(image).read()
        }
    }

    /// What an image has moved. Only an image of a job that counts [commits](Self::commit_counts) it; before, it is read as zeros.
    pub(crate) fn counts(&self, image: usize) -> Counts<'_> {
        let offset = self.counts_offset();
        let images = self.dimensions().images;
        let row = self.part_address(image, offset + size_of::<CountTable>());
        // SAFETY: the counts follow the table of waits in each part, which begins at a page, at a multiple of their alignment, and the row follows
        // them. Zero bytes are valid, only this function refers to them, and the mapping lives as long as `self`.
        unsafe {
            Counts {
                table: &*self.part_address(image, offset).cast::<CountTable>(),
                row: std::slice::from_raw_parts(row.cast::<Count>(), images),
            }
        }
    }

    /// Commits the memory of the counts of an image.
    pub(crate) fn commit_counts(&self, image: usize) -> io::Result<()> {
        let bytes = bytes_of_counts(self.dimensions().images);
        self.commit_part(image, self.counts_offset(), bytes)
    }

    fn counts_offset(&self) -> usize {
        self.table_offset() + size_of::<ImageTable>()
    }

    /// The table of what an image has waited for. Only an image of a profiled job [commits](Self::commit_table) it; before, it is read as
    /// zeros.
    #[inline]
    pub(crate) fn table(&self, image: usize) -> &ImageTable {
        let (memory, part) = self.records_of(image);
        let offset = memory.table_offset();
        // SAFETY: the table follows the pairs in each part, which begins at a page, at a multiple of its alignment. Zero bytes are valid, only
        // this function refers to it, and the mapping lives as long as `self`.
        unsafe { &*memory.part_address(part, offset).cast::<ImageTable>() }
    }

    /// Commits the memory of the table of an image.
    pub(crate) fn commit_table(&self, image: usize) -> io::Result<()> {
        let (memory, part) = self.records_of(image);
        memory.commit_part(part, memory.table_offset(), size_of::<ImageTable>())
    }

    #[inline]
    fn table_offset(&self) -> usize {
        size_of::<ImageControl>() + self.dimensions().images * size_of::<Pair>()
    }

    /// Whether the job is traced: each image has room for a timeline.
    pub fn is_traced(&self) -> bool {
        self.timeline_offset() + size_of::<Timeline>() <= self.scratch_offset()
    }

    /// The timeline of an image of a job that is traced. The image [commits](Self::commit_records) its records, the first ones together with what is
    /// before them; before, all is read as zeros.
    ///
    /// # Panics
    /// If the job is not traced.
    pub(crate) fn timeline(&self, image: usize) -> &Timeline {
        assert!(self.is_traced());
        let (memory, part) = self.records_of(image);
        let offset = memory.timeline_offset();
        // SAFETY: there is room for it in each part, as `is_traced` says, which begins at a page, at a multiple of its alignment. Zero bytes are
        // valid, only this function refers to it, and the mapping lives as long as `self`.
        unsafe { &*memory.part_address(part, offset).cast::<Timeline>() }
    }

    /// Commits the memory of these records of the timeline of an image of a job that is traced.
    pub(crate) fn commit_records(&self, image: usize, records: &Range<usize>) -> io::Result<()> {
        let place = Timeline::place(records);
        let (memory, part) = self.records_of(image);
        memory.commit_part(part, memory.timeline_offset() + place.start, place.len())
    }

    fn timeline_offset(&self) -> usize {
        self.counts_offset() + bytes_of_counts(self.dimensions().images)
    }

    /// Notes what the timeline of an image of a job that is traced says of it besides what it did.
    ///
    /// # Errors
    /// If there is no memory for that.
    pub fn note_origin(&self, image: usize, origin: &Origin) -> io::Result<()> {
        self.commit_records(image, &(0..0))?;
        self.timeline(image).note_origin(origin);
        Ok(())
    }

    /// Of memory in which images [recorded](Self::record_in) what they did, what was [noted](Self::note_origin) of the one that had this part; `None` if
    /// none had.
    pub fn origin(&self, part: usize) -> Option<Origin> {
        self.timeline(part).origin()
    }

    /// When an image began, by the clock of profiles and in nanoseconds; `None` if it has not, or nobody recorded that.
    pub fn begun(&self, image: usize) -> Option<(u64, u64)> {
        self.table(image).begun()
    }

    /// The last time that an image noted by both of these clocks; `None` if it has not begun.
    pub fn last_known(&self, image: usize) -> Option<(u64, u64)> {
        self.table(image).last_known()
    }

    /// What an image of a job that is traced did.
    ///
    /// # Panics
    /// If the job is not traced.
    pub fn steps(&self, image: usize, timebase: Timebase) -> Steps {
        let (steps, names, lost) = self.timeline(image).read(timebase);
        let table = self.table(image);
        let name = |(line, name): (Option<(Place, Option<Activity>)>, String)| {
            let (place, activity) = line?;
            let what = match activity {
                Some(Activity::Region) => name,
                _ if name.is_empty() => place.activity,
                _ => format!("{name}: {}", place.activity),
            };
            let place = Place {
                activity: what,
                ..place
            };
            Some((place, activity))
        };
        Steps {
            steps,
            lines: table.places().zip(names).map(name).collect(),
            lost,
            latest: timebase.nanoseconds(table.latest.load(Ordering::Relaxed)),
        }
    }

    /// The count of the eventcount at this offset of the region, as another image sees it; `None` if none can be there.
    pub(crate) fn count_at(&self, offset: usize) -> Option<u64> {
        // SAFETY: some image waits or waited for an eventcount there, so the page exists. If the eventcount is gone,
        // the count means nothing.
        unsafe { self.word_at(offset) }.map(Eventcount::count_in)
    }

    /// The value of the signal word at this offset of the region; `None` if none can be there.
    pub(crate) fn signal_at(&self, offset: usize) -> Option<u64> {
        // SAFETY: as in `count_at`.
        unsafe { self.word_at(offset) }
    }
}

impl Deref for JobMemory {
    type Target = Region;

    #[inline]
    fn deref(&self) -> &Region {
        &self.region
    }
}

impl DerefMut for JobMemory {
    fn deref_mut(&mut self) -> &mut Region {
        &mut self.region
    }
}

/// The largest heap for each of `images` images that the limits allow, beside timelines if the job is traced.
pub(crate) fn largest_heap(images: usize, is_traced: bool) -> usize {
    areas(images, is_traced).largest_heap(images)
}

fn areas(images: usize, is_traced: bool) -> Areas {
    let timeline = if is_traced { size_of::<Timeline>() } else { 0 };
    Areas {
        job: size_of::<JobControl>(),
        image: size_of::<ImageControl>(),
        sparse: images * size_of::<Pair>()
            + size_of::<ImageTable>()
            + bytes_of_counts(images)
            + timeline,
    }
}

/// Bytes of what an image counts: a table, and a row of the matrix.
fn bytes_of_counts(images: usize) -> usize {
    (size_of::<CountTable>() + images * size_of::<Count>()).next_multiple_of(64)
}

#[cfg(test)]
mod tests {
    use rustix::fs::fstat;

    use super::*;

    /// Bytes of the memory that are committed.
    fn committed(memory: &JobMemory) -> usize {
        fstat(memory.file()).unwrap().st_blocks as usize * 512
    }

    /// A node has a shadow of each image of another node.
    #[test]
    fn control_memory_of_a_node_does_not_grow_with_the_square_of_the_images() {
        let page = rustix::param::page_size();
        let part = size_of::<ImageControl>().next_multiple_of(page);
        println!(
            "images   control memory of a node   for each image   when an image has met 6 others"
        );
        for images in [8, 64, 512, 4096] {
            let memory = JobMemory::create(images, 1 << 20, false, false).unwrap();
            let bytes = committed(&memory);
            // The image of a halo exchange in three dimensions, on a node of its own.
            for partner in (1..7).map(|number| number * (images - 1) / 6) {
                memory.commit_pair(0, partner).unwrap();
                memory.pair(0, partner).advance_to(1);
            }
            let met = committed(&memory);
            println!("{images:6} {bytes:26} {:16} {met:33}", bytes / images);
            assert!(bytes <= images * part + size_of::<JobControl>() + 2 * page);
            assert!(met <= bytes + 6 * page, "{met}");
        }
    }
}
