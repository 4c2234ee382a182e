//! Jobs that keep going when images die: the reports about these images, the other images, and the exit code.

use std::process::Command;
use std::time::Instant;

use crate::failing::WAY;
use crate::job::{COUNTS, Check, coarun, end_of, is_alive, on_threads, plain, run, signal};
use crate::launch::start_pids;

pub fn trials() -> Vec<Check> {
    vec![
        ("a_job_keeps_going_without_a_killed_image", killed),
        ("a_lost_image_is_told_of_on_a_line_of_its_own", own_line),
        (
            "a_job_keeps_going_without_an_image_that_panics",
            panic_of_one,
        ),
        ("a_job_keeps_going_without_an_image_that_fails", failing),
        ("a_job_keeps_going_without_an_image_that_exits", exits),
        (
            "a_job_keeps_going_without_an_image_that_never_came",
            never_came,
        ),
        ("survivors_use_again_what_a_dead_image_held", use_again),
        ("a_job_that_has_lost_all_images_fails", all_lost),
        (
            "a_mistake_of_all_images_ends_a_job_that_keeps_going",
            job_failures,
        ),
        ("an_interrupt_ends_a_job_that_keeps_going", interrupted),
        ("fail_image_ends_a_job_that_does_not_keep_going", not_set),
        ("a_setting_is_read_under_its_former_name_too", former_name),
    ]
}

fn use_again() {
    let mut command = keeping_going(plain(4, "use_again"));
    command.env("COARRAY_HEAP", "4M");
    let end = run(command);
    assert_eq!(end.code, Some(0), "{end:#?}");
    assert_eq!(end.stdout, "done\n".repeat(3), "{end:#?}");
}

fn keeping_going(mut command: Command) -> Command {
    command.env("COARRAY_FAULT_TOLERANT", "1");
    command
}

fn former_name() {
    for mut command in [
        plain(3, "lose_last"),
        on_threads(3, "lose_last"),
        coarun(&["-n3"], "lose_last"),
    ] {
        command.env(WAY, "fail").env("COARRAY_KEEP_GOING", "1");
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        assert_eq!(end.stdout.lines().count(), 2, "{end:#?}");
        let note = "coarray: COARRAY_KEEP_GOING is called COARRAY_FAULT_TOLERANT now; this version still reads it\n";
        assert_eq!(end.stderr.matches(note).count(), 1, "{end:#?}");
    }
}

/// The job in which the last image is lost in this way.
fn losing(mut command: Command, way: &str) -> Command {
    command.env(WAY, way);
    keeping_going(command)
}

/// Asserts that all images but the last came to the end of the program; returns the report about the last.
#[track_caller]
fn note_of_last(command: Command, images: usize) -> String {
    let end = run(command);
    assert_eq!(end.code, Some(0), "{end:#?}");
    let mut lines: Vec<&str> = end.stdout.lines().collect();
    lines.sort_unstable();
    let expected: Vec<String> = (0..images - 1)
        .map(|image| format!("image {image} goes on"))
        .collect();
    assert_eq!(lines, expected, "{end:#?}");
    assert_eq!(end.stderr.lines().count(), 1, "{end:#?}");
    let note = end.stderr.strip_suffix("; the other images go on\n");
    note.unwrap_or_else(|| panic!("{end:#?}")).to_owned()
}

fn killed() {
    for images in &COUNTS[1..] {
        let note = note_of_last(losing(plain(*images, "lose_last"), "kill"), *images);
        let expected = format!("coarray: image {} (process ", images - 1);
        assert!(
            note.starts_with(&expected) && note.ends_with(") was killed by signal 9 (SIGKILL)"),
            "{note}"
        );
    }
}

fn own_line() {
    let mut command = coarun(&["-n3", "--keep-going", "--label"], "lose_last");
    command.env(WAY, "kill in mid-line");
    let end = run(command);
    assert_eq!(end.code, Some(0), "{end:#?}");
    let lines: Vec<&str> = end.stderr.lines().collect();
    assert!(
        lines.len() == 2
            && lines[0] == "[2] half a line"
            && lines[1].starts_with("coarray: image 2 (process "),
        "{end:#?}"
    );
}

fn panic_of_one() {
    for images in &COUNTS[1..] {
        for command in [
            plain(*images, "lose_last"),
            on_threads(*images, "lose_last"),
        ] {
            let note = note_of_last(losing(command, "panic"), *images);
            let expected = format!("coarray: image {} panicked at ", images - 1);
            assert!(
                note.starts_with(&expected)
                    && note.contains("failing.rs:")
                    && note.ends_with(": the moon is missing"),
                "{note}"
            );
        }
    }
}

fn failing() {
    for command in [plain(3, "lose_last"), on_threads(3, "lose_last")] {
        let note = note_of_last(losing(command, "fail_image"), 3);
        assert!(
            note.starts_with("coarray: image 2 called fail_image() at ")
                && note.contains("failing.rs:"),
            "{note}"
        );
    }
    for command in [plain(3, "lose_last"), on_threads(3, "lose_last")] {
        assert_eq!(
            note_of_last(losing(command, "return"), 3),
            "coarray: image 2 returned a failure from its main function"
        );
    }
}

fn exits() {
    assert_eq!(
        note_of_last(losing(plain(3, "lose_last"), "exit"), 3),
        "coarray: image 2 exited with code 5"
    );
    let note = note_of_last(losing(plain(3, "lose_last"), "desert"), 3);
    assert!(
        note.starts_with("coarray: image 2 called std::process::exit(0)"),
        "{note}"
    );
}

fn never_came() {
    let note = note_of_last(keeping_going(plain(3, "never_came")), 3);
    assert!(
        note.starts_with("coarray: image 2 exited before it reached"),
        "{note}"
    );
}

/// The last image is killed; then the others panic one after the other.
fn all_lost() {
    for images in COUNTS {
        let report = run(keeping_going(plain(images, "lose_all"))).failure(128 + 9);
        let mut lines = report.lines();
        let first = lines.next().unwrap();
        let outlook = match images {
            1 => "",
            _ => "; the other images go on",
        };
        assert!(
            first.starts_with(&format!("coarray: image {} (process ", images - 1))
                && first.ends_with(&format!(") was killed by signal 9 (SIGKILL){outlook}")),
            "{report}"
        );
        for image in (0..images - 1).rev() {
            let line = lines.next().unwrap();
            let outlook = match image {
                0 => "; no image is left",
                _ => "; the other images go on",
            };
            assert!(
                line.starts_with(&format!("coarray: image {image} panicked at "))
                    && line.ends_with(outlook),
                "{report}"
            );
        }
        assert_eq!(lines.next(), None, "{report}");
    }
}

fn job_failures() {
    for images in COUNTS {
        for command in [
            plain(images, "error_stop"),
            on_threads(images, "error_stop"),
        ] {
            let report = run(keeping_going(command)).failure(7);
            let expected = format!("coarray: image {} called error_stop(7) at ", images - 1);
            assert!(
                report.starts_with(&expected) && report.lines().count() == 1,
                "{report}"
            );
        }
    }
    for command in [
        plain(4, "busy_error_stop"),
        on_threads(4, "busy_error_stop"),
    ] {
        let report = run(keeping_going(command)).failure(7);
        assert!(report.contains("image 3 called error_stop(7)"), "{report}");
    }
    for command in [plain(3, "mismatch"), on_threads(3, "mismatch")] {
        let report = run(keeping_going(command)).failure(1);
        assert!(
            report.contains("different collective operations"),
            "{report}"
        );
    }
}

fn interrupted() {
    let command = keeping_going(plain(3, "pids"));
    let (supervisor, pids) = start_pids(command, 3);
    let start = Instant::now();
    signal("INT", supervisor.id());
    let report = end_of(supervisor, start).failure(130);
    assert_eq!(report, "coarray: the job was interrupted by SIGINT\n");
    assert!(!pids.iter().any(|&pid| is_alive(pid)));
}

fn not_set() {
    for mut command in [plain(3, "lose_last"), on_threads(3, "lose_last")] {
        command.env(WAY, "fail_image");
        let report = run(command).failure(1);
        assert!(
            report.starts_with("coarray: image 2 called fail_image() at ")
                && report.lines().count() == 1
                && !report.contains("go on"),
            "{report}"
        );
    }
}
