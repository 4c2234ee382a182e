//! Asynchronous operations on coatomics that take effect late, as the schedule of an explored job says.

use std::panic::Location;
use std::sync::{Arc, OnceLock};

use coarray_coref::{Cofuture, Remote};
use coarray_runtime::issue_noted;

use crate::coatomic::{Coatomic, count};

/// An operation that takes effect once: on the thread that has it take effect, or that of its image.
struct Late<T: Remote, F> {
    coatomic: *const Coatomic<T>,
    by_instruction: F,
    old: OnceLock<T>,
}

// SAFETY: the coatomic is one of a job whose images are threads, so any of them may operate on it. Values that travel between images may be at any
// thread; and `by_instruction` is made of such values alone, as `delay` asks.
unsafe impl<T: Remote, F> Send for Late<T, F> {}

// SAFETY: as above; `OnceLock` has one thread at a time call `by_instruction`.
unsafe impl<T: Remote, F> Sync for Late<T, F> {}

impl<T: Remote, F: Fn(&T::Cell) -> T> Late<T, F> {
    /// Has it take effect, if it has not. Returns the old value.
    fn take_effect(&self) -> T {
        *self.old.get_or_init(|| {
            // SAFETY: the coatomic is there until its image has completed the operation, as `delay` was promised.
            (self.by_instruction)(&unsafe { &*self.coatomic }.cell)
        })
    }
}

/// Keeps an operation on a coatomic in flight, if the schedule of the job has it late.
///
/// # Safety
/// The coatomic is in memory of a job, mapped until this image, which lives as long as `'a`, has completed its operations. `by_instruction` has nothing but
/// values of `T`.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn delay<'a, T: Remote>(
    coatomic: *const Coatomic<T>,
    changes: bool,
    is_awaited: bool,
    by_instruction: impl Fn(&T::Cell) -> T + 'static,
) -> Option<Cofuture<'a, T>> {
    let (address, bytes) = (coatomic.addr(), size_of::<T>());
    let late = Arc::new(Late {
        coatomic,
        by_instruction,
        old: OnceLock::new(),
    });
    let carry_out = || -> Box<dyn FnOnce() + Send> {
        let late = Arc::clone(&late);
        Box::new(move || _ = late.take_effect())
    };
    let kind = (changes, is_awaited);
    let issued = issue_noted(address, bytes, kind, Location::caller(), carry_out)?;
    count(address, bytes, 1);
    Some(Cofuture::issued(issued, move |_| late.take_effect()))
}
