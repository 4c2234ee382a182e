//! Files that all images write together, and that exist whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::agreement::FileOperation;
use crate::error::{Error, Failed};
use crate::partial;
use crate::target::{Target, folder_of, open_to_write};
use crate::transfer::write_at;

/// A partial file, as a rule under another name. Its first bytes are written last, so that an incomplete file cannot be
/// taken for a whole one.
pub(crate) struct Partial<'p> {
    operation: FileOperation<'p>,
    pub(crate) file: File,
    /// Where it is.
    place: PathBuf,
    /// On image 0, the final name, unless the file is written in place. An unfinished file with one is removed.
    becomes: Option<PathBuf>,
}

impl<'p> Partial<'p> {
    /// Collective. Image 0 makes a file of that many bytes, and all images open it.
    #[track_caller]
    pub(crate) fn create(operation: FileOperation<'p>, bytes: u64) -> Result<Self, Error> {
        let mut first = None;
        let place = operation.by_image_0(|| {
            let made = Self::make(operation, bytes)?;
            let place = made.place.as_os_str().as_bytes().to_vec();
            first = Some(made);
            Ok(place)
        })?;
        // Image 0 has its `Partial` before all agree, so that it removes the file if another image cannot open it.
        let mine = match first {
            Some(first) => Ok(first),
            None => Self::in_place(operation, PathBuf::from(OsString::from_vec(place))),
        };
        operation.agree(mine)
    }

    /// Local. Makes a file for an operation: beside the file to be replaced, or else in its place.
    fn make(operation: FileOperation<'p>, bytes: u64) -> Result<Self, Failed> {
        let (path, replaced) = match Target::of(operation.path())? {
            Target::Device(path) => return Self::in_place(operation, path),
            Target::New(path) => (path, None),
            Target::Replaced(path, replaced) => (path, Some(replaced)),
        };
        partial::remove_left(&path);
        let (place, made) = loop {
            let place = partial::name_of(&path);
            match create(&place, replaced.as_ref()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
                made => break (place, made),
            }
        };
        let made = match made {
            Ok(file) => Self {
                operation,
                file,
                place,
                becomes: Some(path),
            },
            // The user may write the file, but not its directory.
            Err(error) if replaced.is_some() && error.kind() == io::ErrorKind::PermissionDenied => {
                let made = Self::in_place(operation, path)?;
                set_len(&made.file, 0)?;
                made
            }
            Err(error) => {
                let what = format!("create {}", place.display());
                return Err(Failed::os(&what, &error));
            }
        };
        set_len(&made.file, bytes)?;
        Ok(made)
    }

    /// Local. Opens an existing file that is written in place.
    fn in_place(operation: FileOperation<'p>, place: PathBuf) -> Result<Self, Failed> {
        Ok(Self {
            operation,
            file: open_to_write(&place)?,
            place,
            becomes: None,
        })
    }

    /// Collective. `mine` is the result of this image's part. If all images succeeded, the file gets its first bytes
    /// and its name.
    #[track_caller]
    pub(crate) fn finish(self, mine: Result<(), Failed>, start: &[u8]) -> Result<(), Error> {
        self.written(mine)?.end(|file| write_at(file, start, 0))
    }

    /// Collective. As [`Partial::finish`], but the file survives a crash of the machine. Image 0 calls `last` when all
    /// parts are written.
    #[track_caller]
    pub(crate) fn finish_durably(
        self,
        mine: Result<(), Failed>,
        last: impl FnOnce(&File) -> Result<(), Failed>,
    ) -> Result<(), Error> {
        let mine = mine.and_then(|()| sync(&self.file));
        let operation = self.operation;
        self.written(mine)?.end(|file| {
            last(file)?;
            sync(file)
        })?;
        // The name is also brought to the disk.
        operation.by_image_0(|| {
            let folder = folder_of(operation.path());
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| Failed::os(&format!("sync {}", folder.display()), &error))?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    #[track_caller]
    fn written(self, mine: Result<(), Failed>) -> Result<Self, Error> {
        let operation = self.operation;
        operation.agree(mine.map(|()| self))
    }

    #[track_caller]
    fn end(mut self, last: impl FnOnce(&File) -> Result<(), Failed>) -> Result<(), Error> {
        self.operation.by_image_0(|| {
            last(&self.file)?;
            if let Some(path) = &self.becomes {
                let renamed = fs::rename(&self.place, path);
                renamed.map_err(|error| {
                    Failed::os(&format!("rename {}", self.place.display()), &error)
                })?;
                self.becomes = None;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }
}

impl Drop for Partial<'_> {
    fn drop(&mut self) {
        if self.becomes.is_some() {
            // There is already an error to report.
            let _ = fs::remove_file(&self.place);
        }
    }
}

/// Makes a file with the owner and mode of the file that it replaces, before it has any content to protect.
fn create(place: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    if replaced.is_some() {
        options.mode(0o600);
    }
    let file = options.open(place)?;
    partial::keep(&file);
    if let Some(replaced) = replaced {
        // Only the superuser can give files to others, and some file systems have neither owners nor modes.
        let group = Some(replaced.gid());
        if fchown(&file, Some(replaced.uid()), group).is_err() {
            let _ = fchown(&file, None, group);
        }
        let _ = file.set_permissions(replaced.permissions());
    }
    Ok(file)
}

fn set_len(file: &File, bytes: u64) -> Result<(), Failed> {
    file.set_len(bytes)
        .map_err(|error| Failed::os(&format!("make the file {bytes} bytes long"), &error))
}

fn sync(file: &File) -> Result<(), Failed> {
    file.sync_all()
        .map_err(|error| Failed::os("bring the file to the disk", &error))
}
