//! Directories of checkpoints that several jobs use, or that contain other things.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray_io::{Checkpoint, Error, ErrorKind};
use rustix::fs::{
    CWD, FileType, FlockOperation, MemfdFlags, Mode, flock, ftruncate, memfd_create, mknodat,
};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::tempdir;

fn save(folder: &Path, step: u64) -> Result<u64, Error> {
    let blocks = Blocks::new([1000], ImageGrid::balanced()).unwrap();
    let u = HaloArray::filled(&blocks, 1, step as f64).unwrap();
    Checkpoint::new(folder)
        .field("u", &u)
        .value("step", step)
        .save()
}

/// Saves these steps, on two images; returns the numbers of the generations.
fn save_all(folder: &Path, steps: impl IntoIterator<Item = u64> + Clone + Sync) -> Vec<u64> {
    let mut numbers = coarray::run(2, || {
        let steps = steps.clone().into_iter();
        steps
            .map(|step| save(folder, step).unwrap())
            .collect::<Vec<_>>()
    });
    numbers.swap_remove(0)
}

/// Opens a directory; returns the step, and why newer generations were refused.
fn open(folder: &Path) -> (u64, Vec<Error>) {
    let mut found = coarray::run(2, || {
        let restart = Checkpoint::open(folder).unwrap();
        let step: u64 = restart.value("step").unwrap();
        let blocks = Blocks::new([1000], ImageGrid::balanced()).unwrap();
        let mut u = HaloArray::filled(&blocks, 0, 0.0).unwrap();
        restart.read("u", &mut u).unwrap();
        assert!(u.interior().iter().all(|&u| u == step as f64));
        (step, restart.refused().to_vec())
    });
    found.swap_remove(0)
}

fn generation(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("generation-{number:06}.checkpoint"))
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

#[test]
fn whoever_is_saving_already_is_named() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    save_all(folder, [1]);
    // The lock file of another job that is saving.
    let lock = folder.join(".checkpoint.lock");
    let mut file = fs::File::create_new(&lock).unwrap();
    write!(file, "process 4711 on node17").unwrap();
    flock(&file, FlockOperation::LockExclusive).unwrap();
    let errors = coarray::run(2, || save(folder, 2).unwrap_err());
    assert_eq!(errors[0], errors[1]);
    assert_eq!(errors[0].kind(), ErrorKind::Busy);
    let text = errors[0].to_string();
    assert!(
        text.contains(
            "another job is saving a checkpoint in this directory: process 4711 on node17"
        ),
        "{text}"
    );
    // A killed job leaves the lock file, but no lock.
    drop(file);
    save_all(folder, [3]);
    assert_eq!(
        names(folder),
        [generation(folder, 1), generation(folder, 2)]
    );
    assert_eq!(open(folder).0, 3);
}

#[test]
fn jobs_that_save_in_one_directory_do_no_harm_to_each_other() {
    const SAVES: usize = 10;
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let job = || {
        let numbers = coarray::run(2, || {
            let mut numbers = Vec::new();
            while numbers.len() < SAVES {
                match save(folder, numbers.len() as u64) {
                    Ok(number) => numbers.push(number),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Busy, "{error}"),
                }
            }
            numbers
        });
        numbers.into_iter().next().unwrap()
    };
    let numbers = std::thread::scope(|scope| {
        let jobs = [(); 3].map(|()| scope.spawn(job));
        let numbers = jobs.into_iter().flat_map(|job| job.join().unwrap());
        numbers.collect::<BTreeSet<u64>>()
    });
    let last = 3 * SAVES as u64;
    assert!(
        numbers.into_iter().eq(1..=last),
        "no two saves are the same generation"
    );
    assert_eq!(
        names(folder),
        [generation(folder, last - 1), generation(folder, last)]
    );
    assert!(open(folder).1.is_empty());
}

#[test]
fn a_save_never_says_that_there_is_nothing_yet() {
    let errors = coarray::run(2, || {
        save(Path::new("/proc/no/such/folder"), 1).unwrap_err()
    });
    assert_eq!(errors[0].kind(), ErrorKind::Os, "{}", errors[0]);
    assert_eq!(errors[0].os_error(), Some(std::io::ErrorKind::NotFound));
}

#[test]
fn a_fifo_is_no_generation_to_wait_for() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    save_all(folder, [1]);
    let fifo = generation(folder, 9);
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let (step, refused) = open(folder);
    assert_eq!((step, refused.len()), (1, 1));
    assert_eq!(refused[0].kind(), ErrorKind::NotAFile);
    assert!(
        refused[0].to_string().contains("this is a FIFO"),
        "{}",
        refused[0]
    );
    assert_eq!(save_all(folder, [2, 3]), [10, 11]);
    assert_eq!(
        names(folder),
        [fifo, generation(folder, 10), generation(folder, 11)]
    );
}

#[test]
fn a_directory_with_the_name_of_a_generation_keeps_no_older_ones() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    save_all(folder, [1]);
    fs::create_dir(generation(folder, 2)).unwrap();
    assert_eq!(save_all(folder, [3, 4]), [3, 4]);
    assert_eq!(
        names(folder),
        [2, 3, 4].map(|number| generation(folder, number))
    );
}

#[test]
fn the_last_number_there_is_stops_nothing() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    save_all(folder, [1]);
    let last = generation(folder, u64::MAX);
    fs::write(&last, "none of ours").unwrap();
    // Similar names that no generation has.
    for name in ["generation-7.checkpoint", "generation-+00008.checkpoint"] {
        fs::write(folder.join(name), "none of ours").unwrap();
    }
    assert_eq!(save_all(folder, [2, 3]), [2, 3]);
    let (step, refused) = open(folder);
    assert_eq!((step, refused.len()), (3, 1));
    assert_eq!(refused[0].path(), last);
}

#[test]
fn a_header_that_tells_of_a_giant_table_is_refused() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    save_all(folder, [1, 2]);
    let newest = generation(folder, 2);
    let bytes = fs::read(&newest).unwrap();
    let mut description = bytes[32..4096].to_vec();
    // The only extent of the field, behind the number of extents.
    let extent = [1u64.to_le_bytes(), 1000u64.to_le_bytes()].concat();
    let at = description
        .windows(16)
        .position(|words| words == extent)
        .unwrap()
        + 8;
    let cells = 1u64 << 57;
    description[at..at + 8].copy_from_slice(&cells.to_le_bytes());
    let mut start = bytes[..28].to_vec();
    start.extend(crc32fast::hash(&description).to_le_bytes());
    start.extend(description);
    // A file in memory can be this long without taking memory.
    let file = memfd_create("checkpoint", MemfdFlags::CLOEXEC).unwrap();
    rustix::io::write(&file, &start).unwrap();
    let (data, segment) = (8 * cells, 16 << 20);
    ftruncate(&file, 4096 + data + 4 * (data / segment + 1)).unwrap();
    fs::remove_file(&newest).unwrap();
    symlink(format!("/proc/self/fd/{}", file.as_raw_fd()), &newest).unwrap();
    let (step, refused) = open(folder);
    assert_eq!((step, refused.len()), (1, 1));
    assert_eq!(refused[0].kind(), ErrorKind::Corrupt);
    let words = "block 0 of 68719476736, bytes 4096 to 16781312 in the field \"u\", is not what was written";
    assert!(refused[0].to_string().contains(words), "{}", refused[0]);
}
