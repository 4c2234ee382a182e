//! Readers of a job's output that stop reading: they must not keep the job from ending, nor from reporting why it ends.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Child, Stdio};
use std::ptr;
use std::time::Instant;

use coarray::prelude::*;

use crate::failing::{WAY, kill_me};
use crate::job::{Check, eventually, plain, signal};
use crate::programs::is_last;

pub fn trials() -> Vec<Check> {
    vec![
        ("a_reader_that_is_stuck_does_not_keep_the_job", stuck_reader),
        (
            "a_terminal_that_is_stopped_does_not_keep_the_job",
            stopped_terminal,
        ),
        (
            "a_failure_is_told_while_nobody_reads_the_output",
            told_at_once,
        ),
    ]
}

/// More lines than fit between an image and a reader that does not read.
const LINES: usize = 4000;

/// The other images print for ever. If [`WAY`] is set, the last image is killed when image 0 has printed much.
pub fn flood() {
    let line = "x".repeat(199);
    let printed = Coarray::new(Coatomic::new(0usize));
    if is_last() {
        if std::env::var(WAY).is_ok() {
            while printed.at(0).load() < LINES / 4 {
                std::thread::yield_now();
            }
            kill_me();
        }
        sync_all();
    }
    loop {
        println!("{line}");
        printed.at(this_image()).add(1);
    }
}

fn ended(job: &mut Child) -> Option<i32> {
    eventually(|| true);
    let mut code = None;
    let deadline = Instant::now() + std::time::Duration::from_secs(20);
    while code.is_none() && Instant::now() < deadline {
        code = job.try_wait().unwrap().map(|status| status.code());
        std::thread::yield_now();
    }
    if code.is_none() {
        job.kill().unwrap();
        job.wait().unwrap();
    }
    code.flatten()
}

/// Reads some output; more then follows.
fn read_some(mut output: impl Read) {
    let mut some = vec![0; 1000];
    output.read_exact(&mut some).unwrap();
}

fn stuck_reader() {
    for images in [1, 3] {
        let mut command = plain(images, "flood");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut job = command.spawn().unwrap();
        let mut output = job.stdout.take().unwrap();
        read_some(&mut output);
        signal("TERM", job.id());
        assert_eq!(ended(&mut job), Some(143));
        let mut report = String::new();
        job.stderr.unwrap().read_to_string(&mut report).unwrap();
        assert_eq!(report, "coarray: the job was interrupted by SIGTERM\n");
    }
}

/// The two sides of a terminal: the person's and the program's.
fn terminal() -> (File, OwnedFd) {
    let (mut person, mut program) = (-1, -1);
    let none = ptr::null_mut();
    // SAFETY: the first two arguments have room for descriptors; the others may be null.
    let opened =
        unsafe { libc::openpty(&mut person, &mut program, none, none.cast(), none.cast()) };
    assert_eq!(opened, 0);
    assert!(person.as_raw_fd() >= 0 && program >= 0);
    // SAFETY: the call has just opened both, so that nobody else owns them.
    unsafe { (File::from_raw_fd(person), OwnedFd::from_raw_fd(program)) }
}

fn stopped_terminal() {
    let (mut person, program) = terminal();
    let mut command = plain(2, "flood");
    command
        .stdout(program.try_clone().unwrap())
        .stderr(program.try_clone().unwrap());
    let mut job = command.spawn().unwrap();
    read_some(&mut person);
    const CTRL_S: u8 = 0x13;
    person.write_all(&[CTRL_S]).unwrap();
    signal("TERM", job.id());
    assert_eq!(ended(&mut job), Some(143));
    drop((person, program));
}

fn told_at_once() {
    let mut command = plain(2, "flood");
    command
        .env(WAY, "kill")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut job = command.spawn().unwrap();
    let output = job.stdout.take().unwrap();
    let mut report = String::new();
    let mut errors = BufReader::new(job.stderr.take().unwrap());
    errors.read_line(&mut report).unwrap();
    assert!(
        report.starts_with("coarray: image 1 (process ") && report.contains("SIGKILL"),
        "{report}"
    );
    assert_eq!(job.try_wait().unwrap(), None, "what was printed is kept");
    drop(output);
    assert_eq!(ended(&mut job), Some(137));
}
