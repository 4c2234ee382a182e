//! Jobs that the launcher of a cluster starts.

use std::process::Command;

use crate::options::Fabric;
use crate::peers::start;

/// The launcher of a fabric, if it has one.
fn launcher(fabric: Fabric) -> Option<&'static str> {
    match fabric {
        Fabric::Processes | Fabric::Threads => None,
        Fabric::Mpi => Some("mpirun"),
        Fabric::Shmem => Some("shmemrun"),
    }
}

/// Whether a job of this fabric reaches other nodes.
pub fn is_between_nodes(fabric: Fabric) -> bool {
    launcher(fabric).is_some()
}

/// A job of `images` images, by the launcher of its fabric.
pub fn by_launcher(own: Command, fabric: Fabric, images: usize) -> Command {
    let Some(launcher) = launcher(fabric) else {
        return own;
    };
    let mut command = start(launcher, own.get_program(), images);
    command.args(own.get_args());
    for (name, value) in own.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
        // The launcher sets their number, and binds them.
        .env_remove("COARRAY_IMAGES")
        .env_remove("COARRAY_BIND")
        // As the programs in C, which call `MPI_Init`: Open MPI is slower if it is to serve several threads.
        .env("COARRAY_MPI_THREADS", "single");
    command
}
