//! Reports of a missing image: they have the function and the line of the program that calls it.

use coarray::Launch;
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray_io::{
    Checkpoint, ErrorKind, NpyHeader, Vti, VtiHeader, read_npy, read_raw, read_vti, write_npy,
    write_raw,
};
use std::path::Path;
use tempfile::tempdir;

fn array() -> HaloArray<f64, 2> {
    let blocks = Blocks::new([6, 7], ImageGrid::balanced()).unwrap();
    HaloArray::filled(&blocks, 1, 1.0).unwrap()
}

/// The report of a job in which image 0 runs `job`, and image 1 calls `sync_all` instead.
fn report(job: impl Fn(&mut HaloArray<f64, 2>) + Sync) -> String {
    let outcome = Launch::new(2).run(|| {
        let mut array = array();
        match this_image() {
            0 => job(&mut array),
            _ => sync_all(),
        }
    });
    outcome.expect_err("nobody noticed").to_string()
}

#[test]
fn a_missing_image_is_reported_at_the_line_that_calls_the_library() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (npy, raw, vti, saved) = (path("a.npy"), path("a.raw"), path("a.vti"), path("saved"));
    coarray::run(2, || {
        let array = array();
        write_npy(&npy, &array).unwrap();
        write_raw(&raw, &array).unwrap();
        Vti::new().field("u", &array).write(&vti).unwrap();
        Checkpoint::new(&saved).field("u", &array).save().unwrap();
    });
    type Job<'a> = &'a (dyn Fn(&mut HaloArray<f64, 2>) -> u32 + Sync);
    // Each returns its own line.
    #[rustfmt::skip]
    let jobs: [(&str, Job); 10] = [
        ("write_npy", &|u| { _ = write_npy(&npy, u); line!() }),
        ("read_npy", &|u| { _ = read_npy(&npy, u); line!() }),
        ("NpyHeader::of", &|_| { _ = NpyHeader::of(&npy); line!() }),
        ("write_raw", &|u| { _ = write_raw(&raw, u); line!() }),
        ("read_raw", &|u| { _ = read_raw(&raw, u); line!() }),
        ("Vti::write", &|u| { _ = Vti::new().field("u", u).write(&vti); line!() }),
        ("read_vti", &|u| { _ = read_vti(&vti, "u", u); line!() }),
        ("VtiHeader::of", &|_| { _ = VtiHeader::of(&vti); line!() }),
        ("Checkpoint::save", &|u| { _ = Checkpoint::new(&saved).field("u", u).save(); line!() }),
        ("Checkpoint::open", &|_| { _ = Checkpoint::open(&saved); line!() }),
    ];
    for (name, job) in jobs {
        let lines = coarray::run(2, || job(&mut array()));
        let report = report(|array| {
            job(array);
        });
        assert_says(&report, name, lines[0]);
    }
    let line = line!() + 4;
    let report = Launch::new(2).run(|| {
        let (saved, mut array) = (Checkpoint::open(&saved).unwrap(), array());
        match this_image() {
            0 => saved.read("u", &mut array).unwrap(),
            _ => sync_all(),
        }
    });
    assert_says(&report.unwrap_err().to_string(), "Restart::read", line);
}

#[test]
fn a_dead_image_is_an_error_that_names_the_file() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("a.npy");
    let errors = Launch::new(3).keep_going(true).run(|| {
        let array = array();
        match this_image() {
            1 => coarray::failure::fail_image(),
            _ => write_npy(&file, &array).unwrap_err(),
        }
    });
    for error in errors.unwrap() {
        assert_eq!(error.kind(), ErrorKind::ImageFailed, "{error}");
        let text = error.to_string();
        assert!(text.contains("a.npy: image 1 has failed"), "{text}");
    }
}

fn assert_says(report: &str, name: &str, line: u32) {
    let file = Path::new(file!()).file_name().unwrap().display();
    let words = format!("image 0: {name} at ");
    assert!(report.contains(&words), "{words:?} is not in: {report}");
    let place = format!("{file}:{line}:");
    assert!(report.contains(&place), "{place:?} is not in: {report}");
}
