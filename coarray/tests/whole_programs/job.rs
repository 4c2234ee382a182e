//! Starting a job and looking at its end.

use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};

pub use testing::harness::Check;
pub use testing::{End, end_of, run, run_with_input};

/// The image counts at which programs are tried.
pub const COUNTS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// A program of `programs.rs` started plainly, with so many images.
pub fn plain(images: usize, program: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--program", program])
        .env("COARRAY_IMAGES", images.to_string());
    without_backtrace(command)
}

/// A backtrace would come between the lines that tests look for.
fn without_backtrace(mut command: Command) -> Command {
    command.env_remove("RUST_BACKTRACE");
    command
}

/// The same on threads.
pub fn on_threads(images: usize, program: &str) -> Command {
    let mut command = plain(images, program);
    command.env("COARRAY_FABRIC", "threads");
    command
}

/// `coarun` with these arguments, followed by a program of `programs.rs`.
pub fn coarun<S: AsRef<OsStr>>(arguments: &[S], program: &str) -> Command {
    let mut command = bare_coarun();
    command
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--program", program]);
    command
}

/// `coarun` without arguments.
pub fn bare_coarun() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coarun"));
    for variable in [
        "COARRAY_IMAGES",
        "COARRAY_FABRIC",
        "COARRAY_LABEL",
        "COARRAY_BIND",
        "COARRAY_WAIT",
        "COARRAY_HEAP",
        "COARRAY_PROFILE",
        "COARRAY_PROFILE_JSON",
        "COARRAY_PROFILE_HTML",
        "COARRAY_PROFILE_SVG",
        "COARRAY_TRACE",
        "COARRAY_CHECK",
        "COARRAY_FAULT_TOLERANT",
    ] {
        command.env_remove(variable);
    }
    without_backtrace(command)
}

/// Starts what `command` would, with its arguments and environment, by `other`.
pub fn in_its_place(mut other: Command, command: &Command) -> Command {
    other.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

/// Sends a signal, such as "INT", to a process.
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} {process}")])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Whether a process exists that is not just waiting to be reaped.
pub fn is_alive(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => !stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .trim_start()
            .starts_with('Z'),
        Err(_) => false,
    }
}

/// Waits until `condition` holds, at most ten seconds.
#[track_caller]
pub fn eventually(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "waited ten seconds in vain");
        std::thread::yield_now();
    }
}
