//! Processes that a program forks from an image, without starting a program of their own.
//!
//! They are copies of the image in all but its memory: the heaps are not passed on (`mapping.rs`), so that no two processes can be
//! one image. What they call of the library says that they are none, and they end where the image would meet the others.

use std::process;
use std::sync::Once;

use crate::image::current::forget_current;
use coarray_fabric::transport::handle;

/// Has processes that this one forks from now on forget that they are copies of an image.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler is a function of this program, which is never unloaded. Without memory for one more handler,
        // which is all that can go wrong, a copy dies of the first access to the heap.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    });
}

/// Runs in each new process before its program goes on. It neither allocates nor locks.
extern "C" fn forget() {
    // SAFETY: the copy forgets that it is an image, so that it begins no operation; none is in progress, as `fork` was called.
    unsafe { handle::remove() };
    forget_current();
}

/// Ends this process if it is none that was an image at its start, but a copy.
pub(crate) fn end_copy(original: u32, code: i32) {
    if process::id() != original {
        process::exit(code);
    }
}
