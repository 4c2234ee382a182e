//! The whole program of the book: its command line, its files, and its start from another job's checkpoint.

use std::fs;
use std::path::Path;
use std::process::Output;

const RESULT: &str = "generation 200: 52925 of 57600 cells changed\n";

/// Runs `cyclic` in a folder with these words as its command line.
fn cyclic(folder: &Path, images: usize, words: &str) -> Output {
    let mut program = testing::programs::program(images, "cyclic");
    let program = program.args(words.split_whitespace());
    program.current_dir(folder).output().unwrap()
}

/// The stdout and the stderr of a job that ends well.
#[track_caller]
fn said(output: Output) -> (String, String) {
    assert!(output.status.success(), "{output:?}");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (out, err)
}

/// The message of a job that refuses its input.
#[track_caller]
fn refusal(output: Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn files_do_not_depend_on_the_number_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let files = |images| {
        let names = ["png", "npy", "vti"].map(|kind| format!("{images}.{kind}"));
        let [png, npy, vti] = &names;
        let words = format!("--quiet --png {png} --npy={npy} --vti {vti}");
        let output = cyclic(folder.path(), images, &words);
        assert_eq!(said(output), (RESULT.to_owned(), String::new()));
        names.map(|name| fs::read(folder.path().join(name)).unwrap())
    };
    let alone = files(1);
    assert!(alone == files(4) && alone == files(7));
    let [png, npy, vti] = &alone;
    assert!(png.starts_with(b"\x89PNG"));
    assert!(npy.starts_with(b"\x93NUMPY"));
    assert_eq!(npy.len(), 128 + 240 * 240);
    let header = String::from_utf8_lossy(vti);
    assert!(
        header.contains("WholeExtent=\"0 240 0 240 0 0\"") && header.contains("Name=\"state\"")
    );
}

#[test]
fn other_sizes_and_seeds_give_the_same_on_any_number_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [
        "--size 7x9",
        "--size 61x8 --seed 5",
        "--size 9x100 --generations 0",
    ];
    for words in sizes {
        let alone = said(cyclic(folder.path(), 1, words));
        for images in [2, 7] {
            assert_eq!(said(cyclic(folder.path(), images, words)), alone, "{words}");
        }
    }
}

#[test]
fn another_number_of_images_goes_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let begin = cyclic(folder.path(), 4, "--generations 120 --checkpoint saved");
    let told = |generation| format!("cyclic: has computed generation {generation}\n");
    assert_eq!(said(begin).1, [50, 100, 120].map(told).concat());

    let end = cyclic(
        folder.path(),
        3,
        "--checkpoint saved --every 1000 --npy on.npy",
    );
    let news = "cyclic: goes on from generation 120\n".to_owned() + &told(200);
    assert_eq!(said(end), (RESULT.to_owned(), news));
    said(cyclic(folder.path(), 1, "--npy at-once.npy"));
    let [on, at_once] =
        ["on.npy", "at-once.npy"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert!(on == at_once);

    let nothing_left = cyclic(folder.path(), 2, "--checkpoint saved --quiet");
    assert_eq!(said(nothing_left), (RESULT.to_owned(), String::new()));
}

#[test]
fn a_torn_checkpoint_is_refused_and_the_one_before_is_used() {
    let folder = tempfile::tempdir().unwrap();
    said(cyclic(
        folder.path(),
        3,
        "--generations 120 --checkpoint saved",
    ));
    let path = |generation| {
        folder
            .path()
            .join(format!("saved/generation-00000{generation}.checkpoint"))
    };
    assert!(!path(1).exists());
    for generation in [2, 3] {
        let file = fs::File::options()
            .write(true)
            .open(path(generation))
            .unwrap();
        let length = file.metadata().unwrap().len();
        if generation == 2 {
            let copy = fs::read(path(2)).unwrap();
            fs::write(folder.path().join("whole"), copy).unwrap();
        }
        file.set_len(length - 1).unwrap();
    }

    let torn = refusal(cyclic(folder.path(), 2, "--checkpoint saved"));
    assert!(
        torn.contains("cyclic: saved: no checkpoint in this directory can be used"),
        "{torn}"
    );
    assert!(path(2).exists() && path(3).exists() && !path(4).exists());

    fs::copy(folder.path().join("whole"), path(2)).unwrap();
    let (out, err) = said(cyclic(folder.path(), 2, "--checkpoint saved"));
    assert_eq!(out, RESULT);
    let lines: Vec<&str> = err.lines().collect();
    assert!(
        lines[0].starts_with("coarray-io: generation 3 is refused: "),
        "{err}"
    );
    assert_eq!(lines[1], "coarray-io: generation 2 is used instead");
    assert_eq!(lines[2], "cyclic: goes on from generation 100");
}

#[test]
fn checkpoints_of_something_else_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    said(cyclic(
        folder.path(),
        2,
        "--generations 60 --checkpoint saved",
    ));
    for (words, expected) in [
        (
            "--seed 2",
            "cyclic: saved/generation-000002.checkpoint is of seed 1 and generation 60\n",
        ),
        (
            "--generations 59",
            "cyclic: saved/generation-000002.checkpoint is of seed 1 and generation 60\n",
        ),
        (
            "--size 240x239",
            "the array in the file has shape [240, 240]",
        ),
    ] {
        let output = cyclic(folder.path(), 3, &format!("{words} --checkpoint saved"));
        let text = refusal(output);
        assert!(
            text.contains(expected) && text.lines().count() == 1,
            "{text}"
        );
    }
    assert_eq!(
        fs::read_dir(folder.path().join("saved")).unwrap().count(),
        2
    );
}

#[test]
fn bad_arguments_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (words, expected) in [
        (
            "--sise 3x3",
            "unknown option '--sise'; cyclic --help lists them all",
        ),
        (
            "240x240",
            "unknown option '240x240'; cyclic --help lists them all",
        ),
        ("--seed", "option --seed needs a value: a number"),
        ("--quiet=1", "option --quiet takes no value"),
        (
            "--size=240",
            "--size 240: expected ROWSxCOLUMNS, such as 240x320, each 1 to 1048576",
        ),
        (
            "--size 240",
            "--size 240: expected ROWSxCOLUMNS, such as 240x320, each 1 to 1048576",
        ),
        (
            "--size 0x9",
            "--size 0x9: expected ROWSxCOLUMNS, such as 240x320, each 1 to 1048576",
        ),
        ("--generations -1", "--generations -1: expected a number"),
        ("--every 0", "--every 0: expected a positive number"),
        ("--png none/a.png", "none/a.png: there is no such folder"),
        ("--vti none/a.vti", "none/a.vti: there is no such folder"),
        (
            "--size 1x2",
            "3 images cannot be arranged so that each has a cell of an array with shape [1, 2]; use fewer images, or a number with smaller factors",
        ),
    ] {
        let text = refusal(cyclic(folder.path(), 3, words));
        assert_eq!(text, format!("cyclic: {expected}\n"));
    }
    fs::write(folder.path().join("file"), "").unwrap();
    let text = refusal(cyclic(
        folder.path(),
        2,
        "--checkpoint file --generations 1",
    ));
    assert!(text.starts_with("cyclic: file: cannot "), "{text}");
}

#[test]
fn help_is_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = said(cyclic(folder.path(), 3, "--help"));
    assert_eq!(out.matches("usage: cyclic ").count(), 1);
    assert!(err.is_empty());
}
