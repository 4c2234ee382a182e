//! The launchers of MPI and OpenSHMEM: noticing that one of them started this process, and starting one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::launch::processes::environment;
use crate::launch::settings::{FabricKind, Settings};
use crate::launch::startup::ProgramError;

/// The variables by which launchers tell each process that it is one of several: Open MPI and its OpenSHMEM, SLURM and
/// others by PMIx, MPICH and SLURM by PMI. And that in which they say how many processes are on this machine.
const MARKS: [&str; 4] = [
    "OMPI_COMM_WORLD_SIZE",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_STEP_ID",
];

const NEIGHBOURS: [&str; 3] = [
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "SLURM_NTASKS_PER_NODE",
];

/// The variables in which they say how many processes they have started.
#[cfg(any(feature = "mpi", feature = "shmem"))]
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// The variable by which a launcher has made itself known to this process.
pub(crate) fn mark() -> Option<&'static str> {
    MARKS.into_iter().find(|mark| env::var_os(mark).is_some())
}

/// The variables in which they say which process this is.
const RANKS: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
];

/// Whether a launcher has started this process as another than the first.
pub(crate) fn is_not_the_first() -> bool {
    let rank = |name| env::var(name).ok()?.parse::<usize>().ok();
    mark().is_some()
        && RANKS
            .into_iter()
            .find_map(rank)
            .is_some_and(|rank| rank > 0)
}

/// How many images are on this machine, as far as the launcher says.
pub(crate) fn neighbours() -> Option<usize> {
    let number = |name| env::var(name).ok()?.parse().ok();
    NEIGHBOURS.into_iter().find_map(number)
}

/// # Errors
/// If an engine knows of one process where the launcher has started several: so many jobs of one image would run, each taking
/// itself for all.
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) fn check_size(fabric: FabricKind, images: usize) -> Result<(), String> {
    let said = SIZES.into_iter().find_map(|name| {
        let size: usize = env::var(name).ok()?.parse().ok()?;
        Some((name, size))
    });
    match said {
        Some((name, size)) if images == 1 && size > 1 => Err(format!(
            "the launcher has started {size} processes ({name}={size}), but the installed {} that this program uses knows of one \
             only: start it by the launcher of that library, such as mpirun for Open MPI, mpiexec.hydra for MPICH, or \
             srun --mpi=pmix (srun --mpi=list names what there is)",
            match fabric {
                FabricKind::Shmem => "OpenSHMEM",
                _ => "MPI",
            }
        )),
        _ => Ok(()),
    }
}

/// Whether this program can be on an engine.
pub(crate) fn is_built_in(fabric: FabricKind) -> bool {
    match fabric {
        FabricKind::Processes | FabricKind::Threads => true,
        FabricKind::Mpi => cfg!(feature = "mpi"),
        FabricKind::Shmem => cfg!(feature = "shmem"),
    }
}

/// The engine of a program that a launcher has started and that is told no other: the one it was built with.
pub(crate) fn engine() -> Option<FabricKind> {
    [FabricKind::Mpi, FabricKind::Shmem]
        .into_iter()
        .find(|&fabric| is_built_in(fabric))
}

/// Set for a program that was started in this way, lest it starts a launcher whose mark is not known here again.
pub(crate) const LAUNCHED: &str = "COARRAY_LAUNCHED";

/// Whether a program with this engine was started plainly, so that a launcher has to start its images.
pub(crate) fn is_missing(fabric: FabricKind) -> bool {
    let is_of_clusters = matches!(fabric, FabricKind::Mpi | FabricKind::Shmem);
    is_of_clusters && mark().is_none() && !was_started_here()
}

/// Whether the launcher was itself started by [`become_launcher`].
pub(crate) fn was_started_here() -> bool {
    env::var_os(LAUNCHED).is_some()
}

/// A launcher and its options.
fn words(command: &OsStr) -> Vec<OsString> {
    let words = command.as_bytes().split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| OsStr::from_bytes(word).into()).collect()
}

/// Turns this process into the launcher of the installed MPI or OpenSHMEM, which starts the images of a program. Returns
/// only if that is impossible.
pub(crate) fn become_launcher(
    settings: &Settings,
    program: &Path,
    arguments: &[OsString],
) -> ProgramError {
    let usual = match settings.fabric {
        FabricKind::Shmem => "shmemrun",
        _ => "mpirun",
    };
    let command = env::var_os("COARRAY_LAUNCHER").unwrap_or_else(|| usual.into());
    let mut words = words(&command).into_iter();
    let launcher = words.next().unwrap_or_else(|| usual.into());
    let source = Command::new(&launcher)
        .args(words)
        .arg("-n")
        .arg(settings.images.to_string())
        .arg(program)
        .args(arguments)
        .envs(environment(settings))
        .env(LAUNCHED, "1")
        .exec();
    ProgramError {
        program: launcher.into(),
        image: 0,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_may_have_options() {
        assert_eq!(
            words(OsStr::new("mpirun --oversubscribe  -q ")),
            ["mpirun", "--oversubscribe", "-q"]
        );
        assert!(words(OsStr::new(" ")).is_empty());
    }
}
