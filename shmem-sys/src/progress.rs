//! Letting the library go on.

/// Local. Lets the library go on with what this process and others have under way, and returns at once.
///
/// Many networks have no way to another process's memory without its help: the library helps in every call that waits. A
/// process that waits by looking at its memory must call something, too. By the specification that can be `test`; Open
/// MPI's, up to 4.1 at least, only looks, and there this calls the function that the library itself waits with. With other libraries
/// it does nothing.
///
/// # Safety
/// The library is started, for the use of threads that this call is a part of.
///
/// # Examples
/// Waiting for a word that another process writes, without a call of the library that waits:
/// ```no_run
/// use shmem_sys::{make_progress, shmem_init};
///
/// /// # Safety
/// /// The library is started, and `word` is symmetric.
/// unsafe fn wait_for(word: *const i64, value: i64) {
///     // SAFETY: as promised above.
///     while unsafe { word.read_volatile() } != value {
///         // SAFETY: as promised above.
///         unsafe { make_progress() };
///     }
/// }
/// # let _ = (shmem_init as unsafe extern "C" fn(), wait_for as unsafe fn(*const i64, i64));
/// ```
///
/// # Source
/// `opal_progress` of Open MPI; OpenSHMEM 1.4, 9.9, lets `shmem_test` do this.
#[inline]
pub unsafe fn make_progress() {
    #[cfg(shmem_progress)]
    {
        unsafe extern "C" {
            fn opal_progress();
        }
        // SAFETY: without arguments, and the library that it belongs to is started.
        unsafe { opal_progress() }
    }
}
