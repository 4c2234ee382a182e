//! The fabric on MPI, by the operations that all else is built from: each case runs under the launcher of the MPI library
//! that this was built with, and every image counts as a node of its own.

mod applications;
mod bench;
mod block;
mod messages;
mod places;
mod signals;
mod slow_launcher;
mod words;

use std::env;
use std::process::{ExitCode, Output};

use coarray_launch::launch;
use mpi_rma::mpi::environment::library_version;
use testing::harness::{run_in_turn, trial};
use testing::launcher;

const CASE: &str = "COARRAY_TEST_CASE";

/// A case: its name, what the processes do, and what is to come of it.
struct Case {
    name: &'static str,
    run: fn() -> ExitCode,
    check: fn(&Output) -> bool,
    environment: &'static [(&'static str, &'static str)],
}

/// A case whose images all end well.
const fn images(name: &'static str, run: fn() -> ExitCode) -> Case {
    Case {
        name,
        run,
        check: |output| output.status.success(),
        environment: &[("COARRAY_SHARED_MEMORY", "0"), ("COARRAY_HEAP", "64M")],
    }
}

/// Refused by all images, which their launcher is to tell of.
const WRONG_SETTING: Case = Case {
    check: |output| {
        let text = String::from_utf8_lossy(&output.stderr);
        output.status.code() == Some(2) && text.contains("COARRAY_MPI_THREADS")
    },
    environment: &[("COARRAY_MPI_THREADS", "several")],
    ..images("wrong_setting", || launch(messages::barriers))
};

const CASES: &[Case] = &[
    images("sizes", || launch(places::sizes)),
    images("order", || launch(places::order)),
    images("issued", || launch(places::issued)),
    images("rows", || launch(places::rows)),
    // More than Open MPI has shared memory for: the window is over the region's own memory.
    Case {
        environment: &[("COARRAY_SHARED_MEMORY", "0"), ("COARRAY_HEAP", "500G")],
        ..images("order_in_own_memory", || launch(places::order))
    },
    images("operations", || launch(words::operations)),
    images("contention", || launch(words::contention)),
    images("storm", || launch(messages::storm)),
    images("news", || launch(messages::news)),
    images("signals_with_bytes", || launch(signals::with_bytes)),
    images("signals_in_order", || launch(signals::in_order)),
    images("signals_of_words", || launch(signals::of_words)),
    images("barriers", || launch(messages::barriers)),
    Case {
        environment: &[("COARRAY_HEAP", "64M")],
        ..images("one_node", || launch(messages::barriers))
    },
    images("application", applications::initialises),
    Case {
        check: |output| {
            let text = String::from_utf8_lossy(&output.stderr);
            !output.status.success() && text.contains("image 1") && text.contains("on purpose")
        },
        ..images("failure", || launch(applications::fails))
    },
    Case {
        check: |output| {
            let text = String::from_utf8_lossy(&output.stderr);
            !output.status.success()
                // Image 0, or with three processes image 2: they wait from the same moment on.
                && [0, 2].iter().any(|image| text.contains(&format!("image {image} has waited at the start for 1.0 s")))
                && text.contains("COARRAY_PEER_TIMEOUT")
        },
        environment: &[
            ("COARRAY_SHARED_MEMORY", "0"),
            ("COARRAY_HEAP", "64M"),
            ("COARRAY_PEER_TIMEOUT", "1"),
        ],
        ..images("stays_away", applications::stays_away)
    },
    WRONG_SETTING,
    Case {
        name: "slow_launcher",
        environment: &[
            ("COARRAY_MPI_THREADS", "several"),
            ("LD_PRELOAD", slow_launcher::LIBRARY),
        ],
        ..WRONG_SETTING
    },
    images("bench", || launch(bench::all)),
];

fn main() -> ExitCode {
    if let Ok(name) = env::var(CASE) {
        let case = CASES.iter().find(|case| case.name == name).unwrap();
        return (case.run)();
    }
    slow_launcher::build();
    let trials = CASES.iter().flat_map(|case| {
        // It only measures, for those who ask for it: `-- --ignored`.
        let is_bench = case.name == "bench";
        let processes: &[usize] = if is_bench { &[2] } else { &[2, 3] };
        processes.iter().map(move |&processes| {
            let test = move || start(case, processes);
            trial(format!("{} on {processes}", case.name), test).with_ignored_flag(is_bench)
        })
    });
    run_in_turn(trials)
}

fn start(case: &Case, processes: usize) {
    let version = library_version().unwrap();
    let mut command = launcher::mpi(&version, 120, processes, env::current_exe().unwrap());
    command
        .env("COARRAY_FABRIC", "mpi")
        .env(CASE, case.name)
        .env("RUST_BACKTRACE", "0")
        .envs(case.environment.iter().copied());
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let [printed, reported] = [&output.stdout, &output.stderr].map(|bytes| text(bytes));
    assert!(
        (case.check)(&output),
        "{}\n{printed}\n{reported}",
        output.status
    );
    print!("{printed}");
}
