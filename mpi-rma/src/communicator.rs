//! The calls on communicators that windows need.

use std::ffi::c_int;

use mpi::ffi::{self, MPI_Comm, MPI_Errhandler};

use crate::Error;
use crate::error::check;

/// The number of this process in the communicator's group, and the size of the group.
pub(crate) fn group(communicator: MPI_Comm) -> Result<(c_int, c_int), Error> {
    let (mut rank, mut size, mut has_two) = (0, 0, 0);
    // SAFETY: the communicator lives, because the caller holds a reference to rsmpi's; the results outlive the calls.
    unsafe {
        check(
            "MPI_Comm_test_inter",
            ffi::MPI_Comm_test_inter(communicator, &raw mut has_two),
        )?;
        check(
            "MPI_Comm_rank",
            ffi::MPI_Comm_rank(communicator, &raw mut rank),
        )?;
        check(
            "MPI_Comm_size",
            ffi::MPI_Comm_size(communicator, &raw mut size),
        )?;
    }
    if has_two != 0 {
        return Err(Error::Intercommunicator);
    }
    Ok((rank, size))
}

/// Collective. The two numbers of each process.
pub(crate) fn gather(
    communicator: MPI_Comm,
    size: c_int,
    mine: [u64; 2],
) -> Result<Vec<[u64; 2]>, Error> {
    let mut all = vec![[0; 2]; size as usize];
    // SAFETY: the communicator lives; its group has `size` processes, each of them sends two numbers, and `all` has
    // room.
    let code = unsafe {
        ffi::MPI_Allgather(
            mine.as_ptr().cast(),
            2,
            ffi::RSMPI_UINT64_T,
            all.as_mut_ptr().cast(),
            2,
            ffi::RSMPI_UINT64_T,
            communicator,
        )
    };
    check("MPI_Allgather", code)?;
    Ok(all)
}

/// While this exists, errors of a communicator are returned instead of passed to its own handler, which by default
/// ends the program.
pub(crate) struct ReturnErrors {
    communicator: MPI_Comm,
    former: MPI_Errhandler,
}

impl ReturnErrors {
    pub(crate) fn from(communicator: MPI_Comm) -> Result<Self, Error> {
        // SAFETY: a constant that rsmpi defines; any handle will do, because it is overwritten.
        let mut former = unsafe { ffi::RSMPI_ERRORS_RETURN };
        // SAFETY: the communicator lives, and the handler is one of MPI's own.
        unsafe {
            check(
                "MPI_Comm_get_errhandler",
                ffi::MPI_Comm_get_errhandler(communicator, &raw mut former),
            )?;
            check(
                "MPI_Comm_set_errhandler",
                ffi::MPI_Comm_set_errhandler(communicator, ffi::RSMPI_ERRORS_RETURN),
            )?;
        }
        Ok(Self {
            communicator,
            former,
        })
    }
}

impl Drop for ReturnErrors {
    fn drop(&mut self) {
        // SAFETY: the communicator outlives this, and the handler was its own; the reference that
        // `MPI_Comm_get_errhandler` gave is not used afterwards.
        unsafe {
            ffi::MPI_Comm_set_errhandler(self.communicator, self.former);
            ffi::MPI_Errhandler_free(&raw mut self.former);
        }
    }
}
