//! Files that a program is told to write: they exist whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Why a file cannot be written. It prints as one line that begins with the path.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot write: {error}", .path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

/// Writes a file under a temporary name, and renames it when it is complete: a failure half-way, as on a full disk,
/// leaves the old file, or none. Links are followed. A special file, such as `/dev/null`, is written directly.
///
/// # Examples
/// ```
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join("output-doctest.txt");
/// program::output::write(&path, |file| writeln!(file, "116"))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"116\n");
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), program::output::OutputError>(())
/// ```
///
/// # Errors
/// That the file cannot be written, or the error of `contents`.
pub fn write(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let written = Place::of(path).and_then(|place| match place {
        Place::Special => {
            let file = OpenOptions::new().write(true).open(path)?;
            fill(file, contents)
        }
        Place::Regular { path, permissions } => {
            let (partial, file) = Partial::create(&path)?;
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            fill(file, contents)?;
            partial.rename(&path)
        }
    });
    written.map_err(failed(path))
}

/// Checks before a long computation that a file can be written at its end. Leaves no file behind.
///
/// # Errors
/// That the file cannot be written.
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    let checked = Place::of(path).and_then(|place| match place {
        // Opening and closing a pipe would be the end of file for its reader.
        Place::Special => Ok(()),
        Place::Regular { path, .. } => Partial::create(&path).map(drop),
    });
    checked.map_err(failed(path))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    |error| OutputError {
        path: path.to_path_buf(),
        error,
    }
}

fn fill(
    file: File,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    contents(&mut file)?;
    file.flush()
}

/// What a path names.
enum Place {
    /// A device, a pipe, or the like.
    Special,
    /// A file to be made, or to be replaced by one with the same permissions.
    Regular {
        path: PathBuf,
        permissions: Option<Permissions>,
    },
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        match fs::metadata(&path) {
            Ok(known) if known.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(known) if known.is_file() => {
                // A rename needs access to the folder only; the file itself must be writable, too.
                OpenOptions::new().write(true).open(&path)?;
                Ok(Self::Regular {
                    path,
                    permissions: Some(known.permissions()),
                })
            }
            Ok(_) => Ok(Self::Special),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(error) if path.is_symlink() || path.file_name().is_none() => Err(error),
            Err(_) => Ok(Self::Regular {
                path,
                permissions: None,
            }),
        }
    }
}

/// An incomplete file under a temporary name. It is removed unless it is renamed.
struct Partial {
    path: Option<PathBuf>,
}

impl Partial {
    /// In the folder of `path`, so that a rename moves nothing.
    fn create(path: &Path) -> io::Result<(Self, File)> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let moment = since.map_or(0, |since| since.as_nanos());
        let name = format!(".{}-{moment}.partial", std::process::id());
        let path = path.with_file_name(name);
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).open(&path)?;
        Ok((Self { path: Some(path) }, file))
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        if let Some(partial) = &self.path {
            fs::rename(partial, path)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // An error is already reported, or this was only a check.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn full(file: &mut BufWriter<File>) -> io::Result<()> {
        file.write_all(&[1; 100_000])?;
        Err(io::ErrorKind::StorageFull.into())
    }

    #[test]
    fn a_file_that_cannot_be_completed_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let told = write(&path, full).unwrap_err().to_string();
        assert!(told.ends_with("/a.png: cannot write: no storage space"));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_file_that_was_there_stays_until_another_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        fs::write(&path, b"precious").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write(&path, full).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        write(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [link, file] = ["link.png", "a.png"].map(|name| folder.path().join(name));
        fs::write(&file, b"old").unwrap();
        symlink("a.png", &link).unwrap();
        write(&link, |file| file.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn what_is_no_regular_file_is_written_to() {
        let told = write(Path::new("/dev/full"), |file| file.write_all(b"x"));
        let error = told.unwrap_err().error;
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let folder = tempfile::tempdir().unwrap();
        // Through a link, so that a mistake here takes no device away.
        let link = folder.path().join("null");
        symlink("/dev/null", &link).unwrap();
        check_writable(&link).unwrap();
        write(&link, |file| file.write_all(b"x")).unwrap();
        assert!(link.is_symlink() && !fs::metadata(&link).unwrap().is_file());
        assert_eq!(names(folder.path()), ["null"]);
    }

    #[test]
    fn a_check_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        fs::write(&path, b"precious").unwrap();
        check_writable(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn a_path_that_cannot_be_written_is_told_in_one_line() {
        let path = Path::new("/nowhere/at/all/a.png");
        let told = check_writable(path).unwrap_err().to_string();
        assert!(
            told.starts_with("/nowhere/at/all/a.png: cannot write: "),
            "{told}"
        );
        assert!(!told.contains('\n'), "{told}");
        assert_eq!(write(path, |_| Ok(())).unwrap_err().to_string(), told);
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/"), Path::new("")] {
            assert!(check_writable(path).is_err(), "{}", path.display());
            assert!(write(path, |_| Ok(())).is_err(), "{}", path.display());
        }
    }
}
