//! Why coarrays and corefs stay on the thread of their image.

use std::convert::Infallible;

/// Implemented for nothing: the condition under which coarrays and corefs would be `Send` and `Sync`.
///
/// Without it the compiler would explain by private fields why they are not; this gives a reason that helps.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "coarrays, their guards and places on images stay on the thread of their image",
    label = "another thread would use one",
    note = "a thread can borrow the values of a closed or published coarray: `let values = &*x;`",
    note = "puts and gets are up to the image itself: threads that it spawns are not images"
)]
pub trait LeavesItsThread: sealed::Sealed {
    /// Rules out `dyn LeavesItsThread`, which would implement it.
    const NEVER: Infallible;
}

mod sealed {
    pub trait Sealed {}
}
