//! What functions of MPI return, and the end of the job where they fail.

use crate::system::drain_stdio::await_readers;

/// Turns what a function of MPI returned into a result that says which one.
#[inline]
pub(super) fn check(function: &str, code: i32) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    Err(complain(function, code))
}

#[cold]
fn complain(function: &str, code: i32) -> String {
    format!("{function} failed: {}", mpi_rma::error_text(code))
}

/// Ends the job: MPI can no longer do what this image needs.
#[cold]
pub(super) fn give_up(error: impl std::fmt::Display) -> ! {
    use mpi_rma::mpi::ffi;
    eprintln!("coarray: the job ends, for the MPI library reports on this image: {error}");
    await_readers();
    // SAFETY: only images call this, so that MPI is initialised.
    unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
    std::process::abort()
}

/// The value, or the end of the job.
#[inline]
pub(super) fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => give_up(error),
    }
}
