//! Jobs that are profiled: what their reports say of images that come late, and that all else stays as it is.

use std::fmt::Debug;
use std::process::Command;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, SystemTime};

use coarray::collectives::{Algorithm, Collective, co_allgather};
use coarray::prelude::*;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::job::{Check, End, coarun, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        (
            "a_late_image_is_named_at_the_line_where_others_wait",
            late_image_is_named,
        ),
        (
            "each_delay_is_that_of_its_image_and_line",
            delays_are_attributed,
        ),
        ("shares_of_the_time_add_up", shares_add_up),
        (
            "waits_for_events_and_locks_have_their_lines",
            waits_have_lines,
        ),
        ("a_job_that_fails_is_profiled_too", failed_job),
        ("a_job_that_goes_on_is_profiled_too", survivors),
        ("without_the_setting_nothing_is_said", nothing_is_said),
        ("profiles_that_do_not_exist_are_refused", unknown_profile),
    ]
}

pub const IMAGES: usize = 4;

/// The image that is late, how often, and for how long.
const LATE: usize = 2;
const TIMES: u64 = 8;
const DELAY: Duration = Duration::from_millis(20);

/// How often images come late in turn.
const IN_TURN: usize = 32;

/// Image [`LATE`] comes to a line when all others have been there for a while. Prints that line, and the one where it was before.
pub fn come_late() {
    let here = Coarray::new(Coatomic::new(0));
    let mut lines = [0; 2];
    for time in 1..=TIMES as usize {
        lines[0] = line!() + 1;
        sync_all();
        if this_image() == LATE {
            while here.load() < time * (num_images() - 1) {
                thread::yield_now();
            }
            thread::sleep(DELAY);
        } else {
            here.at(LATE).add(1);
        }
        lines[1] = line!() + 1;
        sync_all();
    }
    if this_image() == 0 {
        let [before, line] = lines;
        println!("{line} {before}");
    }
}

/// Each image comes late in its turn. Prints the line, and for how many nanoseconds the others waited for each image, on the average and by the clock of the system.
pub fn come_late_in_turn() {
    late_in_turn(line!(), || sync_all());
}

/// In a barrier that has a number of each, and in one that has as many as there is room for.
pub fn come_late_with_a_number() {
    let flat = Collective::new().algorithm(Algorithm::Flat);
    late_in_turn(line!(), || flat.co_sum(&mut 1_u64));
}

pub fn come_late_with_three() {
    let flat = Collective::new().algorithm(Algorithm::Flat);
    late_in_turn(line!(), || flat.co_sum(&mut [1_u64; 3]));
}

fn late_in_turn(line: u32, meet: impl Fn()) {
    let mut arrivals = [0_u64; IN_TURN];
    for (step, arrival) in arrivals.iter_mut().enumerate() {
        sync_all();
        if step % num_images() == this_image() {
            thread::sleep(DELAY / 2);
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        *arrival = since.unwrap().as_nanos() as u64;
        meet();
    }
    let mut all = vec![0; IN_TURN * num_images()];
    co_allgather(&arrivals[..], &mut all[..]);
    if this_image() == 0 {
        let mut waited = [0; IMAGES];
        for step in 0..IN_TURN {
            let came = all.iter().skip(step).step_by(IN_TURN);
            let (last, image) = came.clone().zip(0..).max().unwrap();
            let others = came.map(|time| last - time).sum::<u64>();
            waited[image] += others / (num_images() - 1) as u64;
        }
        println!(
            "{line} {}",
            waited.map(|waited: u64| waited.to_string()).join(" ")
        );
    }
}

/// Image [`LATE`] comes late with values for all, for which the others wait step by step before they meet.
pub fn come_late_with_values() {
    let by_steps = Collective::new().algorithm(Algorithm::Binomial);
    let mut values = vec![1_u64; 5000];
    for _ in 0..TIMES {
        if this_image() == LATE {
            thread::sleep(DELAY);
        }
        by_steps.co_broadcast(&mut values[..], LATE);
    }
}

/// An image waits for a post, and for a lock, of another one that takes its time. Prints the lines.
pub fn wait_for_others() {
    let event = Coarray::new(Coevent::new());
    let is_locked = Coarray::new(Coevent::new());
    let mutex = Coarray::new(Comutex::new(0));
    let mut lines = [0; 2];
    if this_image() == 0 {
        let mut locked = mutex.lock();
        is_locked.at(1).post();
        thread::sleep(DELAY);
        locked.put(1);
        drop(locked);
        thread::sleep(DELAY);
        event.at(1).post();
    } else {
        is_locked.wait();
        lines[0] = line!() + 1;
        let locked = mutex.at(0).lock();
        drop(locked);
        lines[1] = line!() + 1;
        event.wait();
        let [lock, wait] = lines;
        println!("{lock} {wait}");
    }
}

pub fn profiled(mut command: Command) -> Command {
    command.env("COARRAY_PROFILE", "waits");
    command
}

/// The numbers that a program has printed.
fn printed<T: FromStr<Err: Debug>>(end: &End) -> Vec<T> {
    let numbers = end.stdout.split_whitespace();
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// Runs a command that is profiled. Returns how it ended, and what is known of its time.
pub fn reported(mut command: Command) -> (End, Value) {
    let file = NamedTempFile::new().unwrap();
    command.env("COARRAY_PROFILE_JSON", file.path());
    let end = run(command);
    let json = serde_json::from_reader(file).unwrap();
    (end, json)
}

/// A line of the report with its share of the time, in percent, and what is said below it.
fn find<'a>(end: &'a End, text: &str) -> (u32, &'a str) {
    let mut lines = end.stderr.lines();
    let line = lines
        .find(|line| line.contains(text))
        .unwrap_or_else(|| panic!("no {text}: {end:#?}"));
    (share(line).unwrap(), lines.next().unwrap_or(""))
}

/// The share of the time in a line of the report.
fn share(line: &str) -> Option<u32> {
    let (before, _) = line.split_once(" %")?;
    before.split_whitespace().last()?.parse().ok()
}

fn late_image_is_named() {
    for command in [
        plain(IMAGES, "come_late"),
        on_threads(IMAGES, "come_late"),
        coarun(&["-n4", "--profile"], "come_late"),
    ] {
        let end = run(profiled(command));
        assert!(end.stderr.starts_with("coarray: "), "{end:#?}");
        find_late_image(&end, true);
    }
}

fn delays_are_attributed() {
    for (way, program) in [
        (plain as fn(usize, &str) -> Command, "come_late_in_turn"),
        (on_threads, "come_late_in_turn"),
        (plain, "come_late_with_a_number"),
        (plain, "come_late_with_three"),
    ] {
        // An image that loses its core between the two clocks is late by one of them only.
        let differences = [(); 3].map(|()| attribution(way(IMAGES, program)));
        assert!(
            differences.iter().flatten().any(|&worst| worst <= 0.01),
            "{differences:?}"
        );
    }
}

/// The largest difference between how long the others waited for an image and what the profile says, as a part of it; none if an image or the line is
/// not told of.
fn attribution(command: Command) -> Option<f64> {
    let (end, report) = reported(profiled(command));
    let [line, ref waited @ ..] = printed::<u64>(&end)[..] else {
        panic!("{end:#?}")
    };
    let mut lines = report["waits"]["lines"].as_array()?.iter();
    let late = lines.find(|one| one["line"] == line)?["late"].as_array()?;
    let differences = waited.iter().enumerate().map(|(image, &waited)| {
        let told = late.iter().find(|late| late["image"] == image)?;
        let told = told["total_ns"].as_u64()?;
        Some(told.abs_diff(waited) as f64 / waited as f64)
    });
    differences
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .reduce(f64::max)
}

/// Looks at the profile of `come_late` on [`IMAGES`] images, which share memory or have no clock in common.
pub fn find_late_image(end: &End, share_memory: bool) {
    assert_eq!(end.code, Some(0), "{end:#?}");
    find(end, &format!("coarray: {IMAGES} images, "));
    let [line, before] = printed::<u32>(end)[..] else {
        panic!("{end:#?}")
    };
    let place = |line| format!("tests/whole_programs/profile.rs:{line} sync_all");
    let (share, late) = find(end, &place(line));
    assert!(share >= 20, "{end:#?}");
    if !share_memory {
        let least = format!("    image {LATE} waited the least, ");
        return assert!(late.starts_with(&least), "{end:#?}");
    }
    let (who, rest) = late.split_once(" times, ").unwrap();
    assert_eq!(
        who,
        format!("    image {LATE} came last {TIMES}"),
        "{end:#?}"
    );
    assert!(rest.contains(&place(before)), "{end:#?}");
    let (mean, _) = rest.split_once(" ms after the others on average").unwrap();
    let mean: f64 = mean.parse().unwrap();
    assert!(mean >= 1e3 * DELAY.as_secs_f64(), "{end:#?}");
}

fn shares_add_up() {
    for program in ["come_late", "come_late_with_values"] {
        judge_shares(&run(profiled(plain(IMAGES, program))));
    }
}

/// A wait that was counted twice would make them too large: most images wait nearly all the time.
fn judge_shares(end: &End) {
    let mut lines = end.stderr.lines();
    let first = lines.next().unwrap();
    let (_, efficiencies) = first.split_once("parallel efficiency ").unwrap();
    let numbers = efficiencies
        .split(" %")
        .filter_map(|text| text.split_whitespace().last());
    let parts: Vec<f64> = numbers.filter_map(|text| text.parse().ok()).collect();
    let [efficiency, balance, communication] = parts[..] else {
        panic!("{end:#?}")
    };
    // Each is rounded.
    assert!(
        (balance * communication / 100.0 - efficiency).abs() <= 2.0,
        "{end:#?}"
    );
    let shares: Vec<u32> = lines
        .filter(|line| !line.trim_start().starts_with("image "))
        .filter_map(share)
        .collect();
    let sum: u32 = shares.iter().sum();
    assert!(
        sum.abs_diff(100) <= shares.len() as u32 + 2,
        "{sum}: {end:#?}"
    );
}

fn waits_have_lines() {
    for command in [
        plain(2, "wait_for_others"),
        on_threads(2, "wait_for_others"),
    ] {
        let end = run(profiled(command));
        let [lock, wait] = printed::<u32>(&end)[..] else {
            panic!("{end:#?}")
        };
        let (in_lock, _) = find(&end, &format!("profile.rs:{lock} lock"));
        let (in_wait, _) = find(&end, &format!("profile.rs:{wait} event"));
        // One of two images, for half of the time each.
        assert!(
            in_lock >= 5 && in_wait >= 5 && in_lock + in_wait <= 50,
            "{end:#?}"
        );
    }
}

fn failed_job() {
    for command in [plain(3, "error_stop"), on_threads(3, "error_stop")] {
        let end = run(profiled(command));
        assert_eq!(end.code, Some(7), "{end:#?}");
        assert!(
            end.stderr.contains("coarray: image 2 called error_stop(7)"),
            "{end:#?}"
        );
        assert!(end.stderr.contains("coarray: 3 images"), "{end:#?}");
    }
}

fn survivors() {
    for command in [plain(4, "use_again"), on_threads(4, "lose_last")] {
        let mut command = profiled(command);
        command
            .env("COARRAY_FAULT_TOLERANT", "1")
            .env("COARRAY_HEAP", "4M");
        command.env(crate::failing::WAY, "fail");
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        assert!(end.stderr.contains("\n  waits by line "), "{end:#?}");
    }
}

fn nothing_is_said() {
    for mut command in [plain(IMAGES, "come_late"), on_threads(IMAGES, "come_late")] {
        assert_eq!(run(command).stderr, "");
        command = plain(IMAGES, "come_late");
        command.env("COARRAY_PROFILE", "off");
        assert_eq!(run(command).stderr, "");
    }
}

fn unknown_profile() {
    let mut command = plain(2, "hello");
    command.env("COARRAY_PROFILE", "everything");
    let end = run(command);
    assert_eq!(end.code, Some(2), "{end:#?}");
    assert_eq!(
        end.stderr,
        "coarray: COARRAY_PROFILE=everything: expected `waits`, `puts`, or `off` for no report\n"
    );
}
