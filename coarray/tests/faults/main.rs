//! Fault injection: images are killed at random moments in jobs that keep going, and the others must learn of
//! it soon, agree, never see torn data, and go on as a team of survivors.
//!
//! This test binary is also the program under test: with `--program NAME` it runs that SPMD program, otherwise
//! it starts itself in that way, kills images, and judges what comes out. `FAULTS_SEED=N` repeats the random
//! choices of a run that failed.

mod algorithms;
mod barriers;
mod injection;
mod job;
mod plain;
mod posted;
mod programs;
mod random;
mod status;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--program") {
        return programs::run(&arguments.next().expect("--program NAME"));
    }
    let trials = [
        injection::trials(),
        algorithms::trials(),
        barriers::trials(),
        plain::trials(),
        posted::trials(),
        status::trials(),
    ]
    .concat();
    let trials = trials.into_iter().map(|(name, check)| {
        Trial::test(name, move || {
            check();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
