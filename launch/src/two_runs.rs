//! A program that runs twice: for where its images wait, and for what they move. Counting what they move takes time, so it is done in a run of its own.

use std::io;
use std::process::ExitCode;

use crate::command_line::Run;
use crate::profile::report_of_two;
use crate::runs::{Left, Runs};
use coarray_runtime::{Profile, ProfileFiles, Settings};

/// Runs the program of `run` twice, each time by a `coarun` of its own, and reports on both runs. The first run is the job: its output is shown,
/// and its exit code returned.
///
/// # Errors
/// If a run cannot be started.
pub(crate) fn run_twice(run: &Run, settings: &Settings) -> io::Result<ExitCode> {
    let runs = Runs::of(run)?;
    let waits = Left::create(Profile::Waits.name())?;
    let first = runs.first(&profiled(settings, Profile::Waits, &waits))?;

    let puts = Left::create(Profile::Puts.name())?;
    if first.code == 0 && !first.is_interrupted {
        eprintln!("coarun: runs the program again, to count what its images move");
        let second = runs.again(&profiled(settings, Profile::Puts, &puts))?;
        if second.code != 0 {
            let code = second.code;
            eprintln!("coarun: the second run failed with exit code {code}: only waits are known");
        }
    } else {
        eprintln!("coarun: the program is not run again: only waits are known");
    }
    let files = &settings.profile_files;
    match report_of_two(&waits.read(), &puts.read(), files) {
        Some(report) => eprint!("{report}"),
        None => eprintln!("coarun: the program has left no profile"),
    }
    Ok(ExitCode::from(first.code))
}

/// The settings of a run that leaves its profile there.
fn profiled(settings: &Settings, profile: Profile, left: &Left) -> Settings {
    Settings {
        profile,
        profile_files: ProfileFiles {
            record: Some(left.path().into()),
            ..ProfileFiles::default()
        },
        ..settings.clone()
    }
}
