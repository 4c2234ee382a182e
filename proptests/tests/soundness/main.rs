//! No reference ever sees a write, whatever programs without `unsafe` do.
//!
//! Random [programs](program) make coarrays, ragged coarrays and halo arrays; open, publish and exchange them; cast, swap,
//! leak and drop them; begin asynchronous operations and leave them; divide into teams; and make mistakes: an image leaves
//! a step out or does two in the other order, panics in any function, operator, waker or destructor, fails, or ends the job.
//! All of that may end in a report. What it must not end in is [found](ledger) without the library's help:
//!
//! * Words of a closed or published object change, although the library lets this image have a shared reference to them: each
//!   word says who wrote it, no two are the same, and all are compared after each step.
//! * An image reaches what another has not lent to it. The first word of an object names it, and images write down
//!   what they lend.
//! * Two objects overlap, or a place or result holds what nobody wrote.
//!
//! `SOUNDNESS_SEED=...` runs the one program whose seed a report has named, and `PROPTEST_CASES` says how many are run.
//! With `SOUNDNESS_RACES=0`, for ThreadSanitizer, images do not race for places of open objects. Where a program makes the
//! process crash, its seed is left in a file `soundness-...` in `target/tmp`.

#![forbid(unsafe_code)]

mod collectives;
mod context;
mod image;
mod ledger;
mod object;
mod program;
mod random;
mod shared;
mod view;
mod wakers;
mod word;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::{self, Command, abort};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use coarray::failure::Failure;
use coarray::{Launch, this_image};
use coarray_proptests::{config, mix};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use context::{Context, Job};
use image::Image;
use program::Program;
use word::Word;

/// Far longer than any of these programs takes.
const LIMIT: Duration = Duration::from_secs(240);

/// What became of programs.
#[derive(Debug, Default)]
struct Counts {
    programs: AtomicUsize,
    finished: AtomicUsize,
    steps: AtomicUsize,
    accesses: AtomicUsize,
    looks: AtomicUsize,
}

/// Runs a program, and returns how the job ended and what it did that no job may do.
fn run(program: &Program, counts: &Counts) -> (Result<(), Failure>, Vec<String>) {
    let job = Arc::new(Job::default());
    let launch = Launch::new(program.images)
        .direct(program.direct)
        .simulated_nodes(program.nodes)
        .keep_going(program.keep_going)
        .heap(4 << 20);
    let outcome = launch.run(|| {
        let apart = (!program.races).then_some(program.images);
        let context = Context::new(&job, this_image(), apart);
        Image::new(program, context).run_program();
    });
    let leaked = job.leaked.lock();
    for leaked in leaked.unwrap_or_else(PoisonError::into_inner).iter() {
        let seen = catch_unwind(AssertUnwindSafe(|| leaked.load().word()));
        if let Some(word) = seen.ok().filter(|&word| word::Mark::read(word).is_none()) {
            job.ledger
                .accuse(format!("after the job a coatomic holds {word:#x}"));
        }
    }
    let add = |sum: &AtomicUsize, number: &AtomicUsize| {
        sum.fetch_add(number.load(Ordering::Relaxed), Ordering::Relaxed);
    };
    counts.programs.fetch_add(1, Ordering::Relaxed);
    counts
        .finished
        .fetch_add(usize::from(outcome.is_ok()), Ordering::Relaxed);
    add(&counts.steps, &job.ledger.counts.steps);
    add(&counts.accesses, &job.ledger.counts.accesses);
    add(&counts.looks, &job.ledger.counts.looks);
    (outcome.map(drop), job.ledger.violations())
}

/// As [`run`]. A job that hangs aborts the tests.
fn check(program: &Program, seed: u64, counts: &Counts) -> Result<(), TestCaseError> {
    let (done, waiting) = channel::<()>();
    let text = format!("{program:#?}");
    thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("SOUNDNESS_SEED={seed}: the job hangs: {text}");
            abort();
        }
    });
    let (outcome, violations) = run(program, counts);
    drop(done);
    if !violations.is_empty() {
        return Err(TestCaseError::fail(violations.join("\n")));
    }
    match outcome {
        Err(failure) if program.is_right() => Err(TestCaseError::fail(format!(
            "a program without a mistake failed: {failure}"
        ))),
        _ => Ok(()),
    }
}

/// The program of a seed, or the smallest like it that fails.
fn try_seed(seed: u64, counts: &Counts) -> Result<(), String> {
    let bytes: Vec<u8> = (0..4)
        .flat_map(|word| mix(seed, word).to_le_bytes())
        .collect();
    // Where the network is to blame, no program need be small.
    let iterations = env::var_os("COARRAY_SIMULATED_FAULT").map_or(300, |_| 0);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config {
        cases: 1,
        max_shrink_iters: iterations,
        ..config(1)
    };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&Program::any(), |program| check(&program, seed, counts));
    outcome.map_err(|error| format!("SOUNDNESS_SEED={seed}: {error}"))
}

/// Programs of so many seeds.
fn try_seeds(seeds: Range<u64>) -> Counts {
    let counts = Counts::default();
    let name = format!("soundness-{}", process::id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for seed in seeds {
        fs::write(&file, format!("SOUNDNESS_SEED={seed}\n")).unwrap();
        let outcome = try_seed(seed, &counts);
        fs::remove_file(&file).unwrap();
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
    counts
}

#[test]
fn no_reference_sees_a_write_and_nobody_reaches_what_is_not_lent() {
    let cases = u64::from(config(300).cases);
    let seeds = match env::var("SOUNDNESS_SEED").map(|seed| seed.parse::<u64>()) {
        Ok(seed) => {
            let seed = seed.expect("SOUNDNESS_SEED is a number");
            seed..seed + 1
        }
        // Others each time.
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let first = now.as_nanos() as u64 >> 8;
            first..first + cases
        }
    };
    // A program as a tree that can be made smaller takes much of the stack.
    let all = thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(|| try_seeds(seeds))
        .unwrap();
    let counts = all.join().unwrap_or_else(|panic| resume_unwind(panic));
    println!("soundness: {counts:?}");
    let [programs, finished, accesses, looks] = [
        counts.programs,
        counts.finished,
        counts.accesses,
        counts.looks,
    ]
    .map(AtomicUsize::into_inner);
    // Neither do all programs end at once, nor is none ended by its mistakes.
    assert!(programs < 50 || (programs / 4..programs).contains(&finished));
    assert!(programs < 50 || accesses > programs && looks > 10 * programs);
}

/// A fabric whose puts arrive after their fence breaks what all images rely on. The first thing that goes wrong differs
/// from run to run: a value that changes under a reference, a wrong result of a collective, or a crash. Few programs, run
/// slowly, may find nothing.
#[test]
fn a_network_that_is_late_is_found() {
    let mut command = Command::new(env::current_exe().unwrap());
    let name = "no_reference_sees_a_write_and_nobody_reaches_what_is_not_lent";
    command.args(["--exact", name]);
    command.env("COARRAY_SIMULATED_FAULT", "delay-puts");
    let is_seen = (0..10).any(|_| {
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("changed under a shared reference")
    });
    assert!(is_seen, "no program saw a value change under a reference");
}
