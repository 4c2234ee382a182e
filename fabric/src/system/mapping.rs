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
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

/// Bytes of a huge page, on the machines there are: others merely miss an optimisation.
pub(crate) const HUGE: usize = 2 << 20;

/// A file mapped from its start, to read and write, shared with other processes. No swap space is reserved.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: *mut u8,
    length: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread; users of the memory prevent races.
unsafe impl Send for Mapping {}

// SAFETY: `&Mapping` gives the address only; users of the memory prevent races.
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
        let start = mapped?;
        // SAFETY: just mapped, and nobody has used it.
        unsafe { keep_to_this_process(start, pages) };
        Ok(Self {
            start: start.cast(),
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

    /// Gives the pages of a range back that nobody uses.
    pub(crate) fn give_back(&self, file: &File, range: Range<usize>) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // If that is impossible, they are there for the next who commits the range.
        let _ = fallocate(file, flags, range.start as u64, range.len() as u64);
    }

    /// Makes pages exist for a range of the file, which this maps, so that touching them cannot fail. Whole blocks of
    /// 2 MiB in the range become huge pages where the kernel has some, without taking more memory. A core dump has them.
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
        allocate(range.start, range.len())?;
        // SAFETY: the range lies in the mapping.
        unsafe { let_be_dumped(self.start, &range) };
        Ok(())
    }
}

/// Keeps mapped memory out of core dumps, for which the kernel would make pages of all that is reserved, and out of processes
/// that this one forks, which are no images.
///
/// # Safety
/// The bytes belong to the caller; `start` is at the start of a page.
pub(crate) unsafe fn keep_to_this_process(start: *mut c_void, length: usize) {
    for advice in [Advice::LinuxDontDump, Advice::LinuxDontFork] {
        // A kernel that does not know it leaves all as it is.
        // SAFETY: the memory stays what it is in this process; other processes have no claim to it.
        let _ = unsafe { madvise(start, length, advice) };
    }
}

/// Lets core dumps have a range of what is mapped at `start`: where there are pages, they cost no memory.
///
/// # Safety
/// The range is mapped; `start` is at the start of a page.
pub(crate) unsafe fn let_be_dumped(start: *mut u8, range: &Range<usize>) {
    let page = rustix::param::page_size();
    let first = range.start / page * page;
    // SAFETY: the memory stays what it is; the page that the range begins in is mapped as the range is.
    let _ = unsafe {
        madvise(
            start.add(first).cast(),
            range.end - first,
            Advice::LinuxDoDump,
        )
    };
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
        // SAFETY: only this test uses the memory, which is mapped.
        unsafe {
            assert_eq!(place(3 * HUGE + 5).read_volatile(), 42);
            assert_eq!(place(2 * HUGE).read_volatile(), 0);
        }
        let blocks = rustix::fs::fstat(&file).unwrap().st_blocks;
        assert_eq!(blocks as usize * 512, range.len());
    }

    /// The flags that the kernel has for what is mapped at an address.
    fn flags_at(address: usize) -> String {
        let mut found = false;
        for line in std::fs::read_to_string("/proc/self/smaps").unwrap().lines() {
            let ends = line
                .split(' ')
                .next()
                .and_then(|range| range.split_once('-'));
            let number = |digits: &str| usize::from_str_radix(digits, 16).ok();
            if let Some((start, end)) = ends.and_then(|(start, end)| number(start).zip(number(end)))
            {
                found = (start..end).contains(&address);
            } else if found && let Some(flags) = line.strip_prefix("VmFlags:") {
                return format!("{flags} ");
            }
        }
        panic!("nothing is mapped at {address:#x}");
    }

    #[test]
    fn only_what_has_pages_is_dumped_and_nothing_is_passed_to_forked_processes() {
        let length = 8 * HUGE;
        let file = file(length);
        let map = Mapping::new(&file, length).unwrap();
        let flags = |offset: usize| flags_at(map.start().addr() + offset);
        let is_kept = |flags: &str| flags.contains(" dd ") && flags.contains(" dc ");
        assert!(is_kept(&flags(0)) && is_kept(&flags(length - 1)));
        let page = rustix::param::page_size();
        map.commit(&file, HUGE + page + 5..3 * HUGE).unwrap();
        map.commit(&file, 3 * HUGE..3 * HUGE + 1).unwrap();
        for outside in [0, HUGE, 3 * HUGE + page, length - 1] {
            assert!(is_kept(&flags(outside)), "{outside}");
        }
        for inside in [HUGE + page, 2 * HUGE, 3 * HUGE] {
            let flags = flags(inside);
            assert!(!flags.contains(" dd ") && flags.contains(" dc "), "{flags}");
        }
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
