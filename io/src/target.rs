//! What is at a path before it is written or read.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::{ErrorKind, Failed};

/// Where a file is to be written.
pub(crate) enum Target {
    /// There is nothing here yet.
    New(PathBuf),
    /// This file is there, and may be written.
    Replaced(PathBuf, Metadata),
    /// This device accepts data, and keeps nothing that could be replaced.
    Device(PathBuf),
}

impl Target {
    /// Local. Finds out what is at this path. Links are followed, also to a file that does not exist yet.
    pub(crate) fn of(path: &Path) -> Result<Self, Failed> {
        if path.file_name().is_none() {
            let cause = "this is the path of a directory, not of a file";
            return Err(Failed::new(ErrorKind::NotAFile, cause));
        }
        let mut path = path.to_owned();
        // For a circle of links the system returns an error.
        loop {
            let found = match fs::metadata(&path) {
                Ok(found) => Some(found),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(Failed::os("look for the file", &error)),
            };
            match &found {
                Some(found) if found.file_type().is_char_device() => return Ok(Self::Device(path)),
                Some(found) => regular(found)?,
                None => (),
            }
            if let Ok(next) = fs::read_link(&path) {
                path = folder_of(&path).join(next);
                continue;
            }
            let Some(found) = found else {
                return Ok(Self::New(path));
            };
            open_to_write(&path)?;
            return Ok(Self::Replaced(path, found));
        }
    }
}

/// Opens an existing file or device to write to it, and changes nothing.
pub(crate) fn open_to_write(path: &Path) -> Result<File, Failed> {
    let mut options = OpenOptions::new();
    options.write(true);
    open(&mut options, path)
        .map_err(|error| Failed::os(&format!("open {}", path.display()), &error))
}

/// Opens a file to be read.
pub(crate) fn open_to_read(path: &Path) -> Result<File, Failed> {
    let mut options = OpenOptions::new();
    options.read(true);
    let file = open(&mut options, path).map_err(|error| Failed::os("open the file", &error))?;
    regular(&metadata(&file)?)?;
    Ok(file)
}

/// Neither waits for the other end of a FIFO, nor makes a terminal the controlling terminal of this program.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32).open(path)
}

/// Length, owner and other metadata of a file.
pub(crate) fn metadata(file: &File) -> Result<Metadata, Failed> {
    let metadata = file.metadata();
    metadata.map_err(|error| Failed::os("look at the file", &error))
}

/// Refuses everything but regular files: images write and read at offsets.
fn regular(found: &Metadata) -> Result<(), Failed> {
    if found.is_file() {
        return Ok(());
    }
    let cause = format!(
        "this is {}, and not a regular file, in which each image has its places",
        in_words(found.file_type())
    );
    Err(Failed::new(ErrorKind::NotAFile, cause))
}

fn in_words(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a directory",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_block_device() => "a block device",
        _ => "a character device",
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
