//! The end of a process that does not come to the end of its job.
//!
//! The library has an exit handler, which waits for the other processes, or hides the exit code. One that runs before it ends
//! the job instead, with the code that the process exits with.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use shmem_sys::shmem_global_exit;

/// Whether the library is running, so that it must be told of the end.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    /// Of the GNU C library and those that follow it.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

extern "C" fn end_job(code: c_int, _: *mut c_void) {
    if IS_RUNNING.swap(false, Ordering::Relaxed) {
        if code == 0 {
            eprintln!(
                "coarray: an image exited before the end of the program: return from main instead"
            );
        }
        // SAFETY: the library runs.
        unsafe { shmem_global_exit(if code == 0 { 1 } else { code }) }
    }
}

/// Starts the library, which catches these signals and goes on: whoever is told to end by one does so, or does what the program
/// wants, if that has installed a handler before.
pub(super) fn keep_mortal<R>(start: impl FnOnce() -> R) -> R {
    const REQUESTS: [c_int; 2] = [libc::SIGHUP, libc::SIGTERM];
    let before = REQUESTS.map(|signal| {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: asks only; zeroed bytes are an action. It cannot fail for these signals.
        unsafe {
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            action.assume_init()
        }
    });
    let result = start();
    for (signal, action) in REQUESTS.into_iter().zip(before) {
        // SAFETY: what was installed before, by whoever vouched for it.
        unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
    }
    result
}

/// To be called once the library has started.
pub(super) fn watch() {
    IS_RUNNING.store(true, Ordering::Relaxed);
    // SAFETY: `end_job` is a function of the program, which stays where it is; it does not unwind, and uses no argument.
    unsafe { on_exit(end_job, ptr::null_mut()) };
}

/// To be called before the library ends.
pub(super) fn forget() {
    IS_RUNNING.store(false, Ordering::Relaxed);
}
