//! Whole programs, started as users start them: images as processes, under the program's own supervisor or
//! under `coarun`.
//!
//! This test binary is also the program under test: with `--program NAME` it runs that SPMD program, otherwise
//! it starts itself in that way and judges what comes out.

mod advice;
mod asynchronous;
mod check;
mod choices;
mod cluster;
mod coordination;
mod counts;
mod cross_memory;
mod deadlock_cases;
mod deadlocks;
mod delays;
mod disagreements;
mod failing;
mod failures;
mod job;
mod keep_going;
mod launch;
mod limits;
mod no_deadlock;
mod profile;
mod programs;
mod races;
mod readers;
mod results;
mod sharing;
mod timeline;
mod trace_file;
mod working;
mod wrappers;

use std::process::ExitCode;

use testing::harness;

fn main() -> ExitCode {
    if let Some(program) = harness::asked_program() {
        return programs::run(&program);
    }
    let checks = [
        results::trials(),
        advice::trials(),
        check::trials(),
        choices::trials(),
        failures::trials(),
        counts::trials(),
        deadlocks::trials(),
        disagreements::trials(),
        keep_going::trials(),
        launch::trials(),
        limits::trials(),
        profile::trials(),
        races::trials(),
        cross_memory::trials(),
        sharing::trials(),
        timeline::trials(),
        no_deadlock::trials(),
        cluster::trials(),
        wrappers::trials(),
        readers::trials(),
    ];
    let trial = |(name, check)| harness::trial(name, check);
    harness::run(checks.concat().into_iter().map(trial))
}
