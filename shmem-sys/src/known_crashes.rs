//! Crashes of libraries in use that a setting prevents.

use std::env;

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
