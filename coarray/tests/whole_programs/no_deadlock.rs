//! Slow programs are not deadlocks: whatever takes long, nothing is reported.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::delays::{OUTPUT_LINES, SEED, STEPS};
use crate::job::{Check, end_of, on_threads, plain, run, signal};

/// Numbers of images, up to more than the cores that the tests expect.
const COUNTS: [usize; 4] = [2, 3, 4, 7];

pub fn trials() -> Vec<Check> {
    vec![
        (
            "random_delays_on_processes_are_no_deadlock",
            delays_on_processes,
        ),
        (
            "random_delays_on_threads_are_no_deadlock",
            delays_on_threads,
        ),
        ("an_image_that_gives_up_waiting_is_awake", timeouts),
        ("an_image_that_waits_for_its_thread_is_awake", helper_thread),
        (
            "an_image_whose_value_a_thread_is_about_to_change_is_awake",
            changing_thread,
        ),
        ("an_image_that_nobody_reads_is_awake", slow_reader),
        ("a_stopped_image_is_no_deadlock", stopped_images),
    ]
}

fn delays(command: impl Fn(usize) -> Command) {
    for images in COUNTS {
        let mut command = command(images);
        command.env(SEED, (1000 + images).to_string());
        run(command).success();
    }
    // With both fabrics.
    assert!(2 * COUNTS.len() * STEPS >= 100_000);
}

fn delays_on_processes() {
    delays(|images| plain(images, "random_steps"));
}

fn delays_on_threads() {
    delays(|images| on_threads(images, "random_steps"));
}

fn timeouts() {
    for command in [plain(4, "timeouts"), on_threads(4, "timeouts")] {
        run(command).success();
    }
}

fn helper_thread() {
    for command in [plain(4, "helper_thread"), on_threads(4, "helper_thread")] {
        run(command).success();
    }
}

fn changing_thread() {
    for command in [
        plain(3, "changing_thread"),
        on_threads(3, "changing_thread"),
    ] {
        run(command).success();
    }
}

fn slow_reader() {
    const SILENCE: Duration = Duration::from_secs(3);
    for mut command in [plain(4, "much_output"), on_threads(4, "much_output")] {
        let start = Instant::now();
        let job = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        thread::sleep(SILENCE);
        let end = end_of(job, start);
        assert!(end.seconds >= SILENCE.as_secs_f64());
        assert_eq!(end.success().lines().count(), OUTPUT_LINES);
    }
}

fn stopped_images() {
    const IMAGES: usize = 3;
    let start = Instant::now();
    let mut job = plain(IMAGES, "until_the_input_ends")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(job.stdout.take().unwrap());
    for _ in 0..IMAGES {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let process = line.trim().parse().unwrap();
        signal("STOP", process);
        thread::sleep(Duration::from_secs(1));
        signal("CONT", process);
    }
    drop(job.stdin.take());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    end_of(job, start).success();
}
