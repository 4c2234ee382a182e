//! What carries the images, and how a program is started on it.

use std::io;
use std::process::Command;

use crate::conductor::{self, Effort};
use crate::options::{Fabric, Task};
use crate::peers::start;

/// An engine whose images are processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Shared memory of one machine.
    Processes,
    /// One-sided MPI.
    Mpi,
    /// OpenSHMEM.
    Shmem,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Processes, Self::Mpi, Self::Shmem];

    /// As `COARRAY_FABRIC` says it; the feature that it needs has the same name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Mpi => "mpi",
            Self::Shmem => "shmem",
        }
    }

    /// Whether this program can use it.
    pub fn is_built_in(self) -> bool {
        match self {
            Self::Processes => true,
            Self::Mpi => cfg!(feature = "mpi"),
            Self::Shmem => cfg!(feature = "shmem"),
        }
    }

    /// What starts the processes; none if the program does so itself.
    fn launcher(self) -> Option<&'static str> {
        match self {
            Self::Processes => None,
            Self::Mpi => Some("mpirun"),
            Self::Shmem => Some("shmemrun"),
        }
    }

    /// This program once more, as a job on the engine that measures operations alone.
    ///
    /// # Errors
    /// If this program does not find itself.
    pub fn job(
        self,
        is_direct: bool,
        images: usize,
        only: &[String],
        effort: Effort,
    ) -> io::Result<Command> {
        let own = conductor::job(Task::Alone(images), images, Fabric::Processes, only, effort)?;
        let mut command = match self.launcher() {
            None => own,
            Some(launcher) => {
                let mut command = start(launcher, own.get_program(), images);
                command
                    .args(own.get_args())
                    // The launcher says how many there are, and binds them.
                    .env_remove("COARRAY_IMAGES")
                    .env_remove("COARRAY_BIND")
                    .env("COARRAY_FABRIC", self.name())
                    .env("COARRAY_LABEL", "0");
                command
            }
        };
        command.env("COARRAY_SHARED_MEMORY", if is_direct { "1" } else { "0" });
        Ok(command)
    }
}
