//! Crashes and hangs of known libraries at the end of programs.

use std::env;

/// Whether [`shmem_finalize`](crate::shmem_finalize) may wait for ever in programs that have made contexts.
///
/// In Open MPI 4.1 over UCX it ends the connections of each context, destroyed or not. While it waits for that, it
/// makes no progress for other processes, which may need it. Over TCP many programs hang then, some always; over shared
/// memory none was seen to hang. Other networks were not tried.
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

/// Local. Sets the environment so that a library with a known crash avoids it. Call it before `shmem_init`.
///
/// Open MPI 4.1 as Debian builds it crashes in `shmem_finalize` if its component `osc/rdma` was loaded while its hooks
/// in the memory functions (`memory/patcher`) were in place. `OMPI_MCA_osc=^rdma` leaves the component out, which
/// OpenSHMEM does not use. Where the user has set that variable, `OMPI_MCA_memory=^patcher` leaves the hooks out; where
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
        // SAFETY: no other thread reads or writes the environment: the caller vouches for it, as the contract says.
        unsafe { env::set_var(variable, value) }
    }
}
