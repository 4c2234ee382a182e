//! Example programs as their users start them.

// No test needs all of these.
#![allow(dead_code)]

use std::process::{Command, Output};

/// The numbers of images that programs are tested with.
pub const IMAGES: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// An example, which `cargo test` builds with the tests, on so many images.
pub fn program(images: usize, name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.ancestors().nth(2).unwrap().join("examples");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing: build it with cargo build --examples",
        program.display()
    );
    let mut program = Command::new(program);
    program
        .env("COARRAY_IMAGES", images.to_string())
        .env_remove("COARRAY_FAULT_TOLERANT")
        .env_remove("COARRAY_FABRIC");
    program
}

/// Runs an example on so many images of a fabric.
pub fn run_on(fabric: &str, images: usize, name: &str, arguments: &[&str]) -> Output {
    let mut program = program(images, name);
    let program = program.args(arguments).env("COARRAY_FABRIC", fabric);
    program.output().unwrap()
}

/// What a run that succeeds prints.
pub fn printed_on(fabric: &str, images: usize, name: &str, arguments: &[&str]) -> String {
    let output = run_on(fabric, images, name, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success(),
        "{name} {arguments:?} on {images} images: {errors}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// What a run on processes that succeeds prints.
pub fn printed(images: usize, name: &str, arguments: &[&str]) -> String {
    printed_on("processes", images, name, arguments)
}

/// The one line that a refusal with exit code 2 consists of.
pub fn refusal(images: usize, name: &str, arguments: &[&str]) -> String {
    told(2, name, program(images, name).args(arguments))
}

/// The one line that a program which ends with this exit code says.
pub fn told(code: i32, name: &str, program: &mut Command) -> String {
    let output = program.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{program:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{program:?}: {message}");
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

/// Of several images, one prints how the program is used.
pub fn assert_prints_help_once(name: &str) {
    let help = printed(3, name, &["--help"]);
    assert_eq!(
        help.matches(&format!("usage: {name} ")).count(),
        1,
        "{help}"
    );
}

/// The file that the program writes if `option` names one: the same on any number of images.
pub fn written(name: &str, option: &str, arguments: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let mut files = [1, 2, 7].map(|images| {
        let path = directory.path().join(images.to_string());
        let file = [option, path.to_str().unwrap()];
        printed(images, name, &[arguments, &file].concat());
        std::fs::read(path).unwrap()
    });
    assert!(files[0] == files[1] && files[0] == files[2]);
    std::mem::take(&mut files[0])
}

/// What the line that begins with `label` and a colon says.
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
