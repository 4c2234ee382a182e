//! Applications that use MPI themselves, too.

use std::cell::Cell;

use mpi_rma::Initialized;
use mpi_rma::mpi::ffi::{self, MPI_Comm};
use mpi_rma::mpi::topology::{Communicator, SimpleCommunicator};
use mpi_rma::mpi::traits::FromRaw;

use super::cluster::Group;
use super::environment::Environment;
use super::{check, expect};
use crate::cluster::Cluster;
use crate::launch::cluster;
use crate::settings::{FabricKind, Settings};

thread_local! {
    static COMMUNICATOR: Cell<Option<MPI_Comm>> = const { Cell::new(None) };
}

/// The job on this thread has this communicator.
pub(crate) fn note_communicator(communicator: MPI_Comm) {
    COMMUNICATOR.set(Some(communicator));
}

/// The job on this thread is over.
pub(crate) fn forget_communicator() {
    COMMUNICATOR.set(None);
}

/// Why images cannot run on a communicator.
///
/// # Examples
/// See [`run_on`].
///
/// # Source
/// Its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotRun(String);

/// Collective. Runs `body` on every process of `communicator`, each of which is an image meanwhile, numbered as there.
///
/// For applications that initialise MPI themselves: they keep it, and can use it before, after, and within `body`. Settings
/// come from the environment as they do for programs that [`launch`](crate::launch) images. An application can do this
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
/// use coarray_fabric::{mpi, this_image};
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
        COMMUNICATOR.get().is_none(),
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
    let environment = Environment::of_application();
    let group = Group::new(environment, communicator).map_err(CannotRun)?;
    match cluster::run(&group, &settings, || Ok(body())) {
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

/// Collective. A communicator of the images of this job, in their order, for use with MPI: a duplicate of the one that the job itself
/// uses, whose messages it never sees. None if this thread is no image, or not one of an MPI job.
///
/// Drop it before MPI is finalised: in programs that [`launch`](crate::launch) has started, before the end of the image.
///
/// # Examples
/// ```no_run
/// use mpi_rma::mpi::traits::*;
///
/// fn image() {
///     let images = coarray_fabric::mpi::communicator().expect("this runs on MPI");
///     let mut sum = 0_usize;
///     let mine = coarray_fabric::this_image();
///     images.all_reduce_into(&mine, &mut sum, mpi_rma::mpi::collective::SystemOperation::sum());
///     assert_eq!(sum, (0..coarray_fabric::num_images()).sum());
/// }
/// ```
///
/// # Source
/// `MPI_Comm_dup`, MPI 3.1 section 6.4.2.
#[must_use]
pub fn communicator() -> Option<SimpleCommunicator> {
    let own = COMMUNICATOR.get()?;
    // SAFETY: any handle will do, for it is overwritten.
    let mut duplicate = unsafe { ffi::RSMPI_COMM_NULL };
    // SAFETY: the job's communicator lives as long as this thread has it.
    expect(check("MPI_Comm_dup", unsafe {
        ffi::MPI_Comm_dup(own, &raw mut duplicate)
    }));
    // SAFETY: the communicator is new, and has one group, as the job's. Its errors are handled as those of other
    // communicators of rsmpi, which does not look at codes.
    unsafe {
        expect(check(
            "MPI_Comm_set_errhandler",
            ffi::MPI_Comm_set_errhandler(duplicate, ffi::RSMPI_ERRORS_ARE_FATAL),
        ));
        Some(SimpleCommunicator::from_raw(duplicate))
    }
}
