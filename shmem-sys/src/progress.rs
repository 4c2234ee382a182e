//! Letting the library go on.

/// Lets the library go on with what this process and others have under way, and returns at once.
///
/// Many networks have no way to another process's memory without its help: the library helps in every call that waits. A
/// process that waits by looking at its memory must call something, too. By the specification that can be `test`; Open
/// MPI's, up to 4.1 at least, only looks, and there this calls the function that the library itself waits with. With other libraries
/// it does nothing.
///
/// # Safety
/// The library is started, for the use of threads that this call is a part of.
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
