//! Resource limits of this process (`ulimit`) that concern the memory of a job.

use std::io;

use rustix::process::{Resource, getrlimit};

use crate::system::display_size::Bytes;

/// The most images of a job: image numbers have 20 bits.
pub const MAX_IMAGES: usize = 1 << 20;

/// Ignores SIGXFSZ, so that writing beyond `ulimit -f` is an error with a message, and does not kill the process.
pub fn outlive_long_files() {
    // SAFETY: `signal` with these arguments installs no handler of ours; a handler of the program is restored.
    unsafe {
        let before = libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        if ![libc::SIG_DFL, libc::SIG_IGN, libc::SIG_ERR].contains(&before) {
            libc::signal(libc::SIGXFSZ, before);
        }
    }
}

/// The soft limit of a resource; `None` if unlimited.
pub(crate) fn limit(resource: Resource) -> Option<usize> {
    let limit = getrlimit(resource).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Refuses a file that is longer than `ulimit -f` allows, with the limit in the message.
pub(crate) fn check_file(length: usize) -> io::Result<()> {
    match limit(Resource::Fsize) {
        Some(limit) if length > limit => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("a file may have {} at most (`ulimit -f`)", Bytes(limit)),
        )),
        _ => Ok(()),
    }
}

/// Adds the limit to the error of a mapping, if the address space of this process is limited.
pub(crate) fn explain(error: io::Error) -> io::Error {
    match limit(Resource::As) {
        Some(limit) if error.kind() == io::ErrorKind::OutOfMemory => io::Error::new(
            error.kind(),
            format!(
                "{error}; a process may map {} at most (`ulimit -v`)",
                Bytes(limit)
            ),
        ),
        _ => error,
    }
}
