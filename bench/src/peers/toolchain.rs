//! Compilers and launchers of the peers, all over Open MPI: C with MPI or OpenSHMEM, and coarrays in Fortran.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build_dir::BuildDir;
use super::{BUSY, PeerError, fortran};
use crate::runner::fit;

/// A compiler, and the launcher of its programs, which is Open MPI's.
#[derive(Debug)]
pub struct Toolchain {
    pub folder: &'static str,
    compiler: &'static str,
    language: Language,
    launcher: &'static str,
    advice: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy, Debug)]
enum Language {
    C,
    Fortran,
}

/// How to get Open MPI; OpenSHMEM is in it.
const OPEN_MPI: &str = "on Debian, install openmpi-bin libopenmpi-dev";

/// How to get coarrays in Fortran.
const OPEN_COARRAYS: &str =
    "on Debian, install gfortran libcoarrays-openmpi-dev openmpi-bin libopenmpi-dev";

/// Two-sided and collective MPI.
pub const MPI: Toolchain = Toolchain {
    folder: "mpi",
    compiler: "mpicc",
    language: Language::C,
    launcher: "mpirun",
    advice: OPEN_MPI,
    environment: &[],
};

/// One-sided MPI.
pub const MPI_RMA: Toolchain = Toolchain {
    folder: "mpi_rma",
    // With this component, compare and swap crashes in Open MPI 4.1. The one for shared memory is faster as well.
    environment: &[("OMPI_MCA_osc", "^rdma")],
    ..MPI
};

/// OpenSHMEM.
pub const SHMEM: Toolchain = Toolchain {
    folder: "shmem",
    compiler: "shmemcc",
    launcher: "shmemrun",
    // Open MPI 4.1 crashes in shmem_finalize with this component, which OpenSHMEM does not use.
    environment: &[("OMPI_MCA_osc", "^rdma")],
    ..MPI
};

/// Coarrays in Fortran.
pub const CAF: Toolchain = Toolchain {
    folder: "caf",
    compiler: "mpif90",
    language: Language::Fortran,
    advice: OPEN_COARRAYS,
    ..MPI
};

impl Toolchain {
    fn version_of(&self, program: &'static str) -> Result<String, PeerError> {
        let missing = || PeerError::Missing {
            program,
            advice: self.advice,
        };
        let output = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|_| missing())?;
        // Wrappers such as mpif90 exist even if their compiler does not.
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(missing())
        }
    }
}

impl Toolchain {
    /// The versions of launcher and compiler.
    ///
    /// # Errors
    /// If one is missing, or another implementation.
    pub fn versions(&self) -> Result<String, PeerError> {
        let launcher = self.version_of(self.launcher)?;
        if !launcher.contains("Open MPI") && !launcher.contains("OpenRTE") {
            return Err(PeerError::Other {
                program: self.launcher,
                advice: self.advice,
            });
        }
        let compiler = self.version_of(self.compiler)?;
        if matches!(self.language, Language::Fortran) && !has_library(self.compiler) {
            return Err(PeerError::Missing {
                program: CAF_LIBRARY,
                advice: self.advice,
            });
        }
        Ok(launcher + &compiler)
    }

    /// Compiles a program, unless that is done; none if the peer has no such program.
    ///
    /// # Errors
    /// The message of the compiler.
    pub fn build(&self, build_dir: &BuildDir, program: &str) -> Result<Option<PathBuf>, PeerError> {
        let mut compiler = Command::new(self.compiler);
        let files = match self.language {
            Language::C => {
                let file = format!("{program}.c");
                compiler.args(["-std=c11", "-O3"]);
                build_dir.source(&file).map(|_| vec![file])
            }
            Language::Fortran => {
                compiler.args(["-O3", "-fcoarray=lib"]);
                fortran::files(program, |file| build_dir.source(file))
            }
        };
        let Some(files) = files else {
            return Ok(None);
        };
        let command = |output: &Path| {
            compiler.args(files).arg("-o").arg(output);
            match self.language {
                Language::C => compiler.arg("-lm"),
                Language::Fortran => compiler.arg("-lcaf_openmpi"),
            };
            compiler
        };
        build_dir.compile(program, command).map(Some)
    }

    /// The command that runs a program in `processes` processes, each bound to a core if there are enough.
    pub fn command(&self, file: &Path, program: &str, processes: usize) -> Command {
        let mut command = if program == BUSY {
            let mut command = start_anywhere(self.launcher, file, processes);
            // By default it does so only where it knows that processes share cores.
            command.env("OMPI_MCA_mpi_yield_when_idle", "1");
            command
        } else {
            start(self.launcher, file, processes)
        };
        command.envs(self.environment.iter().copied());
        command
    }
}

/// Makes Open MPI's launcher start processes of a program, each bound to a core if there are enough.
pub fn start(launcher: &str, program: impl AsRef<OsStr>, processes: usize) -> Command {
    let bind = if fit(processes) {
        ["--bind-to", "core"].as_slice()
    } else {
        ANYWHERE
    };
    start_with(launcher, bind, program, processes)
}

/// Options for processes on any core, however many they are.
const ANYWHERE: &[&str] = &["--oversubscribe", "--bind-to", "none"];

fn start_anywhere(launcher: &str, program: impl AsRef<OsStr>, processes: usize) -> Command {
    start_with(launcher, ANYWHERE, program, processes)
}

fn start_with(
    launcher: &str,
    options: &[&str],
    program: impl AsRef<OsStr>,
    processes: usize,
) -> Command {
    let mut command = Command::new(launcher);
    command.args(["-n", &processes.to_string()]);
    command
        .args(options)
        .arg(program)
        .stderr(Stdio::piped())
        // Open MPI asks twice whether root means it.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// OpenCoarrays over Open MPI, as Debian calls the file.
const CAF_LIBRARY: &str = "libcaf_openmpi";

/// Whether the compiler finds OpenCoarrays; without it, it would compile, but not link.
fn has_library(compiler: &str) -> bool {
    ["a", "so"].iter().any(|suffix| {
        let file = format!("{CAF_LIBRARY}.{suffix}");
        let found = Command::new(compiler)
            .arg(format!("-print-file-name={file}"))
            .stdin(Stdio::null())
            .output();
        // It echoes the name of a file that it does not find.
        found.is_ok_and(|found| String::from_utf8_lossy(&found.stdout).trim() != file)
    })
}
