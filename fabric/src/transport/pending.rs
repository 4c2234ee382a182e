//! Whether an image has issued operations that may not be complete.

use std::cell::Cell;

use crate::transport::handle;

thread_local! {
    static PENDING: Cell<u8> = const { Cell::new(0) };
}

/// What may not be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Pending {
    /// Operations of the fabric.
    Issued = 1,
    /// What other images were told to do, other than to post events.
    Unacked = 2,
    /// Posts of events on other nodes.
    Posts = 4,
}

/// Whether the image of this thread has issued operations that may not be complete.
#[inline]
#[must_use]
pub fn has_outstanding() -> bool {
    is_pending(Pending::Issued)
}

/// Whether all but this, as far as it is given, is complete.
#[inline]
#[must_use]
pub fn is_complete_but(pending: Pending) -> bool {
    PENDING.get() & !(pending as u8) == 0
}

/// Whether all that the image of this thread has issued, and told others to do, is complete.
#[inline]
#[must_use]
pub fn is_complete() -> bool {
    PENDING.get() == 0
}

/// Whether this is not complete.
#[inline]
#[must_use]
pub fn is_pending(pending: Pending) -> bool {
    PENDING.get() & pending as u8 != 0
}

/// To be told by the image's fabric whenever it changes.
#[cold]
#[inline(never)]
pub(crate) fn note_outstanding(has_outstanding: bool) {
    // SAFETY: fabrics tell what is so.
    unsafe { note_pending(Pending::Issued, has_outstanding) };
}

/// Notes whether this is complete.
///
/// # Safety
/// It is so: what is complete is waited for no more, and the memory that it used goes back to its owners.
#[inline]
pub unsafe fn note_pending(pending: Pending, is_pending: bool) {
    let others = PENDING.get() & !(pending as u8);
    let now = others | if is_pending { pending as u8 } else { 0 };
    PENDING.set(now);
    handle::note_only_issued(now == Pending::Issued as u8);
}
