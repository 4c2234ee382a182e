//! The communicator of a job, for applications that also call MPI themselves.

use std::cell::Cell;

use mpi_rma::mpi::ffi::{self, MPI_Comm};
use mpi_rma::mpi::topology::SimpleCommunicator;
use mpi_rma::mpi::traits::FromRaw;

use super::check::{check, expect};

thread_local! {
    static COMMUNICATOR: Cell<Option<MPI_Comm>> = const { Cell::new(None) };
}

/// Notes the communicator of this thread's job.
pub(crate) fn note_communicator(communicator: MPI_Comm) {
    COMMUNICATOR.set(Some(communicator));
}

/// Notes that the job of this thread has ended.
pub(crate) fn forget_communicator() {
    COMMUNICATOR.set(None);
}

/// Whether this thread is an image of an MPI job.
pub fn has_communicator() -> bool {
    COMMUNICATOR.get().is_some()
}

/// Collective. A communicator of the images of this job, in their order, for use with MPI: a duplicate of the one that the job itself
/// uses, whose messages it never sees. None if this thread is no image, or not one of an MPI job.
///
/// Drop it before MPI is finalised: in programs that `launch` has started, before the end of the image.
///
/// # Examples
/// ```no_run
/// use mpi_rma::mpi::traits::*;
///
/// fn image() {
///     let images = coarray_launch::mpi::communicator().expect("this runs on MPI");
///     let mut sum = 0_usize;
///     let mine = coarray_runtime::this_image();
///     images.all_reduce_into(&mine, &mut sum, mpi_rma::mpi::collective::SystemOperation::sum());
///     assert_eq!(sum, (0..coarray_runtime::num_images()).sum());
/// }
/// ```
///
/// # Source
/// `MPI_Comm_dup`, MPI 3.1 section 6.4.2.
#[must_use]
pub fn communicator() -> Option<SimpleCommunicator> {
    let own = COMMUNICATOR.get()?;
    // SAFETY: reads a constant of the MPI library.
    let mut duplicate = unsafe { ffi::RSMPI_COMM_NULL };
    // SAFETY: the job's communicator is valid until `forget_communicator`; the place for the duplicate is valid for writes.
    expect(check("MPI_Comm_dup", unsafe {
        ffi::MPI_Comm_dup(own, &raw mut duplicate)
    }));
    // SAFETY: the communicator is valid, and an intracommunicator like the job's, as `SimpleCommunicator` needs. Errors are fatal, as for other
    // communicators of rsmpi, which ignores return codes.
    unsafe {
        expect(check(
            "MPI_Comm_set_errhandler",
            ffi::MPI_Comm_set_errhandler(duplicate, ffi::RSMPI_ERRORS_ARE_FATAL),
        ));
        Some(SimpleCommunicator::from_raw(duplicate))
    }
}
