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
pub(crate) const HUGE: usize = 2 << 20;

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
            // SAFETY: the range lies in the mapping.
            unsafe { collapse(self.start.add(blocks.start), blocks.len()) }
        }
        Ok(allocate(range.start, range.len())?)
    }
}

/// Makes huge pages of blocks of a file that are mapped, each of which has a page.
///
/// # Safety
/// The blocks are mapped where the address of each is a multiple of its size.
pub(crate) unsafe fn collapse(start: *mut u8, length: usize) {
    /// Of Linux 6.1. It also works where huge pages for shared memory are not turned on for everybody, unless they are
    /// forbidden.
    const MADV_COLLAPSE: i32 = 25;
    // Older kernels do not know how, and others may have no huge pages left: then there are usual ones.
    // SAFETY: the caller owns the mapping. The kernel moves what the blocks hold, which nobody notices.
    unsafe { libc::madvise(start.cast::<c_void>(), length, MADV_COLLAPSE) };
}

/// The part of a range of the file that consists of whole huge pages.
pub(crate) fn whole_blocks(range: &Range<usize>) -> Range<usize> {
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
    fn what_cannot_be_mapped_is_an_error() {
        let file = file(4096);
        assert!(Mapping::new(&file, 0).is_err());
        assert!(Mapping::new(&file, usize::MAX - 100).is_err());
        let unreadable = File::open("/proc/self/cmdline").unwrap();
        assert!(Mapping::new(&unreadable, 4096).is_err());
    }
}
