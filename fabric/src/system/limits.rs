//! What the limits of this process (`ulimit`) leave for the memory of a job.

use std::io;

use rustix::process::{Resource, getrlimit};

use crate::system::display_size::Bytes;

/// Most images a job can have: image numbers travel in 20 bits.
pub const MAX_IMAGES: usize = 1 << 20;

/// Lets writing beyond the longest file that is allowed be an error, which says what is wrong, in place of the end of the process by
/// a signal, which does not.
pub fn outlive_long_files() {
    // SAFETY: installs no handler; one of the program is put back.
    unsafe {
        let before = libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        if ![libc::SIG_DFL, libc::SIG_IGN, libc::SIG_ERR].contains(&before) {
            libc::signal(libc::SIGXFSZ, before);
        }
    }
}

/// What this process may have of it at most; none for as much as it likes.
pub(crate) fn limit(resource: Resource) -> Option<usize> {
    let limit = getrlimit(resource).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Refuses a file that is too long for this process: the kernel would end it by a signal.
pub(crate) fn check_file(length: usize) -> io::Result<()> {
    match limit(Resource::Fsize) {
        Some(limit) if length > limit => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("a file may have {} at most (`ulimit -f`)", Bytes(limit)),
        )),
        _ => Ok(()),
    }
}

/// Says why something could not be mapped, if the address space of this process is limited.
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
