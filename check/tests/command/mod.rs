//! Starts the program as cargo does.

#![allow(dead_code)]

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

pub struct Run {
    pub code: Option<i32>,
    /// What it has printed.
    pub text: String,
    pub errors: String,
}

pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// `cargo coarray check` in the workspace.
pub fn check<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    let arguments = arguments
        .into_iter()
        .map(|argument| argument.as_ref().to_owned());
    run(
        ["coarray", "check"]
            .into_iter()
            .map(Into::into)
            .chain(arguments),
        workspace(),
    )
}

pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, folder: &Path) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-coarray"));
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    Run {
        code: output.status.code(),
        text: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The calls in the errors of a report: file, as the report names it, and line.
pub fn calls(text: &str) -> Vec<(String, usize)> {
    let errors = text.split("\n\n").filter(|one| one.starts_with("error: "));
    let places = errors
        .flat_map(str::lines)
        .filter_map(|line| line.trim_start().strip_prefix("--> "));
    let calls = places.map(|place| {
        let mut parts = place.rsplitn(3, ':');
        let line = parts.nth(1).unwrap().parse().unwrap();
        (parts.next().unwrap().to_owned(), line)
    });
    calls.collect()
}

/// A path as reports name it.
pub fn short(path: &Path) -> String {
    path.strip_prefix(workspace())
        .unwrap()
        .display()
        .to_string()
}
