//! Running images on a communicator of an application that has initialised MPI itself.

use mpi_rma::Initialized;
use mpi_rma::mpi::topology::Communicator;

use crate::cluster;
use coarray_fabric::transport::cluster::Cluster;
use coarray_fabric::transport::mpi::{Environment, Group, has_communicator};
use coarray_runtime::{FabricKind, Settings};

/// Why images cannot run on a communicator.
///
/// # Examples
/// See [`run_on`].
///
/// # Source
/// Its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotRun(String);

impl std::fmt::Display for CannotRun {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CannotRun {}

/// Collective. Runs `body` on every process of `communicator`, each of which is an image meanwhile, numbered as there.
///
/// For applications that initialise MPI themselves: they keep it, and can use it before, after, and within `body`. Settings
/// come from the environment as they do for programs that [`launch`](crate) images. An application can do this
/// again and again, on any of its communicators, one after the other on each process.
///
/// A communicator of one process per image is all that is needed; threads of one process cannot be images here.
///
/// Synchronises at its start, and at its end, as the end of a program does. If an image panics or the job fails in another way, the
/// reason is reported and all processes of MPI end (`MPI_Abort`).
///
/// # Errors
/// If the images cannot start: the text says why, and what to do.
///
/// # Panics
/// If this thread is an image already.
///
/// # Examples
/// ```no_run
/// use coarray_launch::mpi;
/// use coarray_runtime::this_image;
/// use mpi_rma::mpi::initialize_with_threading;
/// use mpi_rma::mpi::environment::Threading;
///
/// let (universe, _) = initialize_with_threading(Threading::Multiple).unwrap();
/// let world = universe.world();
/// let image = mpi::run_on(&universe, &world, this_image).unwrap();
/// println!("this process was image {image}");
/// ```
///
/// # Source
/// Its own; what it does with the communicator is that of MPI 3.1, chapter 11.
pub fn run_on<'u, R>(
    initialized: impl Into<Initialized<'u>>,
    communicator: &impl Communicator,
    body: impl Fn() -> R,
) -> Result<R, CannotRun> {
    assert!(
        !has_communicator(),
        "this thread is an image already: run_on cannot be called within a job"
    );
    initialized
        .into()
        .check_thread()
        .map_err(|error| CannotRun(error.to_string()))?;
    let settings = Settings::with_images(communicator.size() as usize);
    let settings = Settings {
        fabric: FabricKind::Mpi,
        keep_going: false,
        ..settings.map_err(|error| CannotRun(error.to_string()))?
    };
    let watch = cluster::watch_start(communicator.rank() as usize, &settings);
    let environment = Environment::of_application();
    // SAFETY: a thread that is an image already was refused above, and all of the communicator make the same calls.
    let group = unsafe { Group::new(environment, communicator) }.map_err(CannotRun)?;
    match cluster::run(&group, &settings, watch, || Ok(body())) {
        Ok(cluster::End::Finished(result)) => {
            group.finish();
            Ok(result)
        }
        Ok(cluster::End::Failed(failure)) => group.abort(failure.code),
        Err(error) => {
            group.finish();
            Err(CannotRun(error))
        }
    }
}
