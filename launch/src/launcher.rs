//! The launchers of MPI and OpenSHMEM: what a process that one of them started checks, and starting one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
#[cfg(any(feature = "mpi", feature = "shmem"))]
use std::rc::Rc;

#[cfg(any(feature = "mpi", feature = "shmem"))]
use crate::cluster::{StartWatch, watch_start};
use crate::processes::environment;
use crate::startup::ProgramError;
use coarray_fabric::system::process_manager::mark;
#[cfg(any(feature = "mpi", feature = "shmem"))]
use coarray_fabric::transport::cluster::Cluster;
use coarray_runtime::{FabricKind, Settings};

/// Starts the fabric of the settings, and the watch over the start.
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) fn start(settings: &Settings) -> Result<(Rc<dyn Cluster>, StartWatch), String> {
    let images = settings.images;
    let mut watch = None;
    let initialized = |image| watch = watch_start(image, settings);
    let cluster: Rc<dyn Cluster> = match settings.fabric {
        #[cfg(feature = "mpi")]
        // SAFETY: `launch` calls this once in a process, and below every collective call is made by all.
        FabricKind::Mpi => unsafe { coarray_fabric::transport::mpi::start(initialized)? },
        #[cfg(feature = "shmem")]
        // SAFETY: as for MPI.
        FabricKind::Shmem => unsafe {
            coarray_fabric::transport::shmem::start(settings.heap, initialized)?
        },
        _ => unreachable!("{images} images have another fabric"),
    };
    check_size(settings.fabric, cluster.images())?;
    Ok((cluster, watch))
}

/// The variables in which they say how many processes they have started.
#[cfg(any(feature = "mpi", feature = "shmem"))]
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// # Errors
/// If a fabric knows of one process where the launcher has started several: several jobs of one image would run, each taking
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

/// Set for a program that was started in this way, lest it starts a launcher whose mark is not known here again.
pub(crate) const LAUNCHED: &str = "COARRAY_LAUNCHED";

/// Whether a program with this fabric was started plainly, so that a launcher has to start its images.
pub(crate) fn is_missing(fabric: FabricKind) -> bool {
    let is_of_clusters = matches!(fabric, FabricKind::Mpi | FabricKind::Shmem);
    is_of_clusters && mark().is_none() && !was_started_here()
}

/// Whether the launcher was itself started by [`become_launcher`].
pub(crate) fn was_started_here() -> bool {
    env::var_os(LAUNCHED).is_some()
}

/// The variable that names the launcher, if it is another than the usual one.
const COMMAND: &str = "COARRAY_LAUNCHER";

/// # Errors
/// If what should name the launcher says yes or no. Some such words are commands, too, such as `/bin/false`, which start nothing and
/// say nothing.
pub(crate) fn check_name() -> Result<(), String> {
    match env::var(COMMAND) {
        Ok(name) if is_answer(&name) => Err(format!(
            "{COMMAND}={name}: no launcher; it is the command that starts the images, such as mpirun, and COARRAY_FABRIC=processes needs none"
        )),
        _ => Ok(()),
    }
}

fn is_answer(command: &str) -> bool {
    let answers = ["0", "1", "true", "false", "yes", "no", "on", "off"];
    let word = command.trim().rsplit('/').next().unwrap_or_default();
    answers
        .iter()
        .any(|answer| word.eq_ignore_ascii_case(answer))
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
    let command = env::var_os(COMMAND).unwrap_or_else(|| usual.into());
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

    #[test]
    fn an_answer_is_no_launcher() {
        assert!(is_answer("false") && is_answer("No "));
        assert!(is_answer("/bin/false") && !is_answer("/usr/bin/mpirun"));
        assert!(!is_answer("mpirun") && !is_answer("mpirun --oversubscribe"));
    }
}
