//! Errors with files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use coarray::failure::ImageFailed;

/// What went wrong with a file, and which image found out. All images of the team get the same error.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray_io::{ErrorKind, read_npy};
///
/// coarray::run(2, || {
///     let blocks = Blocks::new([4, 4], ImageGrid::balanced()).unwrap();
///     let mut array = HaloArray::filled(&blocks, 0, 0.0).unwrap();
///     let error = read_npy("/no/such/file.npy", &mut array).unwrap_err();
///     assert_eq!(error.kind(), ErrorKind::NotFound);
///     assert!(error.to_string().starts_with("/no/such/file.npy: "));
/// });
/// ```
///
/// # Source
/// The error classes of files, MPI 3.1 clause 13.7. There each process has its own; here all images agree.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {cause} (found by image {image})", path.display())]
pub struct Error {
    kind: ErrorKind,
    os: i32,
    path: PathBuf,
    image: usize,
    cause: String,
}

/// The same words as `Display`: `unwrap`, and a `main` that returns the error, print the file and the cause.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Error {
    pub(crate) fn new(path: &Path, image: usize, failed: Failed) -> Self {
        Self {
            kind: failed.kind,
            os: failed.os,
            path: path.to_owned(),
            image,
            cause: failed.cause,
        }
    }

    /// The same error, but never `NotFound`: a simulation that takes `NotFound` as the sign to start from the beginning
    /// must not do so where files are there.
    pub(crate) fn of_what_is_there(mut self) -> Self {
        if self.kind == ErrorKind::NotFound {
            self.kind = ErrorKind::Os;
        }
        self
    }

    /// Local. What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Local. The file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Local. The image that found out: the lowest of the team, if there are several.
    pub fn image(&self) -> usize {
        self.image
    }

    /// Local. What the operating system reports, if it has refused something: `StorageFull`, `PermissionDenied`, ...
    pub fn os_error(&self) -> Option<io::ErrorKind> {
        (self.os != 0).then(|| io::Error::from_raw_os_error(self.os).kind())
    }
}

/// The kinds of [`Error`].
///
/// # Examples
/// ```
/// use coarray_io::{Checkpoint, ErrorKind};
///
/// coarray::run(2, || {
///     // Nothing is there, so the simulation starts from the beginning. Any other error is one.
///     let error = Checkpoint::open("/no/such/directory").unwrap_err();
///     assert_eq!(error.kind(), ErrorKind::NotFound);
/// });
/// ```
///
/// # Source
/// As [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such file, or no checkpoint in the directory.
    NotFound,
    /// The operating system refuses something; see [`Error::os_error`].
    Os,
    /// The file is of another format, or of a variant that cannot be read.
    Format,
    /// The file is shorter than its header says.
    Truncated,
    /// The bytes of the file are not those that were written.
    Corrupt,
    /// The array in the file has another shape.
    Shape,
    /// The numbers in the file are of another type.
    ElementType,
    /// The file has no array or value of this name, or two would have the same.
    Name,
    /// The images make different requests.
    Disagreement,
    /// The path names a directory, a FIFO or something else that is no regular file.
    NotAFile,
    /// Another job is saving a checkpoint in the directory.
    Busy,
    /// Images of the current team have failed or stopped, in a job that keeps going. What was to be written may be there in part, but
    /// under no name that a reader asks for.
    ImageFailed,
}

const KINDS: [ErrorKind; 12] = [
    ErrorKind::NotFound,
    ErrorKind::Os,
    ErrorKind::Format,
    ErrorKind::Truncated,
    ErrorKind::Corrupt,
    ErrorKind::Shape,
    ErrorKind::ElementType,
    ErrorKind::Name,
    ErrorKind::Disagreement,
    ErrorKind::NotAFile,
    ErrorKind::Busy,
    ErrorKind::ImageFailed,
];

/// What went wrong on one image, before the others know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) kind: ErrorKind,
    os: i32,
    pub(crate) cause: String,
}

impl Failed {
    pub(crate) fn new(kind: ErrorKind, cause: impl Into<String>) -> Self {
        Self {
            kind,
            os: 0,
            cause: cause.into(),
        }
    }

    /// `what` was refused by the operating system.
    /// Images have failed or stopped.
    pub(crate) fn of_images(failed: &ImageFailed) -> Self {
        Self::new(ErrorKind::ImageFailed, failed.to_string())
    }

    pub(crate) fn os(what: &str, error: &io::Error) -> Self {
        Self {
            kind: match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::UnexpectedEof => ErrorKind::Truncated,
                _ => ErrorKind::Os,
            },
            os: error.raw_os_error().unwrap_or(0),
            cause: match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    format!("cannot {what}: the file is truncated, it ends before")
                }
                _ => format!("cannot {what}: {error}"),
            },
        }
    }

    /// As bytes to send to other images.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.kind as u8];
        bytes.extend(self.os.to_le_bytes());
        bytes.extend(self.cause.as_bytes());
        bytes
    }

    /// The reverse of [`Failed::to_bytes`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let (kind, rest) = bytes.split_first().expect("an error has a kind");
        let (os, cause) = rest.split_first_chunk().expect("an error has a number");
        Self {
            kind: KINDS[usize::from(*kind)],
            os: i32::from_le_bytes(*os),
            cause: String::from_utf8_lossy(cause).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failed, KINDS};
    use std::io;

    #[test]
    fn errors_arrive_as_they_were_sent() {
        for (number, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let failed = Failed::new(kind, "cause: ü");
            assert_eq!(Failed::from_bytes(&failed.to_bytes()), failed);
        }
        let failed = Failed::os("write", &io::Error::from_raw_os_error(28));
        assert_eq!(Failed::from_bytes(&failed.to_bytes()), failed);
    }
}
