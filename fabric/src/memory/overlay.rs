//! Shared memory that a fabric has mapped, shown at a second place: the part of an image in the region.
//!
//! How far such memory lies from a multiple of 2 MiB is not the same in its file, where the fabric has it, and in the region. So
//! nobody's place for it can consist of huge pages. But the blocks of the file can: then the kernel clears each at once instead of 512
//! pages one by one, and its bytes are neighbours in the memory, which makes copies faster. It does so at a third place,
//! where the distance is the same as in the file, and which exists only meanwhile.

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr;

use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, mremap_fixed, munmap};

#[cfg(any(feature = "mpi", feature = "shmem", test))]
use crate::system::mapping::keep_to_this_process;
use crate::system::mapping::{HUGE, collapse, let_be_dumped, whole_blocks};

/// The second place of shared memory.
#[derive(Debug)]
pub(crate) struct Overlay {
    start: *mut u8,
    length: usize,
    /// How far from the start of a block of the file the memory begins, if that is known.
    into_block: Option<usize>,
}

// SAFETY: the place belongs to the process, not to a thread; who uses the memory takes care of races.
unsafe impl Send for Overlay {}

// SAFETY: as above.
unsafe impl Sync for Overlay {}

impl Overlay {
    /// Shows `length` bytes at `memory` in the place of what is mapped at `start`, too.
    ///
    /// # Errors
    /// If they cannot be mapped twice, as private memory cannot; then nothing has changed.
    ///
    /// # Safety
    /// The bytes at `memory` begin at a page, and are mapped shared as long as the overlay lives. Those at `start` belong to the
    /// caller, and nobody has used them.
    #[cfg(any(feature = "mpi", feature = "shmem", test))]
    pub(crate) unsafe fn new(start: *mut u8, length: usize, memory: *mut u8) -> io::Result<Self> {
        // SAFETY: passed on.
        unsafe { show(memory, length, start)? }
        for place in [start, memory] {
            // SAFETY: both places are mapped to the same pages now; they begin at one.
            unsafe { keep_to_this_process(place.cast(), length) };
        }
        let into_block = file_offset(memory.addr()).map(|offset| offset % HUGE);
        Ok(Self {
            start,
            length,
            into_block,
        })
    }

    /// Makes pages exist for a range, so that touching them cannot fail. Whole blocks of 2 MiB in the range become huge pages where
    /// the kernel has some.
    ///
    /// # Errors
    /// If there is no memory for the pages.
    pub(crate) fn commit(&self, range: Range<usize>) -> io::Result<()> {
        debug_assert!(range.end <= self.length);
        if let Some(into_block) = self.into_block {
            let blocks = whole_blocks(&(range.start + into_block..range.end + into_block));
            if !blocks.is_empty() {
                // Without them there are usual pages.
                let _ = self.make_huge(blocks.start - into_block, blocks.len());
            }
        }
        let page = rustix::param::page_size();
        let start = range.start / page * page;
        // SAFETY: the range lies in the overlay.
        unsafe { populate(self.start.add(start), range.end - start)? }
        // SAFETY: as above.
        unsafe { let_be_dumped(self.start, &range) };
        Ok(())
    }

    /// Has the kernel make huge pages of blocks: `length` bytes that begin with a block of the file.
    fn make_huge(&self, offset: usize, length: usize) -> io::Result<()> {
        let reserved = length + HUGE;
        // SAFETY: fresh address space that nobody can touch.
        let reservation = unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            mmap_anonymous(ptr::null_mut(), reserved, ProtFlags::empty(), flags)?
        };
        let before = reservation.addr().next_multiple_of(HUGE) - reservation.addr();
        // SAFETY: the blocks lie in the overlay, and `before` is at most the huge page that was reserved beyond their length. If this
        // fails, others may have got a part of the reservation: it is left alone, and only addresses are lost.
        let place = unsafe {
            let place = reservation.byte_add(before).cast::<u8>();
            show(self.start.add(offset), length, place)?;
            place
        };
        // A block without any page is none to the kernel.
        let first_pages = (0..length).step_by(HUGE).try_for_each(|block| {
            // SAFETY: the blocks are mapped there.
            unsafe { populate(place.add(block), 1) }
        });
        if first_pages.is_ok() {
            // SAFETY: as above.
            unsafe { collapse(place, length) }
        }
        // SAFETY: reserved above, and used by nobody else.
        unsafe { munmap(reservation, reserved)? }
        first_pages
    }
}

/// Maps shared memory a second time, at `place`.
///
/// # Safety
/// What is mapped at `place` belongs to the caller, and nobody uses it.
unsafe fn show(memory: *mut u8, length: usize, place: *mut u8) -> io::Result<()> {
    // First somewhere else: a failure must not leave a hole.
    // SAFETY: without an old length this makes a new mapping of the same pages, and changes no other.
    let second = unsafe { mremap(memory.cast(), 0, length, MremapFlags::MAYMOVE)? };
    // By system calls, since what UCX puts in the place of the function in the C library drops the new place.
    // SAFETY: moves what was just mapped; the caller owns the place.
    unsafe { mremap_fixed(second, length, length, MremapFlags::MAYMOVE, place.cast())? };
    Ok(())
}

/// Makes pages exist.
///
/// # Safety
/// The bytes are mapped, and `start` is at the start of a page.
unsafe fn populate(start: *mut u8, length: usize) -> io::Result<()> {
    /// Of Linux 5.14.
    const MADV_POPULATE_WRITE: i32 = 23;
    // SAFETY: the caller owns the mapping; pages keep what they hold.
    let result = unsafe { libc::madvise(start.cast::<c_void>(), length, MADV_POPULATE_WRITE) };
    let error = io::Error::last_os_error();
    // Older kernels do not know how: the pages come when they are touched.
    if result == 0 || error.raw_os_error() == Some(libc::EINVAL) {
        Ok(())
    } else {
        Err(error)
    }
}

/// How far into its file the memory at an address lies, if the kernel says so.
#[cfg(any(feature = "mpi", feature = "shmem", test))]
fn file_offset(address: usize) -> Option<usize> {
    let number = |text| usize::from_str_radix(text, 16).ok();
    let maps = std::fs::read("/proc/self/maps").ok()?;
    String::from_utf8_lossy(&maps).lines().find_map(|line| {
        // Addresses, permissions, offset.
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (number(start)?, number(end)?);
        let offset = number(words.nth(1)?)?;
        (start..end)
            .contains(&address)
            .then(|| offset + (address - start))
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;
    use crate::system::mapping::Mapping;

    const PAGE: usize = 4096;

    fn file(length: usize) -> File {
        let file = File::from(memfd_create("overlay", MemfdFlags::CLOEXEC).unwrap());
        file.set_len(length as u64).unwrap();
        file
    }

    fn is_there(file: &File) -> usize {
        rustix::fs::fstat(file).unwrap().st_blocks as usize * 512
    }

    /// Bytes in huge pages of a mapping whose pages have been touched.
    fn huge_bytes(mapping: &Mapping) -> usize {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let start = format!("{:x}-", mapping.start().addr());
        let entry = maps.lines().skip_while(|line| !line.starts_with(&start));
        let mut lines = entry.filter_map(|line| line.strip_prefix("ShmemPmdMapped:"));
        let size = lines.next().unwrap().trim().strip_suffix(" kB").unwrap();
        size.parse::<usize>().unwrap() * 1024
    }

    #[test]
    fn it_shows_the_same_bytes_and_no_more() {
        let (region, fabric) = (file(8 * HUGE), file(3 * HUGE));
        let region = Mapping::new(&region, 8 * HUGE).unwrap();
        let memory = Mapping::new(&fabric, 3 * HUGE).unwrap();
        // SAFETY: only this test uses the memory, which lives as long.
        unsafe {
            let place = region.start().add(3 * HUGE);
            let overlay = Overlay::new(place, 2 * HUGE, memory.start().add(PAGE)).unwrap();
            overlay.commit(0..2 * HUGE).unwrap();
            memory.start().add(PAGE + 77).write_volatile(42);
            assert_eq!(place.add(77).read_volatile(), 42);
            place.add(2 * HUGE).write_volatile(1);
            assert_eq!(memory.start().add(PAGE + 2 * HUGE).read_volatile(), 0);
        }
    }

    #[test]
    fn private_memory_is_refused_and_nothing_changes() {
        let region = file(HUGE);
        let region = Mapping::new(&region, HUGE).unwrap();
        let mut private = vec![0_u8; 2 * HUGE];
        // SAFETY: only this test uses the memory.
        unsafe {
            region.start().write_volatile(42);
            let start = private.as_mut_ptr();
            let page = start.add(start.align_offset(PAGE));
            assert!(Overlay::new(region.start(), HUGE, page).is_err());
            assert_eq!(region.start().read_volatile(), 42);
        }
    }

    #[test]
    fn committing_takes_the_memory_of_the_range_and_keeps_what_is_there() {
        let (region, fabric) = (file(8 * HUGE), file(8 * HUGE));
        let region = Mapping::new(&region, 8 * HUGE).unwrap();
        let memory = Mapping::new(&fabric, 8 * HUGE).unwrap();
        let skipped = 3 * PAGE;
        // SAFETY: only this test uses the memory, which lives as long.
        unsafe {
            let memory = memory.start().add(skipped);
            let overlay = Overlay::new(region.start(), 6 * HUGE, memory).unwrap();
            memory.add(3 * HUGE + 5).write_volatile(42);
            let range = HUGE / 2..5 * HUGE + PAGE;
            overlay.commit(range.clone()).unwrap();
            assert_eq!(memory.add(3 * HUGE + 5).read_volatile(), 42);
            assert_eq!(region.start().add(3 * HUGE + 5).read_volatile(), 42);
            assert_eq!(memory.add(2 * HUGE).read_volatile(), 0);
            assert_eq!(is_there(&fabric), range.len());
        }
    }

    #[test]
    fn blocks_become_as_huge_as_those_of_a_mapping() {
        let [region, fabric, other] = [8, 6, 6].map(|blocks| file(blocks * HUGE));
        let region = Mapping::new(&region, 8 * HUGE).unwrap();
        let memory = Mapping::new(&fabric, 6 * HUGE).unwrap();
        let usual = Mapping::new(&other, 6 * HUGE).unwrap();
        usual.commit(&other, 0..6 * HUGE).unwrap();
        // SAFETY: only this test uses the memory, which lives as long.
        unsafe {
            // In the region at another distance from a huge page than in the file.
            let place = region.start().add(5 * PAGE);
            let overlay = Overlay::new(place, 6 * HUGE, memory.start()).unwrap();
            overlay.commit(0..6 * HUGE).unwrap();
            for offset in (0..6 * HUGE).step_by(PAGE) {
                memory.start().add(offset).write_volatile(1);
                usual.start().add(offset).write_volatile(1);
            }
        }
        // A kernel may have none at all.
        assert_eq!(huge_bytes(&memory) > 0, huge_bytes(&usual) > 0);
    }

    #[test]
    fn the_place_in_a_file_is_found() {
        let file = file(4 * HUGE);
        let map = Mapping::new(&file, 4 * HUGE).unwrap();
        let address = map.start().addr();
        assert_eq!(file_offset(address), Some(0));
        assert_eq!(file_offset(address + 3 * HUGE + 5), Some(3 * HUGE + 5));
        assert_eq!(file_offset(0), None);
    }
}
