//! The program `life` as its users start it: its images are processes.

use std::path::{Path, PathBuf};

use testing::programs::{self, *};

/// Options for a short run.
const SHORT: [&str; 4] = ["--size", "80x80", "--generations", "3"];

fn pattern(name: &str) -> String {
    format!("{}/patterns/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn refusal(images: usize, arguments: &[&str]) -> String {
    programs::refusal(images, "life", arguments)
}

fn file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_r_pentomino_has_116_cells_on_any_number_of_images() {
    for images in [1, 2, 3, 4, 7, 8] {
        let output = run_on(
            "processes",
            images,
            "life",
            &[
                &pattern("rpentomino.rle"),
                "--size",
                "2048x2048",
                "--generations",
                "1103",
            ],
        );
        let lines = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert!(output.status.success());
        assert_eq!(
            lines[..2],
            ["generation: 1103", "population: 116"],
            "with {images} images"
        );
        assert!(
            lines[2].starts_with("rate: ") && lines[2].ends_with(" Mcell/s"),
            "{}",
            lines[2]
        );
        assert_eq!(lines.len(), 3);
    }
}

#[test]
fn pictures_are_the_same_on_any_number_of_images() {
    let directory = tempfile::tempdir().unwrap();
    let picture = |images: usize| -> Vec<u8> {
        let path: PathBuf = directory.path().join(format!("{images}.png"));
        let frames = directory.path().join(format!("frames-{images}"));
        let (path, frames) = (path.to_str().unwrap(), frames.to_str().unwrap());
        let gun = pattern("gosperglidergun.rle");
        let arguments = [
            &gun,
            "--size",
            "101x67",
            "--generations",
            "3",
            "--png",
            path,
            "--frames",
            frames,
        ];
        assert!(
            run_on("processes", images, "life", &arguments)
                .status
                .success()
        );
        let last_frame = std::fs::read(format!("{frames}/000003.png")).unwrap();
        assert_eq!(std::fs::read_dir(frames).unwrap().count(), 4);
        let picture = std::fs::read(path).unwrap();
        assert!(picture == last_frame && picture.starts_with(b"\x89PNG"));
        picture
    };
    let first = picture(1);
    for images in [2, 3, 7] {
        assert!(picture(images) == first);
    }
}

#[test]
fn bad_input_is_refused_in_one_line_before_anything_is_computed() {
    let directory = tempfile::tempdir().unwrap();
    let malformed = file(
        directory.path(),
        "malformed.rle",
        "x = 3, y = 3\nbo$2b%o!\n",
    );
    let other_rule = file(
        directory.path(),
        "highlife.rle",
        "x = 1, y = 1, rule = B36/S23\no!\n",
    );
    let no_such_directory = directory.path().join("missing/life.png");
    for images in [1, 4] {
        assert!(refusal(images, &[&malformed]).contains("malformed.rle:2: "));
        assert!(refusal(images, &[&other_rule]).contains("B36/S23"));
        assert!(refusal(images, &["missing.rle"]).contains("missing.rle"));
        assert!(
            refusal(images, &["--png", no_such_directory.to_str().unwrap()])
                .contains("missing/life.png")
        );
        assert!(refusal(images, &["--frames", "/dev/null/frames"]).contains("/dev/null/frames"));
        assert!(refusal(images, &[&pattern("acorn.rle"), "--size", "3x3"]).contains("3x3"));
        assert!(refusal(images, &["--sise"]).contains("--sise"));
    }
    assert!(refusal(8, &[&pattern("blinker.rle"), "--size", "3x2"]).contains("8 images"));
}

#[test]
fn help_is_printed_once() {
    assert_prints_help_once("life");
}

#[test]
fn it_writes_what_it_is_told_to_write_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let glider = pattern("glider.rle");
    assert_leaves_no_file(folder.path(), "life", &SHORT);
    assert_takes_any_file_name(folder.path(), "life", &SHORT, Some(&glider), "--png");
    assert_tells_of_a_full_disk("life", &SHORT, "--png");
}

#[test]
fn what_it_cannot_do_is_refused() {
    assert_refuses_what_is_no_unicode("life");
    assert_refuses_what_is_too_large("life", &["--size", "16777216x16777216"]);
}
