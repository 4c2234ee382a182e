//! The launchers of MPI and OpenSHMEM.

use std::ffi::OsStr;
use std::process::Command;

/// The command line by which `launcher` starts a program on this many processes. As root, and on fewer cores than processes.
pub fn command(
    launcher: impl AsRef<OsStr>,
    processes: usize,
    program: impl AsRef<OsStr>,
) -> Command {
    let mut command = Command::new(launcher);
    command.args(["-n", &processes.to_string()]).arg(program);
    permit(&mut command);
    command
}

/// The same by the launcher of the MPI library that this process is linked with, given what that says its version is. The job
/// is ended after `seconds`.
pub fn mpi(version: &str, seconds: u32, processes: usize, program: impl AsRef<OsStr>) -> Command {
    let is_open_mpi = version.contains("Open MPI");
    let launcher = if is_open_mpi {
        "mpirun"
    } else {
        "mpiexec.hydra"
    };
    limited(seconds, launcher, processes, program)
}

/// As [`command`], but the job is ended after `seconds`.
pub fn limited(
    seconds: u32,
    launcher: &str,
    processes: usize,
    program: impl AsRef<OsStr>,
) -> Command {
    let mut command = Command::new("timeout");
    command.args([&seconds.to_string(), launcher, "-n", &processes.to_string()]);
    permit(command.arg(program));
    command
}

/// Tells Open MPI's launchers that root may start more processes than there are cores, which are bound to none.
pub fn permit(command: &mut Command) {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none");
}
