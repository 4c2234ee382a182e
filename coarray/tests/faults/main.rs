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
mod long_values;
mod operations;
mod plain;
mod posted;
mod programs;
mod random;
mod status;
mod transfers;

use std::process::ExitCode;

use testing::harness;

fn main() -> ExitCode {
    if let Some(program) = harness::asked_program() {
        return programs::run(&program);
    }
    let checks = [
        injection::trials(),
        algorithms::trials(),
        barriers::trials(),
        long_values::trials(),
        plain::trials(),
        posted::trials(),
        status::trials(),
        transfers::trials(),
    ];
    let trial = |(name, check)| harness::trial(name, check);
    harness::run(checks.concat().into_iter().map(trial))
}
