//! How images start, and who watches them: as threads, as processes under a supervisor, by `coarun`, or by the launcher of MPI or OpenSHMEM.

mod ancestry;
mod checked;
mod children;
#[cfg(feature = "cluster")]
mod cluster;
mod coarun;
mod command_line;
mod embedded;
mod explore;
mod job_status;
mod launcher;
mod leftovers;
mod lost_images;
mod nonblocking_stdout;
#[cfg(feature = "mpi")]
mod on_communicator;
mod output;
#[cfg(feature = "cluster")]
pub mod own_fabric;
mod processes;
mod profile;
mod pump;
mod returned;
mod runs;
mod signals;
mod startup;
mod superfluous;
mod supervisor;
mod terminal;
mod threads;
mod trace;
mod two_runs;
mod unknown_settings;

/// For applications that also call MPI themselves.
#[cfg(feature = "mpi")]
pub mod mpi {
    pub use crate::on_communicator::{CannotRun, run_on};
    pub use coarray_fabric::transport::mpi::communicator;
}

pub use coarun::coarun;
pub use embedded::{Launch, run};
pub use explore::{Explore, explore};
pub use returned::{Returned, Told};
pub use terminal::terminal_size;

use std::collections::BTreeMap;
use std::fmt;
use std::process::{ExitCode, Termination};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::processes::{Inherited, inherited};
use crate::supervisor::supervise;
use crate::threads::{Lost, Stragglers};
use coarray_collectives::TUNING;
use coarray_fabric::system::drain_stdio::{await_input, await_readers};
use coarray_fabric::system::limits;
use coarray_fabric::system::process_manager;
use coarray_runtime::{
    Ending, FabricKind, GRACE, Image, Job, Panic, SettingError, Settings, USAGE, report, run_image,
    until_stopped,
};

/// Collective. Runs `body` on every image of this program. This is what `#[coarray::main]` calls.
///
/// A program that was started plainly launches its images first: `COARRAY_IMAGES` of them, or as many as
/// there are cores, as processes, or as threads with `COARRAY_FABRIC=threads`. A program that was
/// started by `coarun` is one of the images already. What comes before `launch` runs in every image and
/// in the supervisor.
///
/// Return from `body` instead of calling `std::process::exit`: among processes that is an error, which is
/// reported, and among threads it ends all images at once, with exit code 1 if it was to be 0.
///
/// It synchronises at its end: an image that returns from `body` waits for all others.
///
/// # Errors
/// The exit code is not 0 if an image panics, calls [`error_stop`](coarray_runtime::error_stop), returns a failure from `body`, or is
/// killed; the report on stderr then names the image, the reason and the place. With `COARRAY_FAULT_TOLERANT=1` the
/// other images go on without one that panics, returns a failure, exits or is killed: a line on stderr
/// tells of it, and the exit code is 0 if any image is left. With `COARRAY_CHECK=races` it is 66 if images raced, and nothing else
/// failed.
///
/// # Examples
/// A program that reads its command line before there are images:
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if std::env::args().any(|argument| argument == "--help") {
///         println!("heat [--steps N]");
///         return ExitCode::SUCCESS;
///     }
///     coarray_launch::launch(|| println!("image {}", coarray_runtime::this_image()))
/// }
/// ```
///
/// # Source
/// Program execution, Fortran 2018 clause 5.3.4.
#[must_use = "the exit code of the job, which `main` is to return: without it a job that failed looks as if it had not"]
pub fn launch<R: Termination>(body: fn() -> R) -> ExitCode {
    launch_with(Ok, body)
}

/// Collective. As [`launch`], for a program that goes on when images die: unless the environment says otherwise, it runs
/// as with `COARRAY_FAULT_TOLERANT=1`. This is what `#[coarray::main(keep_going)]` calls.
///
/// Under `coarun`, its `--keep-going` decides.
///
/// # Errors
/// As [`launch`].
///
/// # Examples
/// ```no_run
/// use coarray_launch::launch_keeping_going;
/// use coarray_runtime::this_image;
///
/// fn main() -> std::process::ExitCode {
///     launch_keeping_going(|| println!("image {} goes on without the others", this_image()))
/// }
/// ```
///
/// # Source
/// Failed images, Fortran 2018 clause 5.3.6.
#[must_use = "the exit code of the job, which `main` is to return: without it a job that failed looks as if it had not"]
pub fn launch_keeping_going<R: Termination>(body: fn() -> R) -> ExitCode {
    launch_with(Settings::keeping_going, body)
}

fn launch_with<R: Termination>(
    wishes: fn(Settings) -> Result<Settings, SettingError>,
    body: fn() -> R,
) -> ExitCode {
    static LAUNCHED: AtomicBool = AtomicBool::new(false);
    if LAUNCHED.swap(true, Ordering::Relaxed) {
        return refuse("a program can call launch only once");
    }
    limits::outlive_long_files();
    match inherited() {
        Ok(Some(inherited)) => return run_as_image(inherited, body),
        Ok(None) => {}
        Err(error) => return refuse(error),
    }
    let settings = match Settings::from_environment().and_then(wishes) {
        Ok(settings) => settings,
        Err(error) => return refuse(error),
    };
    let is_asked_for = std::env::var_os("COARRAY_FABRIC").is_some();
    let checked = checked::adapt(settings, is_asked_for);
    let fits = checked.and_then(|checked| check_fabric(&checked).map(|()| checked));
    let settings = match fits {
        Ok(settings) => settings,
        Err(error) => return refuse_all(error),
    };
    let is_of_clusters = matches!(settings.fabric, FabricKind::Mpi | FabricKind::Shmem);
    if !is_of_clusters || launcher::is_missing(settings.fabric) {
        unknown_settings::warn();
    }
    if launcher::is_missing(settings.fabric) {
        return start_by_launcher(&settings);
    }
    match settings.fabric {
        FabricKind::Mpi | FabricKind::Shmem => run_on_cluster(&settings, body),
        FabricKind::Own => unreachable!("no setting chooses it"),
        FabricKind::Threads => run_on_threads(&settings, body),
        FabricKind::Processes => match std::env::current_exe() {
            Ok(program) => {
                let arguments: Vec<_> = std::env::args_os().skip(1).collect();
                supervise(&program, &arguments, &settings)
            }
            Err(error) => refuse(format_args!("cannot find this program's own file: {error}")),
        },
    }
}

/// Says why there is no job, once for all processes of a launcher.
fn refuse_all(error: String) -> ExitCode {
    if process_manager::is_not_the_first() {
        // The first process prints the error for all. The launcher ends the others when it has exited.
        std::thread::sleep(GRACE);
        return ExitCode::from(USAGE);
    }
    refuse(error)
}

/// Becomes the launcher of the fabric, which starts this program's images; for a program that was started plainly.
fn start_by_launcher(settings: &Settings) -> ExitCode {
    if let Err(error) = launcher::check_name() {
        return refuse(error);
    }
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let error = match std::env::current_exe() {
        Ok(program) => launcher::become_launcher(settings, &program, &arguments),
        Err(error) => return refuse(format_args!("cannot find this program's own file: {error}")),
    };
    refuse(format_args!(
        "{error}; start the program by the launcher of the fabric, or set COARRAY_LAUNCHER to its name"
    ))
}

/// Whether this program can be run by the fabric of its settings.
fn check_fabric(settings: &Settings) -> Result<(), String> {
    let name = settings.fabric.name();
    if let Some(mark) = process_manager::mark()
        && FabricKind::of_launcher().is_none()
        && std::env::var_os("COARRAY_FABRIC").is_none()
    {
        return Err(format!(
            "a launcher of MPI or OpenSHMEM has started this program ({mark} is set), which was built without these \
             fabrics: build it with `--features mpi` or `--features shmem`, or set COARRAY_FABRIC=processes to let each of \
             its copies start images of its own"
        ));
    }
    if !settings.fabric.is_built_in() {
        return Err(format!(
            "this program was built without the fabric `{name}`: build it with `--features {name}`, if its Cargo.toml \
             passes that on, or with `coarray = {{ features = [\"{name}\"] }}`"
        ));
    }
    Ok(())
}

#[cfg(any(feature = "mpi", feature = "shmem"))]
fn run_on_cluster<R: Termination>(settings: &Settings, body: fn() -> R) -> ExitCode {
    let (cluster, watch) = match launcher::start(settings) {
        Ok(started) => started,
        // With this exit code the launcher ends the other processes.
        Err(error) => return refuse(error),
    };
    // Image 0 prints it for all: all have the same environment.
    if cluster.image() == 0 && !launcher::was_started_here() {
        unknown_settings::warn();
        unknown_settings::warn_of_images(settings.images, cluster.images());
    }
    own_fabric::conclude_on(&*cluster, settings, watch, body)
}

#[cfg(not(any(feature = "mpi", feature = "shmem")))]
fn run_on_cluster<R: Termination>(settings: &Settings, _: fn() -> R) -> ExitCode {
    unreachable!("{} was found not to be built in", settings.fabric.name())
}

/// Prints why there is no job, and gives a launcher time to pass that on.
fn refuse(why: impl fmt::Display) -> ExitCode {
    // One write: all images may print it at the same time.
    let line = format!("coarray: {why}\n");
    eprint!("{line}");
    if process_manager::mark().is_some() {
        await_readers();
        await_input();
    }
    ExitCode::from(USAGE)
}

fn run_as_image<R: Termination>(inherited: Inherited, body: fn() -> R) -> ExitCode {
    let Inherited { image, region } = inherited;
    let settings = match Settings::with_images(region.dimensions().images) {
        Ok(settings) => settings,
        Err(error) => return refuse(error),
    };
    let job = Arc::new(Job::new(region, &settings));
    let codes = ExitCodes::default();
    // SAFETY: the supervisor gives each image to one process, which claims it, and this is called once in a process. All share memory.
    let ending = unsafe { run_image(&job, image, None, &TUNING, || conclude(body, &codes)) };
    match (ending, code_of(image, codes)) {
        (Ending::Finished(()), _) => ExitCode::SUCCESS,
        (Ending::Ended | Ending::Failed(_), Some(code)) => code,
        // The supervisor reports it when this process has exited.
        (Ending::Failed(failure), None) => ExitCode::from(failure.code),
        (Ending::Ended, None) => match job.region.job().failure.get() {
            Some(failure) if failure.image == image => ExitCode::from(failure.code),
            // The failed image exits first, because its exit code is the job's. Then the supervisor ends the others.
            _ => {
                std::thread::sleep(GRACE);
                ExitCode::FAILURE
            }
        },
    }
}

/// Exit codes that images returned from `main`. An `ExitCode` is opaque, so it is not part of a [`Failure`].
type ExitCodes = Mutex<BTreeMap<usize, ExitCode>>;

fn code_of(image: usize, codes: ExitCodes) -> Option<ExitCode> {
    let mut codes = codes.into_inner().unwrap_or_else(PoisonError::into_inner);
    codes.remove(&image)
}

/// Runs an image's `main`, and turns a failure that it reports into a panic, and keeps its exit code.
///
/// # Errors
/// The failure.
fn conclude<R: Termination>(body: fn() -> R, codes: &ExitCodes) -> Result<(), Panic> {
    let report = match until_stopped(body) {
        Ok(result) => result.report(),
        Err(code) => ExitCode::from(code),
    };
    if report == ExitCode::SUCCESS {
        return Ok(());
    }
    let image = Image::current();
    codes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(image.index(), report);
    Err(Panic {
        text: returned::reason(),
        code: 1,
        backtrace: None,
    })
}

fn run_on_threads<R: Termination>(settings: &Settings, body: fn() -> R) -> ExitCode {
    let mut settings = settings.clone();
    if let Some(check) = &mut settings.check {
        // The program may end by force.
        check.tells = true;
    }
    let codes = ExitCodes::default();
    let outcome = threads::run(
        &settings,
        || conclude(body, &codes),
        Stragglers::Abandon(GRACE, coarray_runtime::report_and_exit),
    );
    match outcome {
        Ok(Ok(_)) => ExitCode::SUCCESS,
        Ok(Err(Lost { failure, is_told })) => {
            if !is_told {
                report(&failure);
            }
            code_of(failure.image, codes).unwrap_or(ExitCode::from(failure.code))
        }
        Err(error) => {
            eprintln!("coarray: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
