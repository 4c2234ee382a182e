//! Writes and reads that fail: all images get the same error, which says what is wrong.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray_io::{
    Checkpoint, Error, ErrorKind, Vti, read_npy, read_raw, read_vti, write_npy, write_raw,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::fs;
use std::io;
use std::path::Path;
use tempfile::tempdir;

/// Runs `body` on some images, which all must return the same error; returns it.
fn error_of(images: usize, body: impl Fn() -> Result<(), Error> + Sync) -> Error {
    let mut errors = coarray::run(images, || body().expect_err("this cannot succeed"));
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors.swap_remove(0)
}

fn array() -> HaloArray<f64, 2> {
    let blocks = Blocks::new([6, 7], ImageGrid::balanced()).unwrap();
    HaloArray::from_fn(&blocks, 1, |[i, j]| (10 * i + j) as f64).unwrap()
}

fn assert_says(error: &Error, kind: ErrorKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    for words in words {
        assert!(
            error.to_string().contains(words),
            "{words:?} is not in: {error}"
        );
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn directories_that_are_not_there() {
    for images in [1, 3] {
        let error = error_of(images, || write_npy("/no/such/folder/a.npy", &array()));
        assert_says(
            &error,
            ErrorKind::NotFound,
            &["/no/such/folder/a.npy: cannot create", "image 0"],
        );
        assert_eq!(error.os_error(), Some(io::ErrorKind::NotFound));
        let error = error_of(images, || read_raw("/no/such/folder/a.raw", &mut array()));
        assert_says(&error, ErrorKind::NotFound, &["cannot open the file"]);
        let error = error_of(images, || Vti::new().field("a", &array()).write("/"));
        assert_says(&error, ErrorKind::NotAFile, &["the path of a directory"]);
    }
}

#[test]
fn a_limit_of_files_is_told_and_nothing_is_left() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    write_once(&path);
    let before = fs::read(&path).unwrap();
    // The limit holds for a whole process, and comes with a signal that would kill it.
    let test = std::env::current_exe().unwrap();
    let script = format!(
        "trap '' XFSZ; exec '{}' --ignored --exact limited_files",
        test.display()
    );
    let outcome = std::process::Command::new("bash")
        .args(["-c", &script])
        .env("LIMITED_FILES", &path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&outcome.stdout);
    assert!(outcome.status.success(), "{text}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn write_once(path: &Path) {
    coarray::run(2, || write_npy(path, &array()).unwrap());
}

#[test]
#[ignore = "a part of another test, in a process whose files are limited"]
fn limited_files() {
    let path = std::env::var("LIMITED_FILES").unwrap();
    let error = error_of(2, || {
        let blocks = Blocks::new([64, 64], ImageGrid::balanced()).unwrap();
        let array = HaloArray::filled(&blocks, 1, 1.0).unwrap();
        sync_all();
        let limit = Rlimit {
            current: Some(4096),
            maximum: Some(4096),
        };
        setrlimit(Resource::Fsize, limit).unwrap();
        write_npy(&path, &array)
    });
    assert_says(
        &error,
        ErrorKind::Os,
        &["cannot make the file 32896 bytes long", "large"],
    );
    assert_eq!(error.os_error(), Some(io::ErrorKind::FileTooLarge));
}

#[test]
fn a_full_disk_is_told_and_nothing_is_left() {
    let folder = tempdir().unwrap();
    // A disk of 64 KiB, which only the child process can see.
    let script = r#"mount -t tmpfs -o size=64k none "$FULL_DISK" && exec "$0" --ignored --exact fills_a_disk"#;
    let outcome = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("FULL_DISK", folder.path())
        .output();
    match outcome {
        Ok(outcome) if outcome.status.success() => (),
        Ok(outcome) if outcome.stdout.is_empty() => {
            let why = String::from_utf8_lossy(&outcome.stderr);
            eprintln!("skipped, since no disk can be made here: {why}");
        }
        Ok(outcome) => panic!("{}", String::from_utf8_lossy(&outcome.stdout)),
        Err(error) => eprintln!("skipped, since there is no unshare here: {error}"),
    }
}

#[test]
#[ignore = "a part of another test, which makes the disk"]
fn fills_a_disk() {
    let disk = Path::new(&std::env::var_os("FULL_DISK").unwrap()).to_owned();
    let old = disk.join("old.npy");
    write_once(&old);
    let (before, saved) = (fs::read(&old).unwrap(), disk.join("saved"));
    coarray::run(2, || {
        Checkpoint::new(&saved).field("u", &array()).save().unwrap()
    });
    let large = || {
        let blocks = Blocks::new([128, 128], ImageGrid::balanced()).unwrap();
        HaloArray::filled(&blocks, 1, 1.0).unwrap()
    };
    let new = disk.join("new");
    let writers: [&(dyn Fn() -> Result<(), Error> + Sync); 5] = [
        &|| write_npy(&old, &large()),
        &|| write_npy(&new, &large()),
        &|| write_raw(&new, &large()),
        &|| Vti::new().field("u", &large()).write(&new),
        &|| {
            Checkpoint::new(&saved)
                .field("u", &large())
                .save()
                .map(|_| ())
        },
    ];
    for writer in writers {
        let error = error_of(2, writer);
        assert_eq!(
            error.os_error(),
            Some(io::ErrorKind::StorageFull),
            "{error}"
        );
        assert_eq!(fs::read(&old).unwrap(), before);
        assert_eq!(fs::read_dir(&disk).unwrap().count(), 2);
        assert_eq!(fs::read_dir(&saved).unwrap().count(), 1);
        coarray::run(2, || {
            assert!(Checkpoint::open(&saved).unwrap().refused().is_empty())
        });
    }
}

#[test]
fn files_of_other_kinds_shapes_and_types() {
    let folder = tempdir().unwrap();
    let path = &folder.path().join("a.npy");
    write_once(path);
    for images in [1, 2, 3] {
        let error = error_of(images, || {
            let blocks = Blocks::new([7, 6], ImageGrid::balanced()).unwrap();
            read_npy(path, &mut HaloArray::filled(&blocks, 0, 0.0).unwrap())
        });
        assert_says(
            &error,
            ErrorKind::Shape,
            &["shape [6, 7]", "[7, 6]", "a.npy"],
        );
        let error = error_of(images, || {
            let blocks = Blocks::new([42], ImageGrid::balanced()).unwrap();
            read_npy(path, &mut HaloArray::filled(&blocks, 0, 0.0).unwrap())
        });
        assert_says(&error, ErrorKind::Shape, &["[42]"]);
        let error = error_of(images, || {
            read_npy(
                path,
                &mut HaloArray::filled(array().blocks(), 0, 0f32).unwrap(),
            )
        });
        assert_says(&error, ErrorKind::ElementType, &["f64", "f32"]);
        let error = error_of(images, || read_vti(path, "a", &mut array()));
        assert_says(&error, ErrorKind::Format, &["no .vti file"]);
        let error = error_of(images, || read_raw(path, &mut array()));
        assert_says(&error, ErrorKind::Shape, &["464 bytes", "take 336"]);
    }
}

#[test]
fn files_that_are_cut_anywhere() {
    let folder = tempdir().unwrap();
    let [npy, raw, vti] = ["a.npy", "a.raw", "a.vti"].map(|name| folder.path().join(name));
    write_once(&npy);
    coarray::run(2, || {
        write_raw(&raw, &array()).unwrap();
        Vti::new().field("a", &array()).write(&vti).unwrap();
    });
    for path in [npy, raw, vti] {
        let whole = fs::read(&path).unwrap();
        // The end of a .vti file, behind the numbers, is not needed to read it.
        let needed = whole.len() - if path.ends_with("a.vti") { 30 } else { 0 };
        coarray::run(2, || {
            let mut read = array();
            for length in 0..whole.len() {
                if this_image() == 0 {
                    fs::write(&path, &whole[..length]).unwrap();
                }
                sync_all();
                let outcome = match path.extension().unwrap().to_str().unwrap() {
                    "npy" => read_npy(&path, &mut read),
                    "raw" => read_raw(&path, &mut read),
                    _ => read_vti(&path, "a", &mut read),
                };
                if length >= needed {
                    outcome.unwrap();
                    continue;
                }
                let error = outcome.unwrap_err();
                let kinds = [ErrorKind::Truncated, ErrorKind::Format];
                assert!(kinds.contains(&error.kind()), "{length}: {error}");
                let text = error.to_string();
                let words = [
                    "truncated",
                    "but f64 cells",
                    "cut off",
                    "should have",
                    "no XML",
                ];
                assert!(
                    words.iter().any(|words| text.contains(words)),
                    "{length}: {error}"
                );
            }
        });
    }
}

#[test]
fn images_that_ask_for_different_things() {
    let folder = tempdir().unwrap();
    let path = |image: usize| folder.path().join(format!("{image}.npy"));
    let error = error_of(3, || write_npy(path(this_image()), &array())).to_string();
    assert!(
        error.contains("the images do not ask for the same"),
        "{error}"
    );
    assert!(
        error.contains("0.npy with f64 cells of shape [6, 7] on images [3, 1], image 1 for"),
        "{error}"
    );
    let error = error_of(3, || {
        let array = array();
        let checkpoint = Checkpoint::new(folder.path()).field("u", &array);
        checkpoint
            .value("step", this_image() / 2)
            .save()
            .map(|_| ())
    });
    assert_says(
        &error,
        ErrorKind::Disagreement,
        &["value \"step\": 0, image 2 for", "value \"step\": 1"],
    );
    assert!(is_empty(folder.path()));
}

#[test]
fn arrays_of_another_team() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    coarray::run(4, || {
        let array = array();
        let number = this_image() as u64 / 2;
        Team::form(number).change(|| {
            let error = write_npy(path.with_extension(number.to_string()), &array).unwrap_err();
            assert_says(&error, ErrorKind::Disagreement, &["4 images", "has 2"]);
        });
    });
    assert!(is_empty(folder.path()));
}

#[test]
fn names_that_are_taken_and_arrays_that_do_not_fit() {
    let folder = tempdir().unwrap();
    let path = &folder.path().join("a.vti");
    let vti = |name: &'static str, shape| {
        error_of(2, move || {
            let blocks = Blocks::new(shape, ImageGrid::balanced()).unwrap();
            let (a, b) = (array(), HaloArray::filled(&blocks, 0, 0u8).unwrap());
            Vti::new().field("a", &a).field(name, &b).write(path)
        })
    };
    assert_says(
        &vti("a", [6, 7]),
        ErrorKind::Name,
        &["two arrays are named \"a\""],
    );
    assert_says(
        &vti("b", [6, 8]),
        ErrorKind::Shape,
        &["\"a\" has [6, 7] and \"b\" has [6, 8]"],
    );
    let error = error_of(2, || Vti::<2>::new().write(path));
    assert_says(&error, ErrorKind::Name, &["no array"]);
    let error = error_of(2, || {
        let (a, folder) = (array(), folder.path());
        Checkpoint::new(folder)
            .field("a", &a)
            .field("a", &a)
            .save()
            .map(|_| ())
    });
    assert_says(&error, ErrorKind::Name, &["two fields are named \"a\""]);
    assert!(is_empty(folder.path()));
}

#[test]
fn images_that_have_failed_or_stopped_are_told_and_the_old_file_stays() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npy");
    for stops in [false, true] {
        let errors = coarray::Launch::new(4).keep_going(true).run(|| {
            // Long rows, and short ones, which the images put together first.
            let grids = [[4, 1], [1, 4]].map(|extents| ImageGrid::new(extents).unwrap());
            let arrays = grids.map(|grid| {
                let blocks = Blocks::new([6, 7], grid).unwrap();
                HaloArray::from_fn(&blocks, 1, |[i, j]| (10 * i + j) as f64).unwrap()
            });
            write_npy(&path, &arrays[0]).unwrap();
            if this_image() == 2 {
                match stops {
                    true => return None,
                    false => coarray::failure::fail_image(),
                }
            }
            let mut arrays = arrays;
            let errors = [
                write_npy(&path, &arrays[0]).unwrap_err(),
                write_npy(&path, &arrays[1]).unwrap_err(),
                write_raw(&path, &arrays[1]).unwrap_err(),
                read_npy(&path, &mut arrays[0]).unwrap_err(),
                Checkpoint::new(folder.path())
                    .field("a", &arrays[0])
                    .save()
                    .unwrap_err(),
            ];
            assert!(arrays[0].interior()[[0, 0]].is_finite());
            Some(errors)
        });
        let errors: Vec<_> = errors.unwrap().into_iter().flatten().collect();
        assert_eq!(errors.len(), 3);
        let what = if stops {
            "image 2 has come to the end"
        } else {
            "image 2 has failed"
        };
        for error in &errors[0] {
            assert_says(error, ErrorKind::ImageFailed, &[what]);
        }
        assert!(
            errors.iter().all(|others| *others == errors[0]),
            "{errors:?}"
        );
        let names = || {
            fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
        };
        assert_eq!(names().collect::<Vec<_>>(), ["a.npy"]);
        coarray::run(2, || {
            let mut array = array();
            array.interior_mut().fill(0.0);
            read_npy(&path, &mut array).unwrap();
            let [i, j] = array.global_of([1, 2]);
            assert_eq!(array.interior()[[1, 2]], (10 * i + j) as f64);
        });
    }
}
