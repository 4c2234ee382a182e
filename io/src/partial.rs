//! Partial files: their names, and the removal of files that ended processes left behind.
//!
//! `.out.npy.5f2c9a01-4711-1234.partial` is beside `out.npy`, so that a rename moves no data. The name has a digest of
//! the host's name, the number of the writing process, and the time. So no two jobs write to the same file, and a later
//! job can tell whether the process still runs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::SystemTime;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

const SUFFIX: &[u8] = b".partial";

/// The longest name that file systems have.
const LONGEST: usize = 255;

/// The most that a name adds to the file's name: points, digest, number, time and suffix.
const ADDED: usize = 2 + 8 + 1 + 10 + 1 + 9 + SUFFIX.len();

/// A name for a file that is to become `path`, for a job that begins now.
pub(crate) fn name_of(path: &Path) -> PathBuf {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let moment = since.map_or(0, |since| since.subsec_nanos());
    let mut name = start_of(path);
    name.extend(format!("{}-{}-{moment}", host(), process::id()).as_bytes());
    name.extend(SUFFIX);
    path.with_file_name(OsString::from_vec(name))
}

/// The start of the names of all files that are to become `path`.
fn start_of(path: &Path) -> Vec<u8> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let mut start = b".".to_vec();
    if name.len() + ADDED <= LONGEST {
        start.extend(name);
    } else {
        let digest = format!("~{:08x}", crc32fast::hash(name));
        let mut end = LONGEST - ADDED - digest.len();
        // Some file systems want names to be UTF-8.
        while name[end] & 0xc0 == 0x80 && end > 0 {
            end -= 1;
        }
        start.extend(&name[..end]);
        start.extend(digest.as_bytes());
    }
    start.push(b'.');
    start
}

/// A digest of this host's name.
fn host() -> String {
    format!("{:08x}", crc32fast::hash(host_name().as_bytes()))
}

pub(crate) fn host_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

/// Removes the files of processes of this host that ended while they wrote to `path`.
pub(crate) fn remove_left(path: &Path) {
    let start = start_of(path);
    remove_left_in(crate::target::folder_of(path), |name| {
        name.starts_with(&start)
    });
}

/// Removes the partial files that ended processes of this host left in this directory, if their names are `ours`. A
/// file that cannot be removed is left to the next call.
pub(crate) fn remove_left_in(folder: &Path, ours: impl Fn(&[u8]) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for name in entries.flatten().map(|entry| entry.file_name()) {
        let path = folder.join(&name);
        if ours(name.as_bytes()) && writer_of(&name).is_some_and(|writer| is_left(&path, writer)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The process of this host that has made a file of this name.
fn writer_of(name: &OsStr) -> Option<Pid> {
    let name = str::from_utf8(
        name.as_bytes()
            .strip_suffix(SUFFIX)?
            .rsplit(|&byte| byte == b'.')
            .next()?,
    );
    let mut parts = name.ok()?.split('-');
    let (found, number) = (parts.next()?, parts.next()?);
    let number = number.parse().ok().and_then(Pid::from_raw);
    number.filter(|_| found == host())
}

/// Whether nobody writes the file any more. A file is locked while it is written: the process number alone does not
/// tell, because a host may have several containers, each with numbers of its own.
fn is_left(path: &Path, writer: Pid) -> bool {
    if test_kill_process(writer) != Err(Errno::SRCH) {
        return false;
    }
    let lock = |file| rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
    let is_locked = |file: File| lock(file) == Err(Errno::WOULDBLOCK);
    matches!(fs::symlink_metadata(path), Ok(found) if found.is_file())
        && !File::open(path).is_ok_and(is_locked)
}

/// Locks the file for this process, until it is closed.
pub(crate) fn keep(file: &File) {
    // On file systems without locks, the number of the process alone must do.
    let _ = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, host, name_of, start_of, writer_of};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn names_are_no_longer_than_file_systems_take() {
        for length in 1..=LONGEST {
            for letter in ["a", "ü", "𝛼"] {
                let name = letter.repeat((length / letter.len()).max(1));
                let path = Path::new("folder").join(&name);
                let partial = name_of(&path);
                let short = partial.file_name().unwrap();
                assert!(short.len() <= LONGEST, "{short:?}");
                assert!(short.to_str().is_some(), "{short:?}");
                assert!(short.as_bytes().starts_with(&start_of(&path)));
                let writer = writer_of(short).unwrap();
                assert_eq!(writer.as_raw_nonzero().get() as u32, std::process::id());
                assert_eq!(partial.parent(), path.parent());
            }
        }
    }

    #[test]
    fn other_names_have_no_writer() {
        let own = format!(".a.npy.{}-4711-1234.partial", host());
        assert!(writer_of(own.as_ref()).is_some());
        let other = own.replace(&host(), "another0");
        let names = [
            "",
            ".partial",
            "a.partial",
            ".a.npy.1-2.partial",
            "-.partial",
        ];
        for name in names.into_iter().chain([other.as_str()]) {
            assert_eq!(writer_of(name.as_ref()), None, "{name}");
        }
    }
}
