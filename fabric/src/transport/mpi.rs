//! Images that the launcher of an installed MPI library has started.
//!
//! * `environment`: MPI begins and ends, unless the application sees to that.
//! * `cluster`: what the job needs before its images share anything.
//! * `attachment`: the window through which images reach each other's parts.
//! * `one_sided`: puts (`put`), gets and atomic operations. MPI orders none of them; `in_flight` knows which must not be
//!   overtaken, `staging` keeps what small puts carry, `operations` what was issued and completes one by one.
//! * `channel`: messages.
//! * `collectives`: MPI's collective operations among images.
//! * `communicator`: what applications that use MPI themselves get of the job.
//!
//! Source: MPI 3.1, chapters 3 and 11.

mod attachment;
mod channel;
mod check;
mod cluster;
mod collectives;
mod communicator;
mod datatypes;
mod environment;
mod issue;
mod one_sided;
mod operations;
mod put;
mod staging;

use std::rc::Rc;

pub use communicator::communicator;

pub use cluster::Group;
pub use communicator::has_communicator;
pub use environment::Environment;

use mpi_rma::mpi::topology::Communicator;

use crate::transport::cluster::Cluster;

/// Starts the fabric for all processes of the launcher. Calls `initialized` with the number of this image when MPI is initialised, before
/// this image waits for others.
///
/// # Errors
/// Why it cannot start.
///
/// # Safety
/// Called once in a process, which is then one image. The process calls no MPI from other threads unless MPI allows that,
/// and uses the cluster as the contracts of its methods say.
pub unsafe fn start(initialized: impl FnOnce(usize)) -> Result<Rc<dyn Cluster>, String> {
    let environment = Environment::enter()?;
    let world = mpi_rma::mpi::topology::SimpleCommunicator::world();
    initialized(world.rank() as usize);
    // SAFETY: all processes of the launcher are images and do this, so the call is collective; the caller vouches that
    // this process does it once.
    Ok(Rc::new(unsafe { Group::new(environment, &world) }?))
}
