//! Waiting on a core on which another image computes.

use std::mem;
use std::time::Duration;

use coarray::prelude::*;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::job::{Check, coarun, run};

pub fn trials() -> Vec<Check> {
    vec![
        (
            "an_image_whose_core_is_wanted_learns_to_sleep",
            learning_to_sleep,
        ),
        ("waiting_is_a_setting", chosen_ways),
    ]
}

/// How often image 0 waits.
const ROUNDS: usize = 12;

/// The processor time that image 1 uses while image 0 waits: many time slices of the scheduler, but fewer than the
/// yields of an image that does not learn.
const COMPUTING: Duration = Duration::from_millis(60);

/// The number of rounds in which image 0 slept, if it waits in this way.
fn rounds_asleep(wait: &str) -> usize {
    let output = run(coarun(&["-n", "2", "--wait", wait], "shared_core")).success();
    output.trim().parse().expect(&output)
}

fn learning_to_sleep() {
    let asleep = rounds_asleep("adaptive");
    // It yields its core a few times before it learns to sleep, and once more now and then.
    assert!(asleep >= ROUNDS / 2, "asleep in {asleep} of {ROUNDS}");
}

fn chosen_ways() {
    let [asleep, awake] = ["sleep", "spin"].map(rounds_asleep);
    assert!(asleep > ROUNDS / 2, "asleep in {asleep} of {ROUNDS}");
    assert!(awake < ROUNDS / 2, "asleep in {awake} of {ROUNDS}");
}

/// Image 1 computes on the only core, while image 0 waits for it. Prints in how many rounds image 0 slept.
pub fn shared_core() {
    let event = Coarray::new(Coevent::new());
    let waits = Coarray::new(Coatomic::new(0));
    stay_on_one_core();
    let mut asleep = 0;
    for round in 0..ROUNDS {
        if this_image() == 0 {
            let before = sleeps();
            waits.at(1).store(round + 1);
            event.wait();
            asleep += usize::from(sleeps() > before);
        } else {
            while waits.at(1).load() <= round {
                std::hint::spin_loop();
            }
            let start = processor_time();
            while processor_time() - start < COMPUTING {
                std::hint::spin_loop();
            }
            event.at(0).post();
        }
    }
    if this_image() == 0 {
        println!("{asleep}");
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn stay_on_one_core() {
    let usable = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|&core| usable.is_set(core));
    let mut one = CpuSet::new();
    one.set(first.expect("this runs somewhere"));
    sched_setaffinity(None, &one).unwrap();
}

/// The number of this thread's voluntary context switches.
fn sleeps() -> i64 {
    // SAFETY: all-zero bytes are a `rusage`, which is made of integers.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the call writes one `rusage`, for which there is room.
    let outcome = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    assert_eq!(outcome, 0);
    usage.ru_nvcsw
}
