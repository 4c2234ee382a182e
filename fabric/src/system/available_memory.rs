//! How much memory this machine, or the container around us, has.

use std::fs::read_to_string;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::system::display_size::Bytes;
use crate::system::mapping::HUGE;

/// Commits below this size are not worth reading `/proc` for.
const SMALL: usize = 8 << 20;

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes in all.
    pub total: usize,
    pub(crate) available: usize,
}

/// The images of one job together take at most one part in so many of what is available, and then look again: other jobs may take
/// some at the same time.
const CAUTION: usize = 32;

/// The most that one image takes before it looks again.
const PIECE: usize = 64 << 20;

/// Has `commit` take memory for a range piece by piece, as long as there is some: the kernel would kill a process otherwise.
/// `images` images of the job do the same for as much at the same time.
///
/// # Errors
/// If there is not enough, or `commit` fails. How far it came is then up to who knows what it did.
pub(crate) fn take(
    range: Range<usize>,
    images: usize,
    available: impl Fn() -> Option<usize>,
    mut commit: impl FnMut(Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let is_there = |needed: usize| match available() {
        Some(available) if needed > available => Err(refusal(available)),
        available => Ok(available.unwrap_or(usize::MAX)),
    };
    let all = range.len().saturating_mul(images);
    if all < SMALL {
        return commit(range);
    }
    is_there(all)?;
    let mut start = range.start;
    while start < range.end {
        // Other jobs may do the same.
        let available = is_there((CAUTION * HUGE * images).min(all))?;
        let piece = (available / CAUTION / images).clamp(HUGE, PIECE);
        let end = (start + piece).next_multiple_of(HUGE).min(range.end);
        commit(start..end)?;
        start = end;
    }
    Ok(())
}

fn refusal(available: usize) -> io::Error {
    io::Error::new(
        io::ErrorKind::OutOfMemory,
        format!("only {} of memory are available", Bytes(available)),
    )
}

/// Local. How many bytes of memory this machine, or the container around this image, can still give to programs; `None` where
/// `/proc` is not mounted. It is what coarrays are compared with when they are created: for what a program is about to
/// allocate besides, it can do the same.
///
/// All images of a machine share them, and so do other programs: what is available now may not be soon.
///
/// # Examples
/// ```
/// use coarray_fabric::available_memory;
///
/// let wanted = 1 << 60;
/// if available_memory().is_some_and(|bytes| bytes < wanted) {
///     eprintln!("a smaller problem, please");
/// }
/// ```
///
/// # Source
/// `MemAvailable` of `/proc/meminfo`, and the limits of control groups.
#[must_use]
pub fn available_memory() -> Option<usize> {
    Some(memory()?.available)
}

/// What the machine has, narrowed by the limits of the control groups we are in; `None` where
/// `/proc` is not mounted.
pub fn memory() -> Option<Memory> {
    let mut memory = machine(&read_to_string("/proc/meminfo").ok()?)?;
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    for directory in group_directories(&groups) {
        if let Some(limit) = group_limit(&directory) {
            memory.total = memory.total.min(limit.total);
            memory.available = memory.available.min(limit.available);
        }
    }
    Some(memory)
}

fn machine(meminfo: &str) -> Option<Memory> {
    let field = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<usize>()
            .ok()?
            .checked_mul(1024)
    };
    Some(Memory {
        total: field("MemTotal:")?,
        available: field("MemAvailable:")?,
    })
}

/// The directories whose limits apply to us: our group and all groups around it.
fn group_directories(groups: &str) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let root = match controllers {
            "" => Path::new("/sys/fs/cgroup"),
            list if list.split(',').any(|name| name == "memory") => {
                Path::new("/sys/fs/cgroup/memory")
            }
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        directories.extend(path.ancestors().map(|part| root.join(part)));
    }
    directories
}

fn group_limit(directory: &Path) -> Option<Memory> {
    let number = |file: &str| {
        read_to_string(directory.join(file))
            .ok()?
            .trim()
            .parse::<usize>()
            .ok()
    };
    let total = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    Some(Memory {
        total,
        available: total.saturating_sub(used),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn meminfo_is_read_in_bytes() {
        let text = "MemTotal:       24000 kB\nMemFree:  1 kB\nMemAvailable:    12000 kB\n";
        assert_eq!(
            machine(text),
            Some(Memory {
                total: 24000 * 1024,
                available: 12000 * 1024
            })
        );
        assert_eq!(machine("MemTotal: 1 kB\n"), None);
    }

    /// Jobs that take at the same time, each piece at the same moment as all others: how much is left, and whether one of them
    /// got all.
    fn rush(jobs: usize, images: usize, length: usize, available: usize) -> (isize, bool) {
        let left = Cell::new(available as isize);
        let taken = take(
            0..length,
            images,
            || Some(left.get().max(0) as usize),
            |piece| {
                left.set(left.get() - (piece.len() * images * jobs) as isize);
                Ok(())
            },
        );
        (left.get(), taken.is_ok())
    }

    #[test]
    fn a_job_alone_gets_nearly_all_that_is_available() {
        let gibibyte = 1 << 30;
        for images in [1, 2, 16] {
            let length = 8 * gibibyte / images - CAUTION * HUGE;
            assert!(rush(1, images, length, 8 * gibibyte).1, "{images} images");
            let (left, got_all) = rush(1, images, 8 * gibibyte / images + HUGE, 8 * gibibyte);
            assert!(!got_all && left == 8 * gibibyte as isize, "{images} images");
        }
    }

    #[test]
    fn jobs_that_take_memory_at_once_are_refused_before_there_is_none() {
        let gibibyte = 1 << 30;
        for jobs in 2..=CAUTION / 2 {
            for images in [1, 2, 16] {
                let (left, got_all) = rush(jobs, images, 5 * gibibyte / images, 8 * gibibyte);
                assert!(!got_all && left > 0, "{jobs} jobs of {images}: {left}");
            }
        }
        assert_eq!(
            rush(3, 2, gibibyte, 8 * gibibyte),
            (2 * gibibyte as isize, true)
        );
    }

    #[test]
    fn limits_of_outer_groups_apply() {
        let directories = group_directories("0::/a/b\n");
        let expected = ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup/"];
        assert_eq!(directories, expected.map(PathBuf::from));
        let first = group_directories("12:cpu:/x\n9:memory:/job\n");
        assert_eq!(
            first,
            ["/sys/fs/cgroup/memory/job", "/sys/fs/cgroup/memory/"].map(PathBuf::from)
        );
    }

    #[test]
    fn this_machine_has_memory() {
        let memory = memory().unwrap();
        assert!(memory.available > 0 && memory.total >= memory.available);
    }
}
