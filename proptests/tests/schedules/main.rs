//! What `coarray::testing::explore` finds, and what it leaves alone.
//!
//! * [`bugs`] has programs with one mistake each: a search finds each of them soon, shrinks its schedule to a few deviations, and repeats it in
//!   another process. In the same programs without the mistake it finds nothing.
//! * [`correct`] has programs without a mistake.
//! * [`protocols`] are those of the library: the clauses of `conformance`, in many schedules.
//!
//! `SCHEDULES=10000 cargo test -p coarray-proptests --test schedules` tries so many of each program that is right; from 100 on five seeds look for each
//! mistake, and what they find is repeated 100 times. The table of all mistakes is
//! printed at the end.

mod bugs;
mod correct;
mod program;
mod protocols;
mod search;

use std::process::ExitCode;

use bugs::{BEYOND, BUGS};
use coarray::testing::Explore;
use correct::PROGRAMS;
use testing::harness;

fn main() -> ExitCode {
    if let Some(program) = harness::asked_program() {
        search::repeat_here(&program);
        return ExitCode::SUCCESS;
    }
    let found = BUGS.iter().map(|bug| {
        let trial = harness::trial(format!("found::{}", bug.name), || search::finds(bug));
        trial.with_ignored_flag(BEYOND.contains(&bug.name))
    });
    let mended = BUGS.iter().map(|bug| {
        harness::trial(format!("mended::{}", bug.name), || {
            search::finds_nothing(bug)
        })
    });
    let correct = PROGRAMS.iter().map(|program| {
        harness::trial(format!("correct::{}", program.name), || {
            let search = Explore::new(program.images).schedules(search::schedules());
            search.keep_going(program.keeps_going).run(program.program);
        })
    });
    let protocols = protocols::clauses().map(|(clause, test)| {
        harness::trial(format!("protocol::{}", clause.id), move || {
            let schedules = (search::schedules() / 10).max(2);
            for images in [2, 3] {
                protocols::holds(test, images, schedules);
            }
        })
    });
    let end = harness::run(found.chain(mended).chain(correct).chain(protocols));
    match search::report() {
        true => end,
        false => ExitCode::FAILURE,
    }
}
