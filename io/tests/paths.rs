//! Paths at which there is something already: devices, FIFOs, links, files with modes and owners, files of dead jobs.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray_io::{Error, ErrorKind, Vti, read_npy, read_raw, read_vti, write_npy, write_raw};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::tempdir;

fn array() -> HaloArray<f64, 2> {
    let blocks = Blocks::new([6, 7], ImageGrid::balanced()).unwrap();
    HaloArray::from_fn(&blocks, 1, |[i, j]| (10 * i + j) as f64).unwrap()
}

type Function = fn(&Path) -> Result<(), Error>;

/// All functions that write a file.
const WRITERS: [Function; 3] = [
    |path| write_npy(path, &array()),
    |path| write_raw(path, &array()),
    |path| Vti::new().field("a", &array()).write(path),
];

/// All functions that read a file.
const READERS: [Function; 3] = [
    |path| read_npy(path, &mut array()),
    |path| read_raw(path, &mut array()),
    |path| read_vti(path, "a", &mut array()),
];

/// The error that all images return.
fn error_of(body: impl Fn() -> Result<(), Error> + Sync) -> Error {
    let mut errors = coarray::run(3, || body().expect_err("this cannot succeed"));
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors.swap_remove(0)
}

fn write(path: &Path) {
    coarray::run(2, || write_npy(path, &array()).unwrap());
}

/// Whether a file has what `write` writes.
fn is_written(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap();
    bytes.starts_with(b"\x93NUMPY") && bytes.len() == 128 + 6 * 7 * 8
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// Calls `body` as a user for whom the modes of files hold, which the superuser may ignore.
fn as_user<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    let limited = || {
        let mut sets = capabilities(None).unwrap();
        sets.effective &= !(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
        set_capabilities(None, sets).unwrap();
        body()
    };
    // The limits hold for this thread and the threads that it starts, but for no others.
    std::thread::scope(|scope| scope.spawn(limited).join().unwrap())
}

/// A copy of a device in `/dev`, or the device itself if this user cannot make devices: then the user cannot harm them
/// either.
fn device(folder: &Path, name: &str, number: u32) -> PathBuf {
    let path = folder.join(name);
    let made = mknodat(
        CWD,
        &path,
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o666),
        makedev(1, number),
    );
    match made.is_ok() && fs::File::options().write(true).open(&path).is_ok() {
        true => path,
        false => Path::new("/dev").join(name),
    }
}

#[test]
fn a_null_device_takes_files_and_stays() {
    let folder = tempdir().unwrap();
    let path = device(folder.path(), "null", 3);
    for writer in WRITERS {
        coarray::run(3, || writer(&path).unwrap());
        assert!(fs::metadata(&path).unwrap().file_type().is_char_device());
    }
}

#[test]
fn a_device_that_is_full_says_so() {
    let folder = tempdir().unwrap();
    let path = device(folder.path(), "full", 7);
    let error = error_of(|| write_npy(&path, &array()));
    assert_eq!(
        error.os_error(),
        Some(io::ErrorKind::StorageFull),
        "{error}"
    );
    assert!(fs::metadata(&path).unwrap().file_type().is_char_device());
}

#[test]
fn what_is_no_file_is_refused_and_stays() {
    let folder = tempdir().unwrap();
    let [fifo, directory] = ["fifo", "directory"].map(|name| folder.path().join(name));
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    fs::create_dir(&directory).unwrap();
    for (path, words) in [
        (&fifo, "this is a FIFO"),
        (&directory, "this is a directory"),
    ] {
        for function in WRITERS.into_iter().chain(READERS) {
            let error = error_of(|| function(path));
            assert_eq!(error.kind(), ErrorKind::NotAFile);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(names(folder.path()), ["directory", "fifo"]);
}

#[test]
fn links_are_followed_to_the_file() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("d")).unwrap();
    fs::write(path("d/real.npy"), "old").unwrap();
    symlink("d/real.npy", path("link.npy")).unwrap();
    symlink("link.npy", path("second.npy")).unwrap();
    symlink("d/new.npy", path("dangling.npy")).unwrap();
    for (link, file) in [
        ("link.npy", "d/real.npy"),
        ("second.npy", "d/real.npy"),
        ("dangling.npy", "d/new.npy"),
    ] {
        write(&path(link));
        assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
        assert!(fs::symlink_metadata(path(file)).unwrap().is_file());
        assert!(is_written(&path(file)), "{link}");
        fs::write(path(file), "old").unwrap();
    }
    assert_eq!(names(&path("d")), ["new.npy", "real.npy"]);
    symlink("circle.npy", path("circle.npy")).unwrap();
    let error = error_of(|| write_npy(path("circle.npy"), &array()));
    assert_eq!(error.kind(), ErrorKind::Os, "{error}");
}

#[test]
fn modes_and_owners_are_kept() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    fs::write(&path, "old").unwrap();
    // Only the superuser can change the owner.
    let owner =
        chown(&path, Some(4711), Some(4712)).map_or((None, None), |()| (Some(4711), Some(4712)));
    for mode in [0o600, 0o640, 0o777] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        write(&path);
        let found = fs::metadata(&path).unwrap();
        assert_eq!(found.mode() & 0o7777, mode);
        if let (Some(user), Some(group)) = owner {
            assert_eq!((found.uid(), found.gid()), (user, group));
        }
    }
    assert!(is_written(&path));
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    for writer in WRITERS {
        let error = as_user(|| error_of(|| writer(&path)));
        assert_eq!(
            error.os_error(),
            Some(io::ErrorKind::PermissionDenied),
            "{error}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.npy"]);
}

#[test]
fn a_file_in_a_directory_that_may_not_be_written_is_written_where_it_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    // Longer than the new content.
    fs::write(&path, [7; 5000]).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    as_user(|| write(&path));
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
    assert!(is_written(&path));
    // In this directory no other file can be made.
    let other = folder.path().join("b.npy");
    let error = as_user(|| error_of(|| write_npy(&other, &array())));
    assert!(error.to_string().contains("cannot create"), "{error}");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(names(folder.path()), ["a.npy"]);
}

#[test]
fn names_may_be_as_long_as_the_file_system_takes() {
    let folder = tempdir().unwrap();
    for name in [
        "n".repeat(225),
        "n".repeat(226),
        "n".repeat(255),
        "ü".repeat(127),
    ] {
        let path = folder.path().join(&name);
        for writer in WRITERS {
            coarray::run(2, || writer(&path).unwrap());
        }
        assert_eq!(names(folder.path()), [name]);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn what_a_dead_job_has_left_goes_when_the_file_is_written_again() {
    let folder = tempdir().unwrap();
    for name in ["a.npy".to_owned(), "n".repeat(255)] {
        let path = folder.path().join(&name);
        let (left, process) = die_while_writing(&path);
        write(&path);
        assert_eq!(names(folder.path()), [name.as_str()]);
        // Partial files that must stay: of a live process, of another host, and of another file.
        let process = format!("-{process}-");
        let (start, _) = left.split_once(&process).unwrap();
        let (_, host) = start.rsplit_once('.').unwrap();
        let own = left.replace(&process, &format!("-{}-", std::process::id()));
        let others = [
            own,
            left.replace(host, "another0"),
            format!(".other.npy.{host}{process}1.partial"),
        ];
        for other in &others {
            fs::write(folder.path().join(other), "theirs").unwrap();
        }
        write(&path);
        let mut expected = others.to_vec();
        expected.push(name);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        for name in names(folder.path()) {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

/// Kills a job that writes to this path, in the middle of a file. Returns the partial file's name and the job's number.
fn die_while_writing(path: &Path) -> (String, u32) {
    let folder = path.parent().unwrap();
    let left = || {
        names(folder)
            .into_iter()
            .find(|name| name.ends_with(".partial"))
    };
    loop {
        let mut job = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "writes_on_and_on"])
            .env("WRITES_TO", path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while left().is_none() {
            assert_eq!(job.try_wait().unwrap(), None, "the job has ended by itself");
            std::thread::yield_now();
        }
        job.kill().unwrap();
        job.wait().unwrap();
        // The job may just have finished a file.
        if let Some(left) = left() {
            return (left, job.id());
        }
    }
}

#[test]
#[ignore = "a part of another test, which kills it"]
fn writes_on_and_on() {
    let path = PathBuf::from(std::env::var_os("WRITES_TO").unwrap());
    coarray::run(2, || {
        let blocks = Blocks::new([500, 1000], ImageGrid::balanced()).unwrap();
        let array = HaloArray::filled(&blocks, 1, 1.0).unwrap();
        loop {
            write_npy(&path, &array).unwrap();
        }
    });
}
