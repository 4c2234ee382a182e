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
    /// Signals of the fabric.
    Signals = 2,
    /// Signals that the image gives when puts have arrived.
    Notices = 4,
    /// No operation: the image notes what it tells others, before it does. So it takes the way of one that has something to complete.
    Notes = 8,
}

/// Whether the image of this thread has issued operations that may not be complete.
#[inline]
#[must_use]
pub fn has_outstanding() -> bool {
    is_pending(Pending::Issued)
}

/// Whether it has, or notes what it tells others.
#[inline]
#[must_use]
pub fn has_outstanding_or_notes() -> bool {
    PENDING.get() & (Pending::Issued as u8 | Pending::Notes as u8) != 0
}

/// Whether it notes what it tells others.
#[inline]
#[must_use]
pub fn has_notes() -> bool {
    is_pending(Pending::Notes)
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

/// Whether a fabric has operations that may not be complete. Each has one, and the layers above learn of changes in it.
#[derive(Debug, Default)]
pub struct Outstanding(Cell<bool>);

impl Outstanding {
    /// Whether operations may not be complete.
    #[inline]
    #[must_use]
    pub fn get(&self) -> bool {
        self.0.get()
    }

    /// Notes that operations may not be complete from now on. To be called on the thread of the image.
    #[inline]
    pub fn begin(&self) {
        if !self.0.replace(true) {
            note_issued(true);
        }
    }

    /// Notes that all operations are complete.
    ///
    /// # Safety
    /// They are: what is complete is waited for no more, and the memory that it used goes back to its owners.
    #[inline]
    pub unsafe fn end(&self) {
        if self.0.replace(false) {
            note_issued(false);
        }
    }
}

#[cold]
#[inline(never)]
fn note_issued(any: bool) {
    // SAFETY: `Outstanding::end` was promised that all are complete; that some may not be is always true.
    unsafe { note_pending(Pending::Issued, any) };
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
