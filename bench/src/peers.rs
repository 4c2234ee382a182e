//! The same operations in other languages and libraries.
//!
//! A peer's program lies in `bench/peers/`, is compiled with the peer's compiler into a folder beside this program,
//! and prints lines as a [job](crate::job) does.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use thiserror::Error;

use crate::conductor::fit;
use crate::stopwatch::batch;

/// Something to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// C with MPI.
    Mpi,
}

/// Why a peer cannot be measured.
#[derive(Debug, Error)]
pub enum PeerError {
    /// It is not there.
    #[error("there is no {program}; on Debian, install {packages}")]
    Missing {
        /// What was looked for.
        program: &'static str,
        /// What has it.
        packages: &'static str,
    },
    /// Another implementation, which is started in another way.
    #[error("mpirun is not Open MPI's; on Debian, install {0}")]
    Other(&'static str),
    /// Its compiler refuses our program.
    #[error("cannot compile {}: {reason}", source_file.display())]
    Compile {
        /// Our program.
        source_file: PathBuf,
        /// What the compiler says.
        reason: String,
    },
    /// The program has no place to be.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What Debian calls Open MPI.
const MPI_PACKAGES: &str = "openmpi-bin libopenmpi-dev";

/// The program of the peer MPI, and what it includes.
const MPI_SOURCES: [(&str, &str); 6] = [
    ("batches.h", include_str!("../peers/batches.h")),
    (
        "mpi/operations.c",
        include_str!("../peers/mpi/operations.c"),
    ),
    (
        "mpi/collectives.h",
        include_str!("../peers/mpi/collectives.h"),
    ),
    ("mpi/messages.h", include_str!("../peers/mpi/messages.h")),
    ("mpi/process.h", include_str!("../peers/mpi/process.h")),
    ("mpi/world.h", include_str!("../peers/mpi/world.h")),
];

impl Peer {
    /// All peers.
    pub const ALL: [Self; 1] = [Self::Mpi];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mpi => "mpi",
        }
    }

    /// What samples of how many times as long it takes are filed under.
    pub fn speedup(self) -> &'static str {
        match self {
            Self::Mpi => "mpi speedup",
        }
    }
}

/// A peer whose program is ready to run.
#[derive(Debug)]
pub struct Installed {
    /// Which one.
    pub peer: Peer,
    /// What it calls itself, as soon as it has run.
    pub title: String,
    program: PathBuf,
}

impl Installed {
    /// Looks for a peer and compiles its program.
    ///
    /// # Errors
    /// If anything is missing, with what to install.
    pub fn find(peer: Peer) -> Result<Self, PeerError> {
        match peer {
            Peer::Mpi => Ok(Self {
                peer,
                title: peer.name().to_owned(),
                program: compile_mpi()?,
            }),
        }
    }

    /// The command that measures so many images, bound to cores of their own if these suffice.
    pub fn program(&self, images: usize, only: &[String], budget: Duration) -> Command {
        match self.peer {
            Peer::Mpi => {
                let mut command = Command::new("mpirun");
                command.args(["-n", &images.to_string()]);
                command.args(if fit(images) {
                    ["--bind-to", "core"].as_slice()
                } else {
                    ["--oversubscribe", "--bind-to", "none"].as_slice()
                });
                command
                    .arg(&self.program)
                    .arg(budget.as_millis().to_string())
                    .arg(batch(!fit(images)).as_micros().to_string())
                    .args(only)
                    // Open MPI asks twice whether root means it.
                    .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                    .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                command
            }
        }
    }
}

fn compile_mpi() -> Result<PathBuf, PeerError> {
    let version = output(Command::new("mpirun").arg("--version"), "mpirun")?;
    if !String::from_utf8_lossy(&version.stdout).contains("Open MPI") {
        return Err(PeerError::Other(MPI_PACKAGES));
    }
    let write = |file: &Path, source| PeerError::Write {
        file: file.to_owned(),
        source,
    };
    let folder = std::env::current_exe()
        .map_err(|error| write(Path::new("peers"), error))?
        .with_file_name("peers");
    std::fs::create_dir_all(&folder).map_err(|error| write(&folder, error))?;
    // Several of us may be at it at the same time: names of our own, then renamed in one step.
    let own = folder.join(format!("operations-{}", std::process::id()));
    let (source_file, compiled) = (own.join("mpi/operations.c"), own.join("operations"));
    std::fs::create_dir_all(own.join("mpi")).map_err(|error| write(&own, error))?;
    for (name, text) in MPI_SOURCES {
        let file = own.join(name);
        std::fs::write(&file, text).map_err(|error| write(&file, error))?;
    }
    let mut compiler = Command::new("mpicc");
    compiler
        .args(["-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&compiled, &source_file]);
    let outcome = output(&mut compiler, "mpicc");
    let program = folder.join("operations");
    let moved = std::fs::rename(&compiled, &program);
    // Only a copy of what is in this program.
    let _ = std::fs::remove_dir_all(&own);
    let outcome = outcome?;
    if !outcome.status.success() {
        let reason = String::from_utf8_lossy(&outcome.stderr).trim().to_owned();
        return Err(PeerError::Compile {
            source_file,
            reason,
        });
    }
    moved.map_err(|error| write(&program, error))?;
    Ok(program)
}

fn output(command: &mut Command, program: &'static str) -> Result<Output, PeerError> {
    command
        .stdin(Stdio::null())
        .output()
        .map_err(|_| PeerError::Missing {
            program,
            packages: MPI_PACKAGES,
        })
}
