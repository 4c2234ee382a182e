//! Programs under limits on open files, address space and the length of files; and processes that images fork.

use std::io::{ErrorKind, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use coarray::prelude::*;
use rustix::process::{Pid, Resource, Rlimit, WaitOptions, setrlimit, waitpid};

use crate::job::{Check, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("a_heap_longer_than_a_file_may_be_is_refused", long_heap),
        ("the_default_heap_fits_the_limits", default_heap),
        ("a_heap_beyond_the_address_space_is_refused", large_heap),
        ("a_file_that_becomes_too_long_is_an_error", long_file),
        ("few_open_files_are_enough_for_few_images", few_files),
        ("a_process_that_an_image_forks_is_no_image", forked),
    ]
}

fn with_limit(mut command: Command, resource: Resource, limit: u64) -> Command {
    let limit = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    // SAFETY: the closure makes one system call, and neither allocates nor locks.
    unsafe { command.pre_exec(move || Ok(setrlimit(resource, limit)?)) };
    command
}

fn both(images: usize, program: &str) -> [Command; 2] {
    [plain(images, program), on_threads(images, program)]
}

fn long_heap() {
    for limit in [0, 1 << 20] {
        for command in both(2, "hello") {
            let refused = run(with_limit(command, Resource::Fsize, limit)).failure(2);
            let start = "coarray: cannot reserve a heap of ";
            assert!(refused.starts_with(start), "{refused}");
            assert!(refused.contains("`ulimit -f`"), "{refused}");
            assert_eq!(refused.lines().count(), 1, "{refused}");
        }
    }
}

fn default_heap() {
    for (resource, limit) in [(Resource::Fsize, 100 << 20), (Resource::As, 3 << 30)] {
        for mut command in both(3, "all_to_all") {
            command.env_remove("COARRAY_HEAP");
            run(with_limit(command, resource, limit)).success();
        }
    }
}

fn large_heap() {
    for mut command in both(2, "hello") {
        command.env("COARRAY_HEAP", "2G");
        let refused = run(with_limit(command, Resource::As, 3 << 30)).failure(2);
        assert!(refused.contains("`ulimit -v`"), "{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
}

fn long_file() {
    for command in both(2, "write_much") {
        let output = run(with_limit(command, Resource::Fsize, 64 << 20)).success();
        assert_eq!(output, "FileTooLarge\nFileTooLarge\n");
    }
}

/// Writes a file until that is an error, which it prints.
pub fn write_much() {
    let mut file = tempfile::tempfile().unwrap();
    let piece = vec![7; 1 << 20];
    let error: ErrorKind = loop {
        if let Err(error) = file.write_all(&piece) {
            break error.kind();
        }
    };
    println!("{error:?}");
}

fn few_files() {
    let output = run(with_limit(plain(2, "hello"), Resource::Nofile, 64)).success();
    assert_eq!(output.lines().count(), 2);
    let refused = run(with_limit(plain(40, "hello"), Resource::Nofile, 64)).failure(2);
    assert!(refused.contains("`ulimit -n`"), "{refused}");
}

fn forked() {
    for command in both(3, "fork") {
        let end = run(command);
        assert_eq!(
            (end.code, &*end.stdout),
            (Some(0), "all images met\n"),
            "{end:#?}"
        );
        let line = "coarray: a process that image 1 forked panicked at ";
        assert!(end.stderr.starts_with(line), "{end:#?}");
        assert!(
            end.stderr.contains("this thread is not an image"),
            "{end:#?}"
        );
        assert_eq!(end.stderr.lines().count(), 1, "{end:#?}");
    }
}

/// Image 1 forks copies: one returns, one changes a coatomic of its own, one tries to take part, and one reads shared memory. Then it starts a
/// program.
pub fn fork() {
    let mut numbers = Coarray::new([5u64; 1000]);
    sync_all();
    if this_image() == 1 {
        // SAFETY: the copy only returns.
        match unsafe { libc::fork() } {
            0 => return,
            copy => assert!(status_of(copy).success()),
        }
        let own = Coatomic::new(1);
        // SAFETY: the copy only changes its own memory.
        match unsafe { libc::fork() } {
            0 => std::process::exit(own.fetch_add(6) + own.load()),
            copy => assert_eq!(status_of(copy).code(), Some(8)),
        }
        // SAFETY: the copy only calls `sync_all`, which panics in it.
        match unsafe { libc::fork() } {
            0 => sync_all(),
            copy => assert_eq!(status_of(copy).code(), Some(101)),
        }
        // SAFETY: the copy only reads memory that is not mapped in it, and so gets a SIGSEGV.
        match unsafe { libc::fork() } {
            0 => std::process::exit(numbers[999] as i32),
            copy => assert_eq!(status_of(copy).signal(), Some(libc::SIGSEGV)),
        }
        assert!(Command::new("true").status().unwrap().success());
    }
    let open = numbers.open();
    assert_eq!(open.at(1)[999].get(), 5);
    sync_all();
    if this_image() == 0 {
        println!("all images met");
    }
}

fn status_of(process: i32) -> ExitStatus {
    let process = Pid::from_raw(process).expect("fork gave a process");
    let (_, status) = waitpid(Some(process), WaitOptions::empty())
        .unwrap()
        .unwrap();
    ExitStatus::from_raw(status.as_raw())
}
