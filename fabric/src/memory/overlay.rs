//! Shared memory of MPI or OpenSHMEM, mapped a second time in the place of an image's part.
//!
//! A mapping can use huge pages only if it is as far from a multiple of 2 MiB as its bytes are in their file. Neither mapping is. But the blocks of
//! the file can still become huge pages: then the kernel clears 2 MiB at once in place of 512 pages one by one, and the bytes are contiguous in
//! physical memory, which makes copies faster. For that `commit` makes a third, temporary mapping with the right distance.

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr;

use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, mremap_fixed, munmap};

#[cfg(any(feature = "mpi", feature = "shmem", test))]
use crate::system::mapping::keep_to_this_process;
use crate::system::mapping::{HUGE, collapse, let_be_dumped, whole_blocks};

/// A second mapping of shared memory.
#[derive(Debug)]
pub(crate) struct Overlay {
    start: *mut u8,
    length: usize,
    /// Bytes from the start of a 2 MiB block of the file to the memory, if known.
    into_block: Option<usize>,
}

// SAFETY: a mapping belongs to the process, not to a thread, and `Overlay` does not access its bytes except by system calls.
unsafe impl Send for Overlay {}

// SAFETY: its methods with `&self` are system calls, which threads may make at the same time.
unsafe impl Sync for Overlay {}

impl Overlay {
    /// Maps `length` bytes at `memory` a second time, in the place of the mapping at `start`.
    ///
    /// # Errors
    /// If they cannot be mapped twice, as private memory cannot; then nothing has changed.
    ///
    /// # Safety
    /// `memory` is page-aligned, and stays mapped shared as long as the overlay lives. The mapping at `start` belongs to the caller and has not been
    /// used.
    #[cfg(any(feature = "mpi", feature = "shmem", test))]
    pub(crate) unsafe fn new(start: *mut u8, length: usize, memory: *mut u8) -> io::Result<Self> {
        // SAFETY: the caller vouches for the shared mapping at `memory`, and owns the one at `start`.
        unsafe { show(memory, length, start)? }
        for place in [start, memory] {
            // SAFETY: both are page-aligned mappings of `length` bytes.
            unsafe { keep_to_this_process(place.cast(), length) };
        }
        let into_block = file_offset(memory.addr()).map(|offset| offset % HUGE);
        Ok(Self {
            start,
            length,
            into_block,
        })
    }

    /// Commits a range, so that accessing it cannot fail later. Whole 2 MiB blocks in the range become huge pages if the kernel has some.
    ///
    /// # Errors
    /// If there is no memory for the pages.
    pub(crate) fn commit(&self, range: Range<usize>) -> io::Result<()> {
        debug_assert!(range.end <= self.length);
        if let Some(into_block) = self.into_block {
            let blocks = whole_blocks(&(range.start + into_block..range.end + into_block));
            if !blocks.is_empty() {
                // An error means ordinary pages.
                let _ = self.make_huge(blocks.start - into_block, blocks.len());
            }
        }
        let page = rustix::param::page_size();
        let start = range.start / page * page;
        // SAFETY: the range lies in the overlay's mapping, and `start` is page-aligned.
        unsafe { populate(self.start.add(start), range.end - start)? }
        // SAFETY: the range lies in the overlay's mapping.
        unsafe { let_be_dumped(self.start, &range) };
        Ok(())
    }

    /// Has the kernel make huge pages of blocks: `length` bytes that begin with a block of the file.
    fn make_huge(&self, offset: usize, length: usize) -> io::Result<()> {
        let reserved = length + HUGE;
        // SAFETY: a new anonymous mapping at an address that the kernel chooses.
        let reservation = unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            mmap_anonymous(ptr::null_mut(), reserved, ProtFlags::empty(), flags)?
        };
        let before = reservation.addr().next_multiple_of(HUGE) - reservation.addr();
        // SAFETY: the blocks lie in the overlay's mapping, and `before + length <= reserved`, so `place` is in the reservation, which this function
        // owns. If `show` fails, the kernel may have given a part of the reservation to others: it is leaked, which costs addresses only.
        let place = unsafe {
            let place = reservation.byte_add(before).cast::<u8>();
            show(self.start.add(offset), length, place)?;
            place
        };
        // The kernel collapses a block only if it has a page.
        let first_pages = (0..length).step_by(HUGE).try_for_each(|block| {
            // SAFETY: `show` has mapped the blocks there, and blocks are page-aligned.
            unsafe { populate(place.add(block), 1) }
        });
        if first_pages.is_ok() {
            // SAFETY: `show` has mapped `length` bytes there.
            unsafe { collapse(place, length) }
        }
        // SAFETY: the reservation was made above, and no pointer into it is left.
        unsafe { munmap(reservation, reserved)? }
        first_pages
    }
}

/// Maps `length` bytes of shared memory a second time, at `place`.
///
/// # Safety
/// The mapping at `place` belongs to the caller, and is not in use.
unsafe fn show(memory: *mut u8, length: usize, place: *mut u8) -> io::Result<()> {
    // First at an address that the kernel chooses: a failure must not leave a hole at `place`.
    // SAFETY: `mremap` with an old length of 0 makes a new mapping of the same pages, and changes no other (mremap(2)).
    let second = unsafe { mremap(memory.cast(), 0, length, MremapFlags::MAYMOVE)? };
    // As a system call: UCX replaces the C library's `mremap` by a function that ignores the new address.
    // SAFETY: moves the mapping made above to `place`, which the caller owns.
    unsafe { mremap_fixed(second, length, length, MremapFlags::MAYMOVE, place.cast())? };
    Ok(())
}

/// Commits pages.
///
/// # Safety
/// The bytes are mapped, and `start` is page-aligned.
unsafe fn populate(start: *mut u8, length: usize) -> io::Result<()> {
    /// Of Linux 5.14.
    const MADV_POPULATE_WRITE: i32 = 23;
    // SAFETY: `MADV_POPULATE_WRITE` changes no contents; the caller vouches for the mapping.
    let result = unsafe { libc::madvise(start.cast::<c_void>(), length, MADV_POPULATE_WRITE) };
    let error = io::Error::last_os_error();
    // Older kernels do not know it: pages are then committed on first access.
    if result == 0 || error.raw_os_error() == Some(libc::EINVAL) {
        Ok(())
    } else {
        Err(error)
    }
}

/// The offset in its file of the memory at an address, if the kernel tells.
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
