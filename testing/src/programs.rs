//! Helpers for tests, which start programs as users do, and tests of what all programs have in common: they write only
//! the files that they are told to write, and say in one line what they cannot do.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Output};

/// The numbers of images that programs are tested with.
pub const IMAGES: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// A program or example, which `cargo test` builds with the tests, on `images` images.
pub fn program(images: usize, name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.ancestors().nth(2).unwrap();
    let places = [folder.join(name), folder.join("examples").join(name)];
    let program = places.iter().find(|place| place.exists());
    let program = program.unwrap_or_else(|| panic!("cargo build has not made {places:?}"));
    let mut program = Command::new(program);
    program
        .env("COARRAY_IMAGES", images.to_string())
        .env_remove("COARRAY_FAULT_TOLERANT")
        .env_remove("COARRAY_FABRIC")
        .env_remove("RUST_BACKTRACE");
    program
}

/// Runs a program on `images` images of a fabric.
pub fn run_on(fabric: &str, images: usize, name: &str, arguments: &[&str]) -> Output {
    let mut program = program(images, name);
    let program = program.args(arguments).env("COARRAY_FABRIC", fabric);
    program.output().unwrap()
}

/// The output of a run, which succeeds.
pub fn printed_on(fabric: &str, images: usize, name: &str, arguments: &[&str]) -> String {
    let output = run_on(fabric, images, name, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success(),
        "{name} {arguments:?} on {images} images: {errors}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The output of a run on processes, which succeeds.
pub fn printed(images: usize, name: &str, arguments: &[&str]) -> String {
    printed_on("processes", images, name, arguments)
}

/// The one line of a refusal: exit code 2, and nothing on standard output.
pub fn refusal(images: usize, name: &str, arguments: &[&str]) -> String {
    let output = program(images, name).args(arguments).output().unwrap();
    assert!(output.stdout.is_empty(), "{name} {arguments:?}: {output:?}");
    line_of(2, name, output)
}

/// The one line of a program that ends with this exit code.
pub fn told(code: i32, name: &str, program: &mut Command) -> String {
    line_of(code, name, program.output().unwrap())
}

fn line_of(code: i32, name: &str, output: Output) -> String {
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{name}: {message}");
    assert_eq!(message.lines().count(), 1, "{name}: {message}");
    assert!(message.starts_with(&format!("{name}: ")), "{message}");
    message
}

/// Each of these command lines is refused, with these words in the message.
pub fn assert_refuses(name: &str, cases: &[(&[&str], &str)]) {
    for (arguments, words) in cases {
        let told = refusal(3, name, arguments);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

/// Only one of several images prints the help.
pub fn assert_prints_help_once(name: &str) {
    let help = printed(3, name, &["--help"]);
    assert_eq!(
        help.matches(&format!("usage: {name} ")).count(),
        1,
        "{help}"
    );
}

/// The file that the program writes if `option` names one: the same on any number of images.
pub fn written(folder: &Path, name: &str, option: &str, arguments: &[&str]) -> Vec<u8> {
    let mut files = [1, 2, 7].map(|images| {
        let path = folder.join(images.to_string());
        let file = [option, path.to_str().unwrap()];
        printed(images, name, &[arguments, &file].concat());
        std::fs::read(path).unwrap()
    });
    assert!(files[0] == files[1] && files[0] == files[2]);
    std::mem::take(&mut files[0])
}

/// The program, run in an empty folder, leaves it empty.
pub fn assert_leaves_no_file(folder: &Path, name: &str, arguments: &[&str]) {
    let mut program = program(3, name);
    let output = program
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
    assert_is_empty(folder);
}

fn assert_is_empty(folder: &Path) {
    let entries = std::fs::read_dir(folder).unwrap();
    let names: Vec<OsString> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.is_empty(), "there are {names:?}");
}

/// Words that are not Unicode are refused in one line.
pub fn assert_refuses_what_is_no_unicode(name: &str) {
    for word in [&b"\xff"[..], b"--\xff", b"--\xff=1"] {
        told(2, name, program(2, name).arg(OsStr::from_bytes(word)));
    }
}

/// Files may have names that are not Unicode: a copy of `input`, if there is one, and the file that `option` names. The
/// folder is empty.
pub fn assert_takes_any_file_name(
    folder: &Path,
    name: &str,
    arguments: &[&str],
    input: Option<&str>,
    option: &str,
) {
    let path = folder.join(OsStr::from_bytes(b"a\xff"));
    let mut program = program(2, name);
    let output = [option.as_bytes(), b"=", path.as_os_str().as_bytes()].concat();
    program.arg(OsString::from_vec(output)).args(arguments);
    if let Some(input) = input {
        std::fs::copy(input, &path).unwrap();
        program.arg(&path);
    }
    let output = program.output().unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
    assert!(std::fs::metadata(&path).unwrap().len() > 0);
    std::fs::remove_file(&path).unwrap();
    assert_is_empty(folder);
}

/// A problem that exceeds the machine's memory is refused before anything is allocated: the message begins with the
/// first option.
pub fn assert_refuses_what_is_too_large(name: &str, arguments: &[&str]) {
    for images in [1, 3] {
        let told = refusal(images, name, arguments);
        let expected = format!("{name}: {} ", arguments[..2].join(" "));
        assert!(
            told.starts_with(&expected) && told.contains(" GiB of memory on this machine"),
            "{told}"
        );
    }
}

/// A full disk ends the program with exit code 1.
pub fn assert_tells_of_a_full_disk(name: &str, arguments: &[&str], option: &str) {
    let mut program = program(2, name);
    program.args(arguments).args([option, "/dev/full"]);
    let told = told(1, name, &mut program);
    assert!(told.contains("/dev/full: cannot write: "), "{told}");
}

/// The rest of the line that begins with `label` and a colon.
pub fn line<'a>(printed: &'a str, label: &str) -> &'a str {
    printed
        .lines()
        .find_map(|line| line.strip_prefix(label)?.strip_prefix(": "))
        .unwrap_or_else(|| panic!("no line '{label}: ' in\n{printed}"))
}

/// The first number in the line that begins with `label` and a colon.
pub fn number(printed: &str, label: &str) -> f64 {
    let line = line(printed, label);
    let word = line.split_whitespace().next().unwrap();
    word.trim_end_matches(',').parse().unwrap()
}
