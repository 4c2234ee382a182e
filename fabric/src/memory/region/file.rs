//! The file that all images of a node map.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{MemfdFlags, Mode, SealFlags, fchmod, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

use crate::system::limits;

/// An anonymous file of fixed length. Only processes of the same user can open it; it cannot be shortened while it is mapped, nor executed.
pub(super) fn memory_file(length: usize) -> io::Result<File> {
    limits::check_file(length)?;
    let (name, flags) = ("coarray", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING);
    let file = match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        // The flag is new in Linux 6.3.
        Err(Errno::INVAL) => memfd_create(name, flags)?,
        created => created?,
    };
    fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    let file = File::from(file);
    file.set_len(length as u64)?;
    fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

/// A file of that length at that path, in the place of what was there.
pub(super) fn named_file(path: &Path, length: usize) -> io::Result<File> {
    limits::check_file(length)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true);
    let file = options.open(path)?;
    file.set_len(length as u64)?;
    Ok(file)
}
