//! What goes wrong at the end of programs with libraries in use.

use std::env;

/// Whether [`shmem_finalize`](crate::shmem_finalize) may wait for ever in programs that have made contexts.
///
/// That of Open MPI 4.1 over UCX ends the connections of each context, destroyed or not, and while it waits for that helps no other process,
/// which may wait for its help. Over TCP many programs hang then, some always; over shared memory none was seen to. What other
/// networks do is not known.
///
/// # Examples
/// ```
/// let contexts = if shmem_sys::FINALIZE_MAY_HANG_WITH_CONTEXTS { 0 } else { 4 };
/// # let _ = contexts;
/// ```
///
/// # Source
/// Its own. A crash and a hang with contexts in an older version: issue 6682 of Open MPI.
pub const FINALIZE_MAY_HANG_WITH_CONTEXTS: bool = cfg!(shmem_progress);

/// Local. Sets the environment so that a library with a known crash does not meet it. Call it before `shmem_init`.
///
/// Open MPI 4.1 as Debian builds it crashes in `shmem_finalize` if its component `osc/rdma` was loaded while its hooks in
/// the memory functions (`memory/patcher`) were in place. `OMPI_MCA_osc=^rdma` leaves the component out, which OpenSHMEM
/// does not use. Where the user has chosen components with that variable, `OMPI_MCA_memory=^patcher` leaves the hooks out; where
/// both variables are set, they stay. No other library reads them.
///
/// # Safety
/// No other thread reads or writes the environment meanwhile; see [`env::set_var`].
///
/// # Examples
/// ```
/// // SAFETY: there is no other thread yet.
/// unsafe { shmem_sys::work_around_known_crashes() };
/// assert!(std::env::var("OMPI_MCA_osc").is_ok());
/// ```
///
/// # Source
/// Its own.
pub unsafe fn work_around_known_crashes() {
    let remedies = [("OMPI_MCA_osc", "^rdma"), ("OMPI_MCA_memory", "^patcher")];
    let free = remedies
        .into_iter()
        .find(|(variable, _)| env::var_os(variable).is_none());
    if let Some((variable, value)) = free {
        // SAFETY: the caller vouches for the other threads.
        unsafe { env::set_var(variable, value) }
    }
}
