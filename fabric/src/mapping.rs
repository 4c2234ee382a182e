//! The region in the address space of one process, so placed that its memory can consist of huge pages.
//!
//! A processor remembers the addresses of a few thousand pages. Programs that go far in large coarrays need more of the
//! usual pages of 4 KiB than that, and every page costs each image a fault when it first gets there. For the memory
//! behind a file the kernel gives out huge pages only where it is asked: whole blocks of 2 MiB, at the same distance
//! from a multiple of 2 MiB in the file and in the address space.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// Bytes of a huge page, on the machines there are: others merely miss an optimisation.
const HUGE: usize = 2 << 20;

/// A file mapped from its start, to read and write, shared with other processes. No swap space is reserved.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: *mut u8,
    length: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread; who uses the memory takes care of races.
unsafe impl Send for Mapping {}

// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `length` bytes of the file.
    pub(crate) fn new(file: &File, length: usize) -> io::Result<Self> {
        let reserved = length
            .checked_next_multiple_of(rustix::param::page_size())
            .and_then(|pages| pages.checked_add(HUGE))
            .filter(|_| length > 0)
            .ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: fresh address space that nobody can touch.
        let first = unsafe {
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            mmap_anonymous(ptr::null_mut(), reserved, ProtFlags::empty(), flags)?
        };
        let before = first.addr().next_multiple_of(HUGE) - first.addr();
        // SAFETY: `before` is less than what was reserved beyond the length.
        let start = unsafe { first.byte_add(before) };
        // SAFETY: replaces a part of what was just reserved, which nobody uses.
        let mapped = unsafe {
            let flags = MapFlags::SHARED | MapFlags::NORESERVE | MapFlags::FIXED;
            let access = ProtFlags::READ | ProtFlags::WRITE;
            mmap(start, length, access, flags, file, 0)
        };
        let pages = length.next_multiple_of(rustix::param::page_size());
        let rest = if mapped.is_ok() {
            [0..before, before + pages..reserved]
        } else {
            [0..reserved, 0..0]
        };
        for Range { start, end } in rest {
            if start < end {
                // SAFETY: reserved above, and not part of the mapping.
                unsafe { munmap(first.byte_add(start), end - start)? }
            }
        }
        Ok(Self {
            start: mapped?.cast(),
            length,
        })
    }

    /// The first byte.
    #[inline]
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Bytes mapped.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Shows shared memory that is mapped elsewhere in the place of a range, too.
    ///
    /// # Errors
    /// If it cannot be mapped twice, as private memory cannot; then nothing has changed.
    ///
    /// # Safety
    /// As many bytes at `memory`, from the start of a page on, are mapped shared as long as this mapping lives, and
    /// nobody has used the range.
    #[cfg(any(feature = "mpi", feature = "shmem", test))]
    pub(crate) unsafe fn replace(&self, range: Range<usize>, memory: *mut u8) -> io::Result<()> {
        use rustix::mm::{MremapFlags, mremap, mremap_fixed};

        debug_assert!(range.end <= self.length);
        // First somewhere else: a failure must not leave a hole.
        // SAFETY: without an old length this makes a new mapping of the same pages, and changes no other.
        let second = unsafe { mremap(memory.cast(), 0, range.len(), MremapFlags::MAYMOVE)? };
        // By system calls, since what UCX puts in the place of the function in the C library drops the new place.
        // SAFETY: moves what was just mapped to the range, which belongs to this mapping and is not used.
        unsafe {
            let place = self.start.add(range.start).cast::<c_void>();
            mremap_fixed(
                second,
                range.len(),
                range.len(),
                MremapFlags::MAYMOVE,
                place,
            )?;
        }
        Ok(())
    }

    /// Makes pages exist for a range that [`replace`](Self::replace) has replaced.
    ///
    /// # Errors
    /// If there is no memory for the pages.
    pub(crate) fn populate(&self, range: Range<usize>) -> io::Result<()> {
        debug_assert!(range.end <= self.length);
        let page = rustix::param::page_size();
        let start = range.start / page * page;
        // SAFETY: the pages lie in the mapping, and keep what they hold.
        let result = unsafe {
            let place = self.start.add(start).cast::<c_void>();
            libc::madvise(place, range.end - start, MADV_POPULATE_WRITE)
        };
        let error = io::Error::last_os_error();
        // Older kernels do not know how: the pages come when they are touched.
        if result == 0 || error.raw_os_error() == Some(libc::EINVAL) {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Makes pages exist for a range of the file, which this maps, so that touching them cannot fail. Whole blocks of
    /// 2 MiB in the range become huge pages where the kernel has some, without taking more memory.
    ///
    /// # Errors
    /// If there is no memory for the pages.
    pub(crate) fn commit(&self, file: &File, range: Range<usize>) -> io::Result<()> {
        debug_assert!(range.end <= self.length);
        let allocate = |offset: usize, length: usize| {
            let flags = FallocateFlags::empty();
            fallocate(file, flags, offset as u64, length as u64)
        };
        let blocks = whole_blocks(&range);
        if !blocks.is_empty() {
            // A block without any page is none to the kernel.
            for block in blocks.clone().step_by(HUGE) {
                allocate(block, 1)?;
            }
            // SAFETY: the range lies in the mapping. The kernel moves what the blocks hold, which nobody notices.
            unsafe {
                let start = self.start.add(blocks.start).cast::<c_void>();
                // Older kernels do not know how, and others may have no huge pages left: then there are usual ones.
                libc::madvise(start, blocks.len(), MADV_COLLAPSE);
            }
        }
        Ok(allocate(range.start, range.len())?)
    }
}

/// `MADV_POPULATE_WRITE` of Linux 5.14.
const MADV_POPULATE_WRITE: i32 = 23;

/// `MADV_COLLAPSE` of Linux 6.1, which also works where huge pages for shared memory are not turned on for everybody,
/// unless they are forbidden.
const MADV_COLLAPSE: i32 = 25;

/// The part of a range of the file that consists of whole huge pages.
fn whole_blocks(range: &Range<usize>) -> Range<usize> {
    let start = range.start.next_multiple_of(HUGE);
    start..(range.end / HUGE * HUGE).max(start)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`; whoever made pointers into it promised that they do not outlive it. It cannot fail
        // for a mapping that exists.
        let unmapped = unsafe { munmap(self.start.cast(), self.length) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    fn file(length: usize) -> File {
        let file = File::from(memfd_create("mapping", MemfdFlags::CLOEXEC).unwrap());
        file.set_len(length as u64).unwrap();
        file
    }

    #[test]
    fn only_whole_blocks_become_huge() {
        assert_eq!(whole_blocks(&(0..HUGE)), 0..HUGE);
        assert_eq!(whole_blocks(&(1..3 * HUGE + 5)), HUGE..3 * HUGE);
        for small in [0..HUGE - 1, 1..HUGE, 1..2 * HUGE - 1, 7..7] {
            assert!(whole_blocks(&small).is_empty(), "{small:?}");
        }
    }

    #[test]
    fn two_mappings_of_a_file_show_the_same_bytes() {
        let length = 5 * HUGE + 12345;
        let file = file(length);
        let (one, other) = (
            Mapping::new(&file, length).unwrap(),
            Mapping::new(&file, length).unwrap(),
        );
        assert_ne!(one.start(), other.start());
        assert!([&one, &other].map(|map| map.start().addr().is_multiple_of(HUGE)) == [true; 2]);
        for offset in [0, HUGE - 1, 3 * HUGE, length - 1] {
            // SAFETY: the offset lies in both mappings, whose memory only this test uses.
            unsafe {
                one.start().add(offset).write_volatile(offset as u8 | 1);
                assert_eq!(other.start().add(offset).read_volatile(), offset as u8 | 1);
            }
        }
    }

    #[test]
    fn committing_keeps_what_is_there_and_takes_the_memory_of_the_range() {
        let length = 8 * HUGE;
        let file = file(length);
        let map = Mapping::new(&file, length).unwrap();
        let place = |offset| {
            // SAFETY: offsets lie in the mapping.
            unsafe { map.start().add(offset) }
        };
        // SAFETY: only this test uses the memory.
        unsafe { place(3 * HUGE + 5).write_volatile(42) };
        let range = HUGE / 2..5 * HUGE + 4096;
        map.commit(&file, range.clone()).unwrap();
        // SAFETY: as above.
        unsafe {
            assert_eq!(place(3 * HUGE + 5).read_volatile(), 42);
            assert_eq!(place(2 * HUGE).read_volatile(), 0);
        }
        let blocks = rustix::fs::fstat(&file).unwrap().st_blocks;
        assert_eq!(blocks as usize * 512, range.len());
    }

    #[test]
    fn shared_memory_can_take_the_place_of_a_range() {
        let (file, other) = (file(8 * HUGE), file(2 * HUGE));
        let map = Mapping::new(&file, 8 * HUGE).unwrap();
        let memory = Mapping::new(&other, 2 * HUGE).unwrap();
        let range = 3 * HUGE..5 * HUGE;
        // SAFETY: only this test uses the memory, which lives as long.
        unsafe {
            map.replace(range.clone(), memory.start()).unwrap();
            map.populate(range.clone()).unwrap();
            memory.start().add(77).write_volatile(42);
            assert_eq!(map.start().add(range.start + 77).read_volatile(), 42);
            map.start().add(range.end).write_volatile(1);
            assert_eq!(memory.start().add(HUGE).read_volatile(), 0);
        }
        let mut private = vec![0_u8; 3 * HUGE];
        // SAFETY: refused, as this memory is not shared.
        let refused = unsafe {
            let start = private.as_mut_ptr();
            let page = start.add(start.align_offset(4096));
            map.replace(0..2 * HUGE, page)
        };
        assert!(refused.is_err());
    }

    #[test]
    fn what_cannot_be_mapped_is_an_error() {
        let file = file(4096);
        assert!(Mapping::new(&file, 0).is_err());
        assert!(Mapping::new(&file, usize::MAX - 100).is_err());
        let unreadable = File::open("/proc/self/cmdline").unwrap();
        assert!(Mapping::new(&unreadable, 4096).is_err());
    }
}
