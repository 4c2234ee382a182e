//! Images that `coarun` does not start itself: a script, `timeout` or another program between the two does.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use coarray::failure::try_sync_all;
use coarray::prelude::*;

use crate::failing::{WAY, kill_me};
use crate::job::{Check, bare_coarun, end_of, eventually, is_alive, plain, run, signal};
use crate::launch::start_pids;
use crate::programs::is_last;

pub fn trials() -> Vec<Check> {
    vec![
        ("a_script_starts_one_job", one_job),
        ("a_script_may_close_what_it_inherits", closed_descriptors),
        ("a_second_program_of_an_image_says_so", second_program),
        ("a_script_does_not_hide_a_failure", failures_are_seen),
        (
            "an_image_that_is_killed_below_a_script_ends_the_job",
            killed_below,
        ),
        ("a_job_goes_on_without_an_image_below_a_script", keeps_going),
        ("a_signal_reaches_the_images_below_scripts", terminated),
        (
            "no_image_below_a_script_survives_the_supervisor",
            killed_supervisor,
        ),
        ("nothing_that_an_image_started_is_left", nothing_is_left),
        ("a_job_within_a_job_ends_with_its_image", nested_job),
        (
            "what_an_image_leaves_behind_may_finish",
            left_behind_finishes,
        ),
    ]
}

/// Scripts that start their arguments as another process, and wait for it.
const SCRIPTS: [&str; 3] = [
    "\"$@\"; exit $?",
    "timeout 600 \"$@\"; exit $?",
    "\"$@\" & wait $!",
];

/// `coarun` of a shell's script, which gets a program of `programs.rs` as its arguments.
fn below(options: &[&str], script: &str, program: &str) -> Command {
    let mut command = bare_coarun();
    command
        .args(options)
        .args(["--", "sh", "-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--program", program]);
    command
}

fn one_job() {
    for script in SCRIPTS {
        for images in [1, 3] {
            let options = format!("-n{images}");
            let output = run(below(&[&options], script, "hello")).success();
            let mut lines: Vec<&str> = output.lines().collect();
            lines.sort_unstable();
            let expected: Vec<_> = (0..images)
                .map(|image| format!("hello from image {image} of {images}"))
                .collect();
            assert_eq!(lines, expected, "{script}");
        }
        assert_eq!(run(below(&["-n4"], script, "all_to_all")).success(), "");
    }
}

/// The script closes inherited descriptors, as Python's subprocesses do.
fn closed_descriptors() {
    let script = "for file in 3 4 5 6 7 8 9; do eval \"exec $file>&-\"; done; exec 3</dev/null; \"$@\"; exit $?";
    let output = run(below(&["-n3"], script, "hello")).success();
    assert_eq!(output.lines().count(), 3, "{output}");
}

fn second_program() {
    let end = run(below(&["-n2"], "\"$@\"; \"$@\"; exit $?", "hello"));
    assert_eq!(end.stdout.lines().count(), 2 + 2 * 2, "{end:#?}");
    let notes = end.failure(0);
    assert_eq!(notes.lines().count(), 2, "{notes}");
    for image in 0..2 {
        let start = format!("coarray: image {image} of the job of process ");
        let note = notes.lines().find(|line| line.starts_with(&start));
        let note = note.unwrap_or_else(|| panic!("{notes}"));
        assert!(note.ends_with("so this program starts a job of its own"));
    }
}

fn failures_are_seen() {
    for script in ["\"$@\"; exit 0", "\"$@\"; sleep 1000"] {
        let report = run(below(&["-n3"], script, "panic")).failure(101);
        // A shell may report that an image that it had started was killed.
        let said: Vec<&str> = report.lines().filter(|&line| line != "Killed").collect();
        assert!(
            said.len() == 1 && said[0].starts_with("coarray: image 2 panicked at "),
            "{report}"
        );
        let report = run(below(&["-n3"], script, "error_stop")).failure(7);
        assert!(report.contains("image 2 called error_stop(7)"), "{report}");
    }
    for code in ["exit 5", "exit $?"] {
        let script = format!("\"$@\"; {code}");
        let report = run(below(&["-n3"], &script, "error_stop"));
        assert_eq!(report.code, Some(if code == "exit 5" { 5 } else { 7 }));
    }
    // The exit code of commands after the program counts as well.
    let report = run(below(&["-n2"], "\"$@\"; exit 3", "hello")).failure(3);
    assert!(report.ends_with(" exited with code 3\n"), "{report}");
}

fn killed_below() {
    for script in ["\"$@\"; exit 0", "\"$@\"; sleep 1000"] {
        let report = run(below(&["-n3"], script, "kill_one")).failure(1);
        assert!(
            report.contains("coarray: image 2 (process ")
                && report.contains(") ended before its time"),
            "{report}"
        );
    }
    let report = run(below(&["-n3"], "\"$@\"; exit $?", "kill_one")).failure(128 + 9);
    assert!(
        report.contains("coarray: image 2 exited with code 137"),
        "{report}"
    );
}

fn keeps_going() {
    for script in ["\"$@\"; exit 0", "\"$@\" || sleep 1000", "exec \"$@\""] {
        let mut command = below(&["-n3", "--keep-going"], script, "lose_last");
        command.env(WAY, "kill");
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        let note = end.stderr.lines().find(|line| line.starts_with("coarray"));
        assert!(
            note.is_some_and(|note| note.starts_with("coarray: image 2 (process ")
                && note.ends_with("; the other images go on")),
            "{end:#?}"
        );
        assert_eq!(end.stdout.lines().count(), 2, "{end:#?}");
    }
}

fn terminated() {
    for script in SCRIPTS {
        let (supervisor, pids) = start_pids(below(&["-n3"], script, "pids"), 3);
        let start = Instant::now();
        signal("TERM", supervisor.id());
        let report = end_of(supervisor, start).failure(143);
        assert!(
            report.ends_with("coarray: the job was interrupted by SIGTERM\n"),
            "{report}"
        );
        assert!(!pids.iter().any(|&pid| is_alive(pid)));
    }
}

fn killed_supervisor() {
    for script in SCRIPTS {
        let (mut supervisor, pids) = start_pids(below(&["-n3"], script, "pids"), 3);
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        eventually(|| !pids.iter().any(|&pid| is_alive(pid)));
    }
}

/// The processes that an image names, one a line.
fn processes(text: &str) -> Vec<u32> {
    let words = text
        .lines()
        .filter_map(|line| line.strip_prefix("started "));
    words.map(|number| number.parse().unwrap()).collect()
}

fn nothing_is_left() {
    let end = run(plain(2, "leave_a_process"));
    assert_eq!(end.code, Some(0), "{end:#?}");
    let left = processes(&end.stdout);
    assert_eq!(left.len(), 2, "{end:#?}");
    assert!(!left.iter().any(|&process| is_alive(process)), "{end:#?}");
}

/// An image starts a job, and is killed; the job that it belonged to goes on.
fn nested_job() {
    let mut command = plain(2, "nest");
    command
        .env("COARRAY_FAULT_TOLERANT", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let mut job = command.spawn().unwrap();
    let lines = BufReader::new(job.stdout.as_mut().unwrap()).lines();
    let lines: Vec<String> = lines
        .map(Result::unwrap)
        .take_while(|line| line != "over")
        .collect();
    let inner = processes(&lines.join("\n"));
    assert_eq!(inner.len(), 2, "{lines:?}");
    let end = end_of(job, start);
    assert_eq!(end.code, Some(0), "{end:#?}");
    assert!(!inner.iter().any(|&process| is_alive(process)));
}

/// A process that writes down an image's output ends a moment after the image.
fn left_behind_finishes() {
    let folder = std::env::temp_dir().join(format!("left-behind-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let script = "mkfifo \"$0/$COARRAY_IMAGE\"; (cat \"$0/$COARRAY_IMAGE\"; echo end) > \"$0/log.$COARRAY_IMAGE\" & \
                  exec \"$@\" > \"$0/$COARRAY_IMAGE\"";
    let mut command = bare_coarun();
    command
        .args(["-n2", "--", "sh", "-c", script])
        .arg(&folder)
        .arg(std::env::current_exe().unwrap())
        .args(["--program", "hello"]);
    run(command).success();
    for image in 0..2 {
        let log = std::fs::read_to_string(folder.join(format!("log.{image}"))).unwrap();
        assert_eq!(log, format!("hello from image {image} of 2\nend\n"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Each image starts a process that would go on for long, and names it.
#[expect(clippy::zombie_processes, reason = "the process is left")]
pub fn leave_a_process() {
    let process = Command::new("sleep")
        .arg("1000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    println!("started {}", process.id());
}

/// The last image starts a job of two images and is killed. Image 0 waits until nothing of that job is left.
#[expect(
    clippy::zombie_processes,
    reason = "the image is killed before its job"
)]
pub fn nest() {
    let inner = Coarray::new([Coatomic::new(0u32), Coatomic::new(0)]);
    if is_last() {
        let mut job = plain(2, "pids")
            .env("COARRAY_FAULT_TOLERANT", "0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(job.stdout.take().unwrap()).lines();
        for (place, line) in lines.take(2).enumerate() {
            let process = line.unwrap();
            println!("started {process}");
            inner.at(0)[place].store(process.parse().unwrap());
        }
        kill_me();
    }
    try_sync_all().unwrap_err();
    for place in 0..2 {
        let process = inner.at(0)[place].load();
        assert!(process > 0);
        eventually(|| !is_alive(process));
    }
    println!("over");
}
