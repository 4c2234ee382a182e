//! Plain operations that a failed image makes impossible: they end the job, which keeps going otherwise, with a
//! report.

use std::time::Duration;

use coarray::failure::failed_images;
use coarray::locks::critical;
use coarray::prelude::*;
use coarray::sync_team;
use rustix::process::{Signal, getpid, kill_process};

use crate::job::{Check, Plan, keeping_going, nanos, run};

pub fn trials() -> Vec<Check> {
    vec![("plain_operations_end_the_job_and_say_why", all)]
}

/// The operations, in the words of the reports.
const OPERATIONS: [&str; 14] = [
    "sync_all",
    "co_sum of i32",
    "co_broadcast of 3 x f64 from image 0",
    "a wait for an event",
    "sync_images",
    "Team::form",
    "Team::change of team 5",
    "the end of Team::change of team 5",
    "sync_team of team 5",
    "creation of a coarray of i16",
    "open of the coarray of u8",
    "cannot lock the mutex in the coarray of Comutex<f32>",
    "cannot enter the critical section at",
    "a wait for a coatomic",
];

const OPERATION: &str = "PLAIN_OPERATION";

/// The last image dies, and the others make a plain operation.
pub fn program() {
    let mut closed = Coarray::new(1u8);
    let event = Coarray::new(Coevent::new());
    let word = Coarray::new(Coatomic::new(0));
    let mutex = Coarray::new(Comutex::new(0.5f32));
    let team = Team::form(5);
    let is_last = || this_image() + 1 == num_images();
    let die = || {
        if is_last() {
            println!("killed {}", nanos());
            let _ = kill_process(getpid(), Signal::KILL);
        }
    };
    let operation = std::env::var(OPERATION).unwrap();
    let number = OPERATIONS.iter().position(|&name| name == operation);
    match number {
        Some(7) => {}
        Some(11) if is_last() => {
            let _guard = mutex.at(0).lock();
            die();
        }
        Some(12) if is_last() => critical(die),
        _ => die(),
    }
    if matches!(number, Some(11 | 12)) {
        // Or else they could be first.
        while failed_images().is_empty() {
            std::thread::yield_now();
        }
    }
    match number {
        Some(0) => sync_all(),
        Some(1) => co_sum(&mut 1),
        Some(2) => co_broadcast(&mut [0.5; 3], 0),
        Some(3) => event.wait(),
        Some(4) => sync_images(&[num_images() - 1]),
        Some(5) => drop(Team::form(6)),
        Some(6) => team.change(|| ()),
        Some(7) => team.change(die),
        Some(8) => sync_team(&team),
        Some(9) => drop(Coarray::new(1i16)),
        Some(10) => drop(closed.open()),
        Some(11) => drop(mutex.at(0).lock()),
        Some(12) => critical(|| ()),
        _ => _ = word.wait_until(|word| word > 0),
    }
    println!("image {} went on", this_image());
}

fn all() {
    let nobody = Plan {
        images: 3,
        victims: Vec::new(),
        delay: Duration::ZERO,
        gap: Duration::ZERO,
    };
    for operation in OPERATIONS {
        let mut command = keeping_going(nobody.images, "plain");
        command.env(OPERATION, operation);
        let end = run(command, &nobody);
        let report = end.stderr.lines().nth(1).unwrap_or_default();
        assert!(
            end.code == Some(1)
                && report.starts_with("coarray: image ")
                && report.contains(&format!(" {operation} "))
                && report.contains("plain.rs:")
                && report.contains(": image 2 "),
            "{operation}: {end:#?}"
        );
        let killed = end
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("killed "));
        let killed: u64 = killed.unwrap().parse().unwrap();
        assert!(end.over - killed < 1_000_000_000, "{operation}: {end:#?}");
        assert!(!end.stdout.contains("went on"), "{operation}: {end:#?}");
    }
}
