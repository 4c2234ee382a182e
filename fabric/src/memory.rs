//! How much memory this machine, or the container around us, has.

use std::fs::read_to_string;
use std::io;
use std::path::{Path, PathBuf};

/// Commits below this size are not worth reading `/proc` for.
const SMALL: usize = 8 << 20;

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) total: usize,
    pub(crate) available: usize,
}

/// Refuses to commit more memory than is available: the kernel would kill a process instead.
pub(crate) fn check_available(length: usize) -> io::Result<()> {
    if length < SMALL {
        return Ok(());
    }
    match memory() {
        Some(memory) if length > memory.available => Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!(
                "only {} of memory are available",
                crate::bytes::Bytes(memory.available)
            ),
        )),
        _ => Ok(()),
    }
}

/// What the machine has, narrowed by the limits of the control groups we are in; `None` where
/// `/proc` is not mounted.
pub(crate) fn memory() -> Option<Memory> {
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
