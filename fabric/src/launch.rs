//! Starting images: the same program plainly, under `coarun`, or inside a test.

pub(crate) mod children;
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod cluster;
pub(crate) mod coarun;
pub(crate) mod command_line;
pub(crate) mod launcher;
pub(crate) mod losses;
pub(crate) mod outlet;
pub(crate) mod output;
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod pmi;
pub(crate) mod processes;
pub(crate) mod relay;
pub(crate) mod settings;
pub(crate) mod signals;
pub(crate) mod startup;
pub(crate) mod supervisor;
pub(crate) mod terminal;
pub(crate) mod threads;
pub(crate) mod unknown_settings;
pub(crate) mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::process::{ExitCode, Termination};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::control::Failure;
use crate::failure;
use crate::image::Image;
use crate::job::Job;
use crate::launch::processes::{Inherited, inherited};
use crate::launch::settings::{FabricKind, SettingError, Settings};
use crate::launch::supervisor::supervise;
use crate::launch::threads::{Ending, Stragglers};

/// Exit code for a launch that cannot begin because something it was told is wrong.
const USAGE: u8 = 2;

/// How long images are given to end by themselves once one has failed.
const GRACE: Duration = Duration::from_millis(300);

/// Collective. Runs `body` on every image of this program. This is what `#[coarray::main]` calls.
///
/// A program that was started plainly launches its images first: `COARRAY_IMAGES` of them, or as many as
/// there are cores, as processes, or as threads with `COARRAY_FABRIC=threads`. A program that was
/// started by `coarun` is one of the images already. What comes before `launch` runs in every image and
/// in the supervisor.
///
/// Return from `body` instead of calling `std::process::exit`: among processes that is an error, which is
/// reported, and among threads it ends all images at once.
///
/// It synchronises at its end: an image that returns from `body` waits for all others.
///
/// # Errors
/// The exit code is not 0 if an image panics, calls [`error_stop`](crate::error_stop), returns a failure from `body`, or is
/// killed; the report on stderr then names the image, the reason and the place. With `COARRAY_KEEP_GOING=1` the
/// other images go on without one that panics, returns a failure, exits or is killed: a line on stderr
/// tells of it, and the exit code is 0 if any image is left.
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
///     coarray_fabric::launch(|| println!("image {}", coarray_fabric::this_image()))
/// }
/// ```
///
/// # Source
/// Program execution, Fortran 2018 clause 5.3.4.
pub fn launch<R: Termination>(body: fn() -> R) -> ExitCode {
    launch_with(Ok, body)
}

/// Collective. As [`launch`], for a program that goes on when images die: unless the environment says otherwise, it runs
/// as with `COARRAY_KEEP_GOING=1`. This is what `#[coarray::main(keep_going)]` calls.
///
/// Under `coarun`, its `--keep-going` decides.
///
/// # Errors
/// As [`launch`].
///
/// # Examples
/// ```no_run
/// use coarray_fabric::{launch_keeping_going, this_image};
///
/// fn main() -> std::process::ExitCode {
///     launch_keeping_going(|| println!("image {} goes on without the others", this_image()))
/// }
/// ```
///
/// # Source
/// Failed images, Fortran 2018 clause 5.3.6.
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
    match inherited() {
        Ok(Some(inherited)) => return run_as_image(inherited, body),
        Ok(None) => {}
        Err(error) => return refuse(error),
    }
    let settings = match Settings::from_environment().and_then(wishes) {
        Ok(settings) => settings,
        Err(error) => return refuse(error),
    };
    if let Err(error) = check_engine(&settings) {
        return refuse(error);
    }
    let is_of_clusters = matches!(settings.fabric, FabricKind::Mpi | FabricKind::Shmem);
    if !is_of_clusters || launcher::is_missing(settings.fabric) {
        unknown_settings::warn();
    }
    if launcher::is_missing(settings.fabric) {
        return start_by_launcher(&settings);
    }
    match settings.fabric {
        FabricKind::Mpi | FabricKind::Shmem => run_on_cluster(&settings, body),
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

/// Has the launcher of the engine start this program's images, as it was started plainly.
fn start_by_launcher(settings: &Settings) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let error = match std::env::current_exe() {
        Ok(program) => launcher::become_launcher(settings, &program, &arguments),
        Err(error) => return refuse(format_args!("cannot find this program's own file: {error}")),
    };
    refuse(format_args!(
        "{error}; start the program by the launcher of the engine, or set COARRAY_LAUNCHER to its name"
    ))
}

/// Whether this program can be run by the engine of its settings.
fn check_engine(settings: &Settings) -> Result<(), String> {
    let name = settings.fabric.name();
    if let Some(mark) = launcher::mark()
        && launcher::engine().is_none()
        && std::env::var_os("COARRAY_FABRIC").is_none()
    {
        return Err(format!(
            "a launcher of MPI or OpenSHMEM has started this program ({mark} is set), which was built without these \
             engines: build it with `--features mpi` or `--features shmem`, or set COARRAY_FABRIC=processes to let each of \
             its copies start images of its own"
        ));
    }
    if !launcher::is_built_in(settings.fabric) {
        return Err(format!(
            "this program was built without the engine `{name}`: build it with `--features {name}`, if its Cargo.toml \
             passes that on, or with `coarray = {{ features = [\"{name}\"] }}`"
        ));
    }
    Ok(())
}

#[cfg(any(feature = "mpi", feature = "shmem"))]
fn run_on_cluster<R: Termination>(settings: &Settings, body: fn() -> R) -> ExitCode {
    let codes = ExitCodes::default();
    let cluster = match cluster::start(settings) {
        Ok(cluster) => cluster,
        Err(error) => return refuse(error),
    };
    let image = cluster.image();
    // All images have the same variables.
    if image == 0 && !launcher::was_started_here() {
        unknown_settings::warn();
    }
    let end = cluster::run(&*cluster, settings, || conclude(body().report(), &codes));
    match end {
        Ok(cluster::End::Finished(())) => {
            cluster.finish();
            ExitCode::SUCCESS
        }
        // Without the end of the engine its launcher ends the others.
        Ok(cluster::End::Failed(failure)) => match code_of(image, codes) {
            Some(code) => code,
            None => cluster.abort(failure.code),
        },
        Err(error) => {
            refuse(error);
            cluster.abort(USAGE)
        }
    }
}

#[cfg(not(any(feature = "mpi", feature = "shmem")))]
fn run_on_cluster<R: Termination>(settings: &Settings, _: fn() -> R) -> ExitCode {
    unreachable!("{} was found not to be built in", settings.fabric.name())
}

fn refuse(why: impl fmt::Display) -> ExitCode {
    eprintln!("coarray: {why}");
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
    let ending = threads::run_image(&job, image, None, || conclude(body().report(), &codes));
    match (ending, code_of(image, codes)) {
        (Ending::Finished(()), _) => ExitCode::SUCCESS,
        (Ending::Ended | Ending::Failed(_), Some(code)) => code,
        // The supervisor tells of it once this process has ended.
        (Ending::Failed(failure), None) => ExitCode::from(failure.code),
        (Ending::Ended, None) => match job.region.job().failure.get() {
            Some(failure) if failure.image == image => ExitCode::from(failure.code),
            // The image that failed is to be the first to exit: its exit code is the job's. Then the
            // supervisor ends the others.
            _ => {
                std::thread::sleep(GRACE);
                ExitCode::FAILURE
            }
        },
    }
}

/// The failures that images returned from their main functions: an `ExitCode` cannot be looked into, so
/// it is not part of a [`Failure`].
type ExitCodes = Mutex<BTreeMap<usize, ExitCode>>;

fn code_of(image: usize, codes: ExitCodes) -> Option<ExitCode> {
    let mut codes = codes.into_inner().unwrap_or_else(PoisonError::into_inner);
    codes.remove(&image)
}

/// Ends the job, or in one that keeps going the image, if an image's main reports a failure, which the
/// exit code keeps.
fn conclude(report: ExitCode, codes: &ExitCodes) {
    if report == ExitCode::SUCCESS {
        return;
    }
    let image = Image::current();
    codes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(image.index, report);
    let text = "returned a failure from its main function".into();
    if image.job.region.job().keeps_going() {
        failure::fall(1, text);
    }
    image.fail(text);
}

fn run_on_threads<R: Termination>(settings: &Settings, body: fn() -> R) -> ExitCode {
    let codes = ExitCodes::default();
    let abandon = |failure: &Failure| -> ! {
        report(failure);
        std::process::exit(i32::from(failure.code))
    };
    let outcome = threads::run(
        settings,
        || conclude(body().report(), &codes),
        Stragglers::Abandon(GRACE, abandon),
    );
    match outcome {
        Ok(Ok(_)) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            report(&failure);
            code_of(failure.image, codes).unwrap_or(ExitCode::from(failure.code))
        }
        Err(error) => {
            eprintln!("coarray: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints why the job failed.
pub(crate) fn report(failure: &Failure) {
    eprintln!("{failure}");
}

/// How to run images inside this process, on threads.
///
/// Tests, debuggers and notebooks use it; programs use [`launch`].
///
/// # Examples
/// ```
/// use coarray_fabric::{Launch, this_image};
///
/// let squares = Launch::new(4).run(|| this_image() * this_image());
/// assert_eq!(squares.unwrap(), [0, 1, 4, 9]);
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Debug)]
pub struct Launch {
    settings: Result<Settings, SettingError>,
}

impl Launch {
    /// Local. `images` images, with the heap and binding that the environment asks for.
    ///
    /// # Examples
    /// See [`Launch`].
    #[must_use]
    pub fn new(images: usize) -> Self {
        let settings = Settings::with_images(images).map(|settings| Settings {
            fabric: FabricKind::Threads,
            keep_going: false,
            ..settings
        });
        Self { settings }
    }

    /// Local. Reserves `bytes` of heap for each image.
    ///
    /// # Examples
    /// Many small jobs that reserve little:
    /// ```
    /// use coarray_fabric::{Launch, num_images};
    ///
    /// for images in 1..20 {
    ///     let outcome = Launch::new(images).heap(1 << 20).run(num_images);
    ///     assert_eq!(outcome.unwrap(), vec![images; images]);
    /// }
    /// ```
    #[must_use]
    pub fn heap(mut self, bytes: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.heap = bytes;
        }
        self
    }

    /// Local. Whether corefs reach memory by load and store (the default) or through the fabric's operations,
    /// as they would across a network.
    ///
    /// # Examples
    /// The same program, by both ways:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// for direct in [true, false] {
    ///     let sums = coarray::Launch::new(3).direct(direct).run(|| {
    ///         let mut x = Coarray::new(this_image());
    ///         let x = x.open();
    ///         (0..3).map(|image| x.at(image).get()).sum::<usize>()
    ///     });
    ///     assert_eq!(sums.unwrap(), [3, 3, 3]);
    /// }
    /// ```
    #[must_use]
    pub fn direct(mut self, direct: bool) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.direct = direct;
        }
        self
    }

    /// Local. Counts each `images` images as one node (the default: all are one), so that tests see what collectives
    /// would send between nodes.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::{Algorithm, Collective, record_messages};
    ///
    /// // A broadcast of two levels enters the second node once: image 2 gets the values, and image 3 has them from there.
    /// let received = coarray::Launch::new(4).images_per_node(2).run(|| {
    ///     let broadcast = || Collective::new().algorithm(Algorithm::TwoLevel).co_broadcast(&mut 1.5, 0);
    ///     record_messages(broadcast).1.iter().map(|message| message.from).collect::<Vec<_>>()
    /// });
    /// assert_eq!(received.unwrap()[2..], [[0], [2]]);
    /// ```
    #[must_use]
    pub fn images_per_node(mut self, images: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.node_images = images.max(1);
        }
        self
    }

    /// Divides the images into so many nodes that share no memory, with a network between them.
    #[cfg(feature = "simulated")]
    #[must_use]
    pub fn simulated_nodes(mut self, nodes: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.simulated_nodes = nodes;
        }
        self
    }

    /// Local. How long images of other nodes may be silent while an image waits for them, before that is taken for the loss of
    /// their node; `COARRAY_SILENCE` sets the same.
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{Launch, num_images};
    /// use std::time::Duration;
    ///
    /// let patient = Launch::new(2).silence(Duration::from_secs(600));
    /// assert_eq!(patient.run(num_images).unwrap(), [2, 2]);
    /// ```
    #[must_use]
    pub fn silence(mut self, limit: Duration) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.silence = Some(limit);
        }
        self
    }

    /// Local. Whether the other images go on when one panics or calls [`fail_image`](crate::fail_image), instead of
    /// ending with it (the default, whatever `COARRAY_KEEP_GOING` says). A line on stderr then tells of it.
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{Launch, this_image};
    ///
    /// let shares = Launch::new(3).keep_going(true).run(|| 100 / this_image());
    /// assert_eq!(shares.unwrap(), [100, 50]);
    /// ```
    #[must_use]
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.keep_going = keep_going;
        }
        self
    }

    /// Local. Runs `body` on each image, and returns what it returned in the order of the images. If the job
    /// keeps going without some images, the others' results follow one another.
    ///
    /// # Errors
    /// The first [`Failure`]: an image panicked, stopped, or was in another collective operation than
    /// the others; or the images could not be started. If the job keeps going, an image's panic is one
    /// only if every image fails.
    ///
    /// # Examples
    /// ```
    /// use coarray_fabric::{Launch, this_image};
    ///
    /// assert_eq!(Launch::new(3).run(|| 10 * this_image()).unwrap(), [0, 10, 20]);
    /// let failure = Launch::new(3).run(|| 12 / this_image()).unwrap_err();
    /// assert_eq!(failure.image, 0);
    /// ```
    pub fn run<R: Send>(self, body: impl Fn() -> R + Sync) -> Result<Vec<R>, Failure> {
        let not_started = |text: String| Failure {
            image: 0,
            code: USAGE,
            text,
        };
        let settings = self
            .settings
            .map_err(|error| not_started(format!("was not started: {error}")))?;
        threads::run(&settings, body, Stragglers::Join)
            .map_err(|error| not_started(format!("was not started: {error}")))?
    }
}

/// Local. Runs `body` on `images` images, as threads of this process; returns what it returned in the order of
/// the images.
///
/// # Panics
/// If an image panics or fails in another way, with the report of the job.
///
/// # Examples
/// ```
/// let images = coarray_fabric::run(3, coarray_fabric::num_images);
/// assert_eq!(images, [3, 3, 3]);
/// ```
///
/// # Source
/// Its own.
#[track_caller]
pub fn run<R: Send>(images: usize, body: impl Fn() -> R + Sync) -> Vec<R> {
    match Launch::new(images).run(body) {
        Ok(results) => results,
        Err(failure) => panic!("{failure}"),
    }
}
