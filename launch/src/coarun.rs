//! The command `coarun`, which starts a program as the images of a job.

use std::fmt::Display;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::checked;
use crate::command_line::{self, Request, Run};
use crate::launcher;
use crate::processes::{self, HAND_OVER, environment};
use crate::startup::ProgramError;
use crate::superfluous;
use crate::supervisor::supervise;
use crate::trace::left::recover;
use crate::two_runs;
use crate::unknown_settings;
use coarray_runtime::{FabricKind, Settings, USAGE};

const VERSION: &str = concat!("coarun ", env!("CARGO_PKG_VERSION"), "\n");

const HELP: &str = "\
Runs a program as the images of a coarray job.

Usage: coarun [OPTIONS] PROGRAM [ARGUMENTS...]

Options:
  -n, --images N     Number of images [default: one for each core]
      --label        Start each line of output with the number of its image
      --keep-going   When an image dies, let the others go on without it
      --bind WHERE   `core` keeps image i on the i-th core, `none` lets the
                     system move it [default: none]
      --wait HOW     An image that waits for others lets its core go when others
                     want it (`adaptive`), at once (`sleep`), or not for
                     milliseconds (`spin`) [default: adaptive]
      --profile[=WHAT]
                     Say at the end on the standard error where images waited, for
                     how long, and who came last (`waits`); or what moved: each
                     put, get and atomic operation is counted, by line and by
                     image (`puts`); or run the program twice, and say both
                     (`both`) [default: waits]
      --profile-json FILE, --profile-html FILE, --profile-svg FOLDER
                     Write all of that for scripts, as a page, and as its figures
      --trace FILE   Write a timeline of what each image did and waited for, which
                     the viewer https://ui.perfetto.dev shows
      --recover-trace FILE
                     Run nothing; add to the timeline of a job on a cluster whose images
                     were all killed what they had recorded in files beside it
      --check[=WHAT] Look for races: accesses of two images to one place, one of them
                     a put, that no rule of the memory model orders. `races,stop`
                     ends the job at the first; with `races,without=FILE:LINE` that
                     line synchronises nothing; `origins` also tells of each line with
                     gets which puts had put what it got, rare ones first
                     [default: races]
      --superfluous  With the check, run the program once more without the order of each
                     line that synchronises, and say which ones no race needs
      --heap SIZE    Memory to reserve for the coarrays of each image, as in
                     4G or 512M [default: 3/4 of the machine, divided evenly]
      --fabric KIND  Images are `processes`, or `threads` of one process for a
                     debugger or profiler; or on any number of machines, of a
                     program with that feature: `mpi`, `shmem`
                     [default: processes]
  -h, --help         Print this help
  -V, --version      Print the version

Environment:
  COARRAY_IMAGES, COARRAY_LABEL (1 or 0), COARRAY_FAULT_TOLERANT (1 or 0),
  COARRAY_BIND, COARRAY_WAIT, COARRAY_HEAP, COARRAY_FABRIC, COARRAY_PROFILE
  (`waits`, `puts` or `off`), COARRAY_PROFILE_JSON, COARRAY_PROFILE_HTML,
  COARRAY_PROFILE_SVG, COARRAY_TRACE and COARRAY_CHECK say the same as the options. An option
  overrides its variable.
  A coarray program that is started without coarun obeys them too. COARRAY_LAUNCHER is the command that starts the
  images of MPI or OpenSHMEM [default: mpirun, shmemrun].

Examples:
  coarun -n 4 ./heat --steps 100             4 images; --steps is for heat
  coarun -n 4 --label ./heat                 See who says what
  coarun -n 64 --bind core --heap 2G ./heat  A run to measure
  coarun -n 3 --check ./heat --steps 10      Look for races
  coarun -n 2 --fabric threads gdb ./heat    Both images in one debugger

Image 0 reads the standard input. When an image fails, all others are ended.
With --keep-going that is only so if it calls error_stop or makes another
mistake that concerns them all; if it is killed, panics, exits or returns a
failure, a line on the standard error says so, and the others go on.

Exit code:
  0        All images succeeded; with --keep-going, all that did not die
  1-125    The exit code of the image that failed first; 2 also for wrong usage.
           With --keep-going, only if it ended the others, or if none is left
  66       With --check, images raced
  126 127  The program cannot be executed; there is no such program
  128+S    An image was killed by signal S, or signal S interrupted the job
";

/// Local. The command `coarun`: reads this process's arguments, runs the program they name, and returns
/// what to exit with. For the `main` of a binary of that name.
///
/// # Examples
/// All of a crate's `src/bin/coarun.rs`:
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     coarray_launch::coarun()
/// }
/// ```
///
/// # Source
/// `mpiexec`, MPI 3.1 section 8.8; `cafrun` of OpenCoarrays.
#[must_use]
pub fn coarun() -> ExitCode {
    match command_line::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => print(HELP),
        Ok(Request::Version) => print(VERSION),
        Ok(Request::RecoverTrace(path)) => recover_trace(path),
        Ok(Request::Run(run)) => match run.settings() {
            Ok(settings) => match checked::adapt(settings, run.names_fabric()) {
                Ok(settings) => start(&run, &settings),
                Err(error) => refuse(error),
            },
            Err(error) => refuse(error),
        },
        Err(error) => refuse(error),
    }
}

fn recover_trace(path: PathBuf) -> ExitCode {
    match recover(path) {
        Ok(text) if text.is_empty() => ExitCode::SUCCESS,
        Ok(text) => {
            complain(text);
            ExitCode::FAILURE
        }
        Err(text) => {
            complain(text);
            ExitCode::FAILURE
        }
    }
}

fn start(run: &Run, settings: &Settings) -> ExitCode {
    // Where images are threads, the program tells of them itself.
    if settings.fabric != FabricKind::Threads {
        unknown_settings::warn();
    }
    let several = match run {
        _ if run.tries_each_line() => Some(superfluous::try_each_line(run, settings)),
        _ if run.runs_twice() => Some(two_runs::run_twice(run, settings)),
        _ => None,
    };
    if let Some(outcome) = several {
        return outcome.unwrap_or_else(|error| {
            complain(format_args!(
                "coarun: cannot run the program several times: {error}\n"
            ));
            ExitCode::from(USAGE)
        });
    }
    match settings.fabric {
        FabricKind::Processes => supervise(&run.program, &run.arguments, settings),
        FabricKind::Threads if settings.label => refuse(
            "the output of threads cannot be told apart: no --label with --fabric threads or --check",
        ),
        FabricKind::Threads => become_program(run, settings),
        FabricKind::Mpi | FabricKind::Shmem => become_launcher(run, settings),
        FabricKind::Own => unreachable!("no setting chooses it"),
    }
}

/// Turns this process into one of `run`'s program. Images that are threads need no supervisor, and
/// signals, output and exit code need no detour.
fn become_program(run: &Run, settings: &Settings) -> ExitCode {
    let mut command = Command::new(&run.program);
    command.args(&run.arguments).envs(environment(settings));
    if processes::is_handed_over() {
        for variable in HAND_OVER {
            command.env_remove(variable);
        }
    }
    let error = ProgramError {
        program: run.program.clone(),
        image: 0,
        source: command.exec(),
    };
    complain(format_args!("coarray: {error}\n"));
    ExitCode::from(error.exit_code())
}

fn become_launcher(run: &Run, settings: &Settings) -> ExitCode {
    if let Err(error) = launcher::check_name() {
        return refuse(error);
    }
    let error = launcher::become_launcher(settings, &run.program, &run.arguments);
    complain(format_args!("coarun: {error}; is it installed?\n"));
    ExitCode::from(error.exit_code())
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn refuse(error: impl Display) -> ExitCode {
    complain(format_args!("coarun: {error}\nTry 'coarun --help'.\n"));
    ExitCode::from(2)
}

fn complain(text: impl Display) {
    let _ = io::stderr().write_all(text.to_string().as_bytes());
}
