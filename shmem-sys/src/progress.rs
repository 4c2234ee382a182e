//! Progress of the library's communication.

/// Local. Lets the library make progress with the operations of this process and of others, and returns at once.
///
/// Many networks need the help of the process whose memory they reach: the library helps in every call that waits. A
/// process that polls its memory must call something, too. By the specification that can be `test`; but Open MPI's
/// `test`, at least up to 4.1, makes no progress. There this function calls the one by which the library itself makes
/// progress. With other libraries it does nothing.
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
        // SAFETY: the function has no arguments, and the caller vouches that its library is started.
        unsafe { opal_progress() }
    }
}
