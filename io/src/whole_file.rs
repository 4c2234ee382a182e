//! Files that all images write together, and that exist whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use coarray::this_image;

use crate::agreement::{agree, from_image_0};
use crate::error::{Error, ErrorKind, Failed};
use crate::transfer::write_at;

/// A file on the way: it has its length and another name.
pub(crate) struct Partial {
    path: PathBuf,
    partial: PathBuf,
    pub(crate) file: File,
    /// Whether this image has to remove the file if it does not come to an end.
    remove: bool,
}

impl Partial {
    /// Collective. Image 0 makes a file of that many bytes that starts with `start`, and all images open it.
    pub(crate) fn create(path: &Path, start: &[u8], bytes: u64) -> Result<Self, Error> {
        let mut first = None;
        let name = from_image_0(path, || {
            let partial = partial_name(path)?;
            let file = make(&partial, start, bytes)?;
            first = Some(file);
            Ok(partial.into_os_string().into_vec())
        })?;
        let partial = PathBuf::from(OsString::from_vec(name));
        let file = match first {
            Some(file) => Ok(file),
            None => OpenOptions::new()
                .write(true)
                .open(&partial)
                .map_err(|error| Failed::os(&format!("open {}", partial.display()), &error)),
        };
        // Made before all agree, so that image 0 removes the file if another image cannot open it.
        let mine = file.map(|file| Self {
            path: path.to_owned(),
            partial,
            file,
            remove: this_image() == 0,
        });
        agree(path, mine)
    }

    /// Collective. Says how this image's part went. When all have succeeded, the file gets its name.
    pub(crate) fn finish(self, mine: Result<(), Failed>) -> Result<(), Error> {
        self.written(mine)?.rename(|_| Ok(()))
    }

    /// Collective. As [`Partial::finish`], but what has been written survives a crash of the machine. Image 0 adds to
    /// the file last, when all parts are there.
    pub(crate) fn finish_durably(
        self,
        mine: Result<(), Failed>,
        last: impl FnOnce(&File) -> Result<(), Failed>,
    ) -> Result<(), Error> {
        let mine = mine.and_then(|()| sync(&self.file));
        let path = self.path.clone();
        self.written(mine)?.rename(|file| {
            last(file)?;
            sync(file)
        })?;
        // The name, too.
        from_image_0(&path, || {
            let folder = folder_of(&path);
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| Failed::os(&format!("sync {}", folder.display()), &error))?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    fn written(self, mine: Result<(), Failed>) -> Result<Self, Error> {
        let path = self.path.clone();
        agree(&path, mine.map(|()| self))
    }

    fn rename(mut self, last: impl FnOnce(&File) -> Result<(), Failed>) -> Result<(), Error> {
        let path = self.path.clone();
        from_image_0(&path, || {
            last(&self.file)?;
            fs::rename(&self.partial, &self.path).map_err(|error| {
                Failed::os(&format!("rename {}", self.partial.display()), &error)
            })?;
            self.remove = false;
            Ok(Vec::new())
        })?;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.remove {
            // There is already an error to report.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// The end of the names of files on the way.
pub(crate) const PARTIAL: &str = ".partial";

/// `.out.npy.4711-1234.partial`, beside `out.npy`: so that a rename moves nothing, and no two jobs write to the same
/// file.
fn partial_name(path: &Path) -> Result<PathBuf, Failed> {
    let name = path.file_name().ok_or_else(|| {
        Failed::new(
            ErrorKind::Os,
            "this is the path of a directory, not of a file",
        )
    })?;
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let moment = since.map_or(0, |since| since.subsec_nanos());
    let mut partial = b".".to_vec();
    partial.extend(name.as_bytes());
    partial.extend(format!(".{}-{moment}{PARTIAL}", std::process::id()).as_bytes());
    Ok(path.with_file_name(OsString::from_vec(partial)))
}

fn make(partial: &Path, start: &[u8], bytes: u64) -> Result<File, Failed> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(partial)
        .map_err(|error| Failed::os(&format!("create {}", partial.display()), &error))?;
    let sized = file
        .set_len(bytes)
        .map_err(|error| Failed::os(&format!("make the file {bytes} bytes long"), &error))
        .and_then(|()| write_at(&file, start, 0));
    match sized {
        Ok(()) => Ok(file),
        Err(failed) => {
            let _ = fs::remove_file(partial);
            Err(failed)
        }
    }
}

fn sync(file: &File) -> Result<(), Failed> {
    file.sync_all()
        .map_err(|error| Failed::os("bring the file to the disk", &error))
}

/// The directory that a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
