//! What all programs have in common: they write what they are told to write and nothing else, and say in one line what they cannot
//! do.

#[path = "program/run.rs"]
mod program;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use program::{program, refusal, told};

/// Every program, with what makes it short.
const ALL: [(&str, &[&str]); 17] = [
    ("hello", &[]),
    ("ring", &["--laps", "3"]),
    ("pi", &["--points", "1000"]),
    ("sample_sort", &["--keys", "1000"]),
    ("histogram", &["--molecules", "1000"]),
    ("work_queue", &["--size", "30x20", "--limit", "50"]),
    ("pipeline", &["--blocks", "5"]),
    ("matrix_multiply", &["--size", "20x20x20"]),
    ("life", &["--size", "80x80", "--generations", "3"]),
    ("heat", &["--size", "20x20", "--steps", "3"]),
    ("microstructure", &["--size", "9x9x9"]),
    ("lbm", &["--size", "12x12x12", "--steps", "3"]),
    ("spmv", &["--laplacian", "5x5"]),
    ("survivor", &["--steps", "50"]),
    ("redundant_halves", &[]),
    ("recovery_team", &[]),
    ("deadlock_gallery", &[]),
];

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn no_program_leaves_a_file_that_nobody_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (name, arguments) in ALL {
        let mut program = program(3, name);
        let output = program.args(arguments).current_dir(folder.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let left = names(folder.path());
        assert!(left.is_empty(), "{name} left {left:?}");
    }
}

#[test]
fn words_that_are_no_unicode_are_refused_as_others_are() {
    for (name, _) in ALL {
        for word in [&b"\xff"[..], b"--\xff", b"--\xff=1"] {
            let mut program = program(2, name);
            program.arg(OsStr::from_bytes(word));
            match name {
                // It looks at no arguments.
                "hello" => assert!(program.output().unwrap().status.success()),
                _ => drop(told(2, name, &mut program)),
            }
        }
    }
}

#[test]
fn files_may_have_names_that_are_no_unicode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"a\xff"));
    let matrix = concat!(env!("CARGO_MANIFEST_DIR"), "/spmv/petersen.mtx");
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/patterns/glider.rle");
    for (name, input, option) in [
        ("spmv", matrix, "--output="),
        ("life", pattern, "--png="),
        ("heat", "", "--png="),
    ] {
        let mut program = program(2, name);
        let output = [option.as_bytes(), path.as_os_str().as_bytes()].concat();
        program.arg(OsStr::from_bytes(&output));
        match name {
            "spmv" => program.args(["--compute", "product"]),
            "life" => program.args(["--size", "80x80", "--generations", "3"]),
            _ => program.args(["--size", "20x20", "--steps", "3"]),
        };
        if !input.is_empty() {
            std::fs::copy(input, &path).unwrap();
            program.arg(&path);
        }
        let output = program.output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        assert!(std::fs::metadata(&path).unwrap().len() > 0);
        std::fs::remove_file(&path).unwrap();
        let left = names(folder.path());
        assert!(left.is_empty(), "{name} left {left:?}");
    }
}

#[test]
fn sizes_beyond_the_memory_of_the_machine_are_refused_before_anything_is_allocated() {
    let trillion = "1000000000000";
    let cases: [(&str, &[&str]); 7] = [
        ("sample_sort", &["--keys", trillion]),
        ("histogram", &["--molecules", trillion]),
        ("life", &["--size", "16777216x16777216"]),
        ("heat", &["--size", "1048576x1048576"]),
        ("lbm", &["--size", "65536x65536x65536"]),
        ("matrix_multiply", &["--size", "1048576x1048576x1048576"]),
        (
            "microstructure",
            &[
                "--size",
                "1048576x1048576x1048576",
                "--cells-per-grain",
                trillion,
            ],
        ),
    ];
    for (name, arguments) in cases {
        for images in [1, 3] {
            let told = refusal(images, name, arguments);
            let expected = format!("{name}: {} ", arguments[..2].join(" "));
            assert!(
                told.starts_with(&expected) && told.contains(" GiB of memory on this machine"),
                "{told}"
            );
        }
    }
}

#[test]
fn matrices_beyond_the_memory_of_the_machine_are_refused_before_they_are_allocated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.mtx");
    let matrix = "%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n";
    std::fs::write(&path, matrix).unwrap();
    // Rows are numbered in 32 bits: some machines have room for all of them.
    if coarray::machine::available_memory().is_none_or(|bytes| bytes > 90 << 30) {
        return;
    }
    for images in [1, 3] {
        let told = refusal(images, "spmv", &[path.to_str().unwrap()]);
        assert!(told.contains("wide.mtx takes "), "{told}");
        let told = refusal(images, "spmv", &["--laplacian", "65535x65535"]);
        assert!(told.contains("--laplacian 65535x65535 takes "), "{told}");
    }
}

#[test]
fn a_full_disk_ends_every_program_with_the_same_code() {
    let cases: [(&str, &str); 10] = [
        ("life", "--png"),
        ("heat", "--png"),
        ("lbm", "--png"),
        ("lbm", "--profile"),
        ("work_queue", "--png"),
        ("histogram", "--plot"),
        ("spmv", "--output"),
        ("microstructure", "--png"),
        ("microstructure", "--sizes"),
        ("microstructure", "--misorientations"),
    ];
    for (name, option) in cases {
        let short = ALL.iter().find(|(other, _)| *other == name);
        let (_, arguments) = short.unwrap();
        let mut program = program(2, name);
        program.args(*arguments).args([option, "/dev/full"]);
        let told = told(1, name, &mut program);
        assert!(told.contains("/dev/full: cannot write: "), "{told}");
    }
}
