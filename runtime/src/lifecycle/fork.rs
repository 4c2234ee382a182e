//! Processes that a program forks from an image without `exec`.
//!
//! They are copies of the image without its memory: they do not inherit the heaps (`mapping.rs`), so no two processes
//! are one image. Calls of the library find that they are no image, and they end where the image would enter a barrier.

use std::process;
use std::sync::Once;

use crate::image::current::forget_current;
use crate::waiting::changed;
use coarray_fabric::transport::handle;

/// Makes processes that this one forks from now on forget that they are copies of an image.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler is a function of this program, which is never unloaded. The call fails only without
        // memory for one more handler; then a copy dies of the first access to the heap.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    });
}

/// Runs in each new process before its program goes on. It neither allocates nor locks.
extern "C" fn forget() {
    // SAFETY: no operation is in progress, because the program called `fork`. The copy is no image from here on, so it
    // begins none.
    unsafe { handle::remove() };
    forget_current();
    changed::forget();
}

/// Ends this process if it is a forked copy of an image.
pub(crate) fn end_copy(original: u32, code: i32) {
    if process::id() != original {
        process::exit(code);
    }
}
