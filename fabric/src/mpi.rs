//! Images that the launcher of an installed MPI library has started.
//!
//! * `environment`: MPI begins and ends, unless the application sees to that.
//! * `cluster`: what the job needs before its images share anything.
//! * `attachment`: the window through which images reach each other's parts.
//! * `one_sided`: puts, gets and atomic operations. MPI orders none of them; `under_way` knows which must not be
//!   overtaken, `staging` keeps what small puts carry, `operations` what was issued and completes one by one.
//! * `mail`: messages.
//! * `interoperability`: applications that use MPI themselves.
//!
//! Source: MPI 3.1, chapters 3 and 11.

mod attachment;
mod cluster;
mod environment;
mod interoperability;
mod mail;
mod one_sided;
mod operations;
mod staging;
mod under_way;

use std::rc::Rc;

pub use interoperability::{CannotRun, communicator, run_on};

use crate::cluster::Cluster;
use crate::farewell::await_readers;
use cluster::Group;

/// Starts the engine for all processes of the launcher.
///
/// # Errors
/// Why it cannot start.
pub(crate) fn start() -> Result<Rc<dyn Cluster>, String> {
    let environment = environment::Environment::enter()?;
    let world = mpi_rma::mpi::topology::SimpleCommunicator::world();
    Ok(Rc::new(Group::new(environment, &world)?))
}

/// Turns what a function of MPI returned into a result that says which one.
#[inline]
fn check(function: &str, code: i32) -> Result<(), String> {
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
fn give_up(error: impl std::fmt::Display) -> ! {
    use mpi_rma::mpi::ffi;
    eprintln!("coarray: the job ends, for the MPI library reports on this image: {error}");
    await_readers();
    // SAFETY: only images call this, so that MPI is initialised.
    unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
    std::process::abort()
}

/// The value, or the end of the job.
#[inline]
fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => give_up(error),
    }
}
