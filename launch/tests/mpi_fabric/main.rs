//! The fabric on MPI, by the operations that all else is built from: each case runs under the launcher of the MPI library
//! that this was built with, and every image counts as a node of its own.

mod applications;
mod bench;
mod block;
mod messages;
mod places;
mod slow_launcher;
mod words;

use std::env;
use std::process::{Command, ExitCode, Output};

use coarray_launch::launch;
use mpi_rma::mpi::environment::library_version;

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
    match env::var(CASE) {
        Ok(name) => {
            let case = CASES.iter().find(|case| case.name == name).unwrap();
            (case.run)()
        }
        Err(_) => run_all(),
    }
}

/// Runs those cases whose name contains the first argument that is no option; `bench` only if it is asked for.
fn run_all() -> ExitCode {
    let filter = env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    slow_launcher::build();
    let mut failed = 0;
    for case in CASES {
        let is_wanted = match &filter {
            Some(filter) => case.name.contains(filter.as_str()),
            None => case.name != "bench",
        };
        let processes: &[usize] = match (is_wanted, case.name) {
            (false, _) => &[],
            (true, "bench") => &[2],
            (true, _) => &[2, 3],
        };
        for &processes in processes {
            let output = start(case, processes);
            let passes = (case.check)(&output);
            println!(
                "{} on {processes}: {}",
                case.name,
                if passes { "ok" } else { "FAILED" }
            );
            if !passes || filter.is_some() {
                println!("{}", String::from_utf8_lossy(&output.stdout));
                println!("{}", String::from_utf8_lossy(&output.stderr));
            }
            failed += usize::from(!passes);
        }
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn start(case: &Case, processes: usize) -> Output {
    let mut command = Command::new("timeout");
    command.arg("120");
    if library_version().unwrap().contains("Open MPI") {
        command.args(["mpirun", "--oversubscribe"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    } else {
        command.arg("mpiexec.hydra");
    }
    command.args(["-n", &processes.to_string()]);
    command.arg(env::current_exe().unwrap());
    command.env("COARRAY_FABRIC", "mpi").env(CASE, case.name);
    command.env("RUST_BACKTRACE", "0");
    command.envs(case.environment.iter().copied());
    command.output().unwrap()
}
