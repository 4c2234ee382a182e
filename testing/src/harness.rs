//! Test binaries that start themselves, as jobs.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A test: its name, and what fails by a panic.
pub type Check = (&'static str, fn());

/// The program that this process is to run, if its arguments are `--program NAME` and not those of a test.
pub fn asked_program() -> Option<String> {
    let mut arguments = std::env::args().skip(1);
    let is_program = arguments.next().as_deref() == Some("--program");
    is_program.then(|| arguments.next().expect("--program NAME"))
}

/// Runs tests, as the arguments of this process say.
pub fn run(trials: impl IntoIterator<Item = Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().collect()).exit_code()
}

/// The same, one test after the other: for jobs that want all cores.
pub fn run_in_turn(trials: impl IntoIterator<Item = Trial>) -> ExitCode {
    let arguments = Arguments {
        test_threads: Some(1),
        ..Arguments::from_args()
    };
    libtest_mimic::run(&arguments, trials.into_iter().collect()).exit_code()
}

/// A test.
pub fn trial(name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        test();
        Ok(())
    })
}
