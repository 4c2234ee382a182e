//! One job at a time saves in a directory: two would give their generations the same numbers.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use crate::error::{ErrorKind, Failed};
use crate::partial::host_name;

/// A file that is locked during a save, and names the process. The system unlocks it when the process ends.
pub(crate) struct Lock {
    path: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl Lock {
    /// Local. Locks a directory.
    pub(crate) fn take(folder: &Path) -> Result<Self, Failed> {
        let path = folder.join(".checkpoint.lock");
        let failed =
            |error| Failed::os(&format!("lock the directory by {}", path.display()), &error);
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            // The target of a link is not ours.
            options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
            let mut file = options.open(&path).map_err(failed)?;
            // On a file system without locks, checkpoints are saved without a lock.
            if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
                == Err(Errno::WOULDBLOCK)
            {
                return Err(busy(file));
            }
            // The process that held the lock may have removed the file after it was opened here.
            let own = file.metadata().map_err(failed)?;
            let is_there =
                |found: fs::Metadata| (found.dev(), found.ino()) == (own.dev(), own.ino());
            if fs::metadata(&path).is_ok_and(is_there) {
                // The text only informs other jobs; on a full disk it is missing.
                let _ = file.set_len(0);
                let _ = write!(file, "process {} on {}", process::id(), host_name());
                return Ok(Self { path, _file: file });
            }
        }
    }
}

fn busy(mut file: File) -> Failed {
    let mut holder = String::new();
    // The process may not have written its number yet.
    if file.read_to_string(&mut holder).is_err() || holder.is_empty() {
        holder = "a process that has not said which".to_owned();
    }
    let cause = format!(
        "another job is saving a checkpoint in this directory: {holder}; end it, or give each job a directory of its own"
    );
    Failed::new(ErrorKind::Busy, cause)
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
