//! What a process manager (`mpirun`, `mpiexec`, `srun`) tells the processes that it has started, by their environment.

#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod pmi;
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod pmix;

use std::env;

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

/// The variable by which a launcher has made itself known to this process.
pub fn mark() -> Option<&'static str> {
    MARKS.into_iter().find(|mark| env::var_os(mark).is_some())
}

/// Asks the process manager that has started this process, if one has, to end all processes of the job.
pub fn ask_to_abort(code: u8) {
    #[cfg(any(feature = "mpi", feature = "shmem"))]
    pmi::ask_to_abort(code);
    #[cfg(not(any(feature = "mpi", feature = "shmem")))]
    let _ = code;
}

/// The variables in which they say which process this is.
const RANKS: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
];

/// Whether a launcher has started this process as another than the first.
pub fn is_not_the_first() -> bool {
    let rank = |name| env::var(name).ok()?.parse::<usize>().ok();
    mark().is_some()
        && RANKS
            .into_iter()
            .find_map(rank)
            .is_some_and(|rank| rank > 0)
}

/// How many images are on this machine, as far as the launcher says.
pub fn local_peers() -> Option<usize> {
    let number = |name| env::var(name).ok()?.parse().ok();
    NEIGHBOURS.into_iter().find_map(number)
}
