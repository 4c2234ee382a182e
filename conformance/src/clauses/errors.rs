//! 14. Errors that end the job.
//!
//! In these jobs image 1 does something else than the others.

use std::process::ExitCode;

use coarray::collectives::{co_alltoall, co_scatter};
use coarray::prelude::*;
use coarray::{error_stop_quiet, error_stop_with};

use crate::clause::{Clause, OwnJob, Section};
use crate::end::End;

/// The section.
pub const SECTION: Section = Section {
    number: 14,
    title: "errors that end the job",
    clauses: &[
        Clause::about_end(
            "14.1",
            "images in different collective operations are named, with what they are in",
            job(other_operation, |end, _| {
                let words = [DIFFERENT, "image 1: co_sum of f64 at ", ": sync_all at "];
                end.with_report(1, &words)
            }),
        ),
        Clause::about_end(
            "14.2",
            "so are lengths that differ in a collective",
            job(other_length, |end, _| {
                let words = [
                    "image 1: co_broadcast of 6 x u32",
                    ": co_broadcast of 5 x u32",
                ];
                end.with_report(1, &words)
            }),
        ),
        Clause::about_end(
            "14.3",
            "so are types that differ",
            job(other_type, |end, _| {
                end.with_report(1, &["image 1: co_sum of 3 x i64", ": co_sum of 3 x f64"])
            }),
        ),
        Clause::about_end(
            "14.4",
            "so are roots that differ",
            job(other_root, |end, _| {
                end.with_report(1, &["of u8 from image 1 at ", "of u8 from image 0 at "])
            }),
        ),
        Clause::about_end(
            "14.5",
            "so are coarrays of different types",
            job(other_coarray, |end, _| {
                end.with_report(1, &[DIFFERENT, "image 1: ", "[u64; 7]", "[f64; 8]"])
            }),
        ),
        Clause::about_end(
            "14.6",
            "so are phases of different coarrays",
            job(other_phase, |end, _| {
                end.with_report(1, &[DIFFERENT, "image 1: ", "errors.rs:"])
            }),
        ),
        Clause::about_end(
            "14.7",
            "so is an image that has come to the end of the program",
            job(early_end, |end, _| {
                end.with_report(1, &["image 1: the end of the program", "sync_all at "])
            }),
        ),
        Clause::about_end(
            "14.8",
            "a panic of one image ends the job with exit code 101, and is told",
            job(panic, |end, _| {
                let words = ["image 1 panicked at ", "errors.rs:", "the moon is missing"];
                end.with_report(101, &words)
            }),
        ),
        Clause::about_end(
            "14.9",
            "error_stop ends the job with its exit code",
            job(stop, |end, _| {
                end.with_report(7, &["image 1 called error_stop(7) at ", "errors.rs:"])
            }),
        ),
        Clause::about_end(
            "14.10",
            "error_stop_with ends it with a message in the program's words",
            job(stop_with, |end, _| {
                end.with_report(3, &["no such file: moon.rle"])
            }),
        ),
        Clause::about_end(
            "14.11",
            "a failure returned from main is the exit code of the job",
            job(failure, |end, _| {
                end.with_report(9, &["image 1 returned a failure from its main function"])
            }),
        ),
        Clause::about_end(
            "14.12",
            "an image that does not exist is named",
            job(no_such_image, |end, images| {
                let words = format!("there is no image {images}: the images are numbered 0 to");
                end.with_report(101, &[&words, "errors.rs:"])
            }),
        ),
        Clause::about_end(
            "14.13",
            "an index that does not exist is named",
            job(no_such_item, |end, _| {
                let words = "index 10 is out of bounds of a coref with extent 10 on image 0";
                end.with_report(101, &[words, "errors.rs:"])
            }),
        ),
        Clause::about_end(
            "14.14",
            "a root that does not exist is named",
            job(no_such_root, |end, images| {
                let words =
                    format!("co_broadcast with image 77 as root, but there are {images} images");
                end.with_report(101, &[&words])
            }),
        ),
        Clause::about_end(
            "14.15",
            "a job of which an image is killed ends, and not with success",
            job(killed, |end, _| {
                end.in_time()?;
                match end.code {
                    Some(0) => Err(format!("it ended with success{}", end.last_words())),
                    _ => Ok(()),
                }
            }),
        ),
        Clause::about_end(
            "14.16",
            "images that all wait for events that nobody will post are named",
            job(deadlock, |end, _| {
                end.with_report(1, &["image 0", "image 1", "event", "errors.rs:"])
            }),
        ),
        Clause::about_end(
            "14.17",
            "a heap that is full ends the job, if the program does not expect it",
            job(full_heap, |end, _| {
                end.with_report(101, &["cannot allocate"])
            }),
        ),
        Clause::about_end(
            "14.18",
            "a message with which several images end the job is told once",
            job(all_stop_with, |end, _| {
                end.with_report(3, &["no such file: moon.rle"])?;
                match end.stderr.matches("no such file: moon.rle").count() {
                    1 => Ok(()),
                    times => Err(format!("it was told {times} times")),
                }
            }),
        ),
        Clause::about_end(
            "14.19",
            "lengths that differ are named, too, where the network's own collective would move the values",
            job(other_long_length, |end, _| {
                let words = [
                    "image 1: co_alltoall of 504000 x u32",
                    ": co_alltoall of 420000 x u32",
                ];
                end.with_report(1, &words)
            }),
        ),
        Clause::about_end(
            "14.20",
            "a root whose array has the wrong length panics, and no image goes on with the values of a scatter",
            job(wrong_parts, |end, _| {
                end.with_report(
                    101,
                    &["co_scatter from image 1: `parts` has 7 elements there"],
                )
            }),
        ),
        Clause::about_end(
            "14.21",
            "error_stop_quiet ends the job with its exit code, and says nothing",
            job(stop_quiet, |end, _| {
                end.with_code(6)?;
                match end.stderr.contains("coarray:") {
                    true => Err(format!("there is a report{}", end.last_words())),
                    false => Ok(()),
                }
            }),
        ),
    ],
};

const DIFFERENT: &str = "different collective operations";

const fn job(body: fn() -> ExitCode, judge: fn(&End, usize) -> Result<(), String>) -> OwnJob {
    OwnJob {
        images: 2,
        body,
        judge,
    }
}

/// Returned by a body that should have failed and did not.
const WELL: ExitCode = ExitCode::SUCCESS;

fn other_operation() -> ExitCode {
    match this_image() {
        1 => co_sum(&mut 1.5),
        _ => sync_all(),
    }
    WELL
}

fn other_length() -> ExitCode {
    match this_image() {
        1 => co_broadcast(&mut [1_u32; 6], 0),
        _ => co_broadcast(&mut [1_u32; 5], 0),
    }
    WELL
}

fn other_long_length() -> ExitCode {
    // Up to eight images can share them.
    let length = if this_image() == 1 { 504_000 } else { 420_000 };
    co_alltoall(&vec![1_u32; length], &mut vec![0; length]);
    WELL
}

fn wrong_parts() -> ExitCode {
    co_scatter(&[1_u32; 7], &mut vec![0_u32; 100_000], 1);
    if this_image() != 1 {
        error_stop_with(4, "it went on");
    }
    WELL
}

fn other_type() -> ExitCode {
    match this_image() {
        1 => co_sum(&mut [1_i64; 3]),
        _ => co_sum(&mut [1_f64; 3]),
    }
    WELL
}

fn other_root() -> ExitCode {
    co_broadcast(&mut 1_u8, usize::from(this_image() == 1));
    WELL
}

fn other_coarray() -> ExitCode {
    match this_image() {
        1 => drop(Coarray::<[u64; 7]>::zeroed()),
        _ => drop(Coarray::<[f64; 8]>::zeroed()),
    }
    WELL
}

fn other_phase() -> ExitCode {
    let (mut x, mut y) = (Coarray::new(1), Coarray::new(2));
    match this_image() {
        1 => drop(y.open()),
        _ => drop(x.open()),
    }
    WELL
}

fn early_end() -> ExitCode {
    if this_image() != 1 {
        sync_all();
    }
    WELL
}

fn panic() -> ExitCode {
    assert!(this_image() != 1, "the moon is missing");
    sync_all();
    WELL
}

fn stop() -> ExitCode {
    if this_image() == 1 {
        error_stop(7);
    }
    sync_all();
    WELL
}

fn stop_quiet() -> ExitCode {
    if this_image() == 1 {
        error_stop_quiet(6);
    }
    sync_all();
    WELL
}

fn stop_with() -> ExitCode {
    if this_image() == 1 {
        error_stop_with(3, "no such file: moon.rle");
    }
    sync_all();
    WELL
}

fn all_stop_with() -> ExitCode {
    error_stop_with(3, "no such file: moon.rle")
}

fn failure() -> ExitCode {
    match this_image() {
        1 => ExitCode::from(9),
        _ => WELL,
    }
}

fn no_such_image() -> ExitCode {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 1 {
        x.at(num_images()).put(1);
    }
    WELL
}

fn no_such_item() -> ExitCode {
    let mut x = Coarray::new([0; 10]);
    let x = x.open();
    if this_image() == 1 {
        let beyond = x.at(0).get().len();
        x.at(0)[beyond].put(1);
    }
    WELL
}

fn no_such_root() -> ExitCode {
    co_broadcast(&mut 1, 77);
    WELL
}

fn killed() -> ExitCode {
    if this_image() == 1 {
        let me = rustix::process::getpid();
        // If that is not allowed, the job ends with success, and the clause fails.
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
    sync_all();
    WELL
}

fn deadlock() -> ExitCode {
    let event = Coarray::new(Coevent::new());
    event.wait();
    WELL
}

fn full_heap() -> ExitCode {
    drop(Coarray::<[u64]>::zeroed(1 << 42));
    WELL
}
