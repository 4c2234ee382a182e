//! Critical sections.

use std::panic::Location;
use std::rc::Rc;

use coarray_runtime::{LockError, LockKind, Team};

/// One-sided. Executes `body` while no other image of the current team is in a critical section; returns its result.
///
/// Images that wait enter in the order in which they came. Everything that the images before wrote and put in their critical
/// sections is visible to `body`. All critical sections of a team exclude each other, wherever they are in the
/// program; for unrelated sections use a [`Comutex`](crate::Comutex) each.
///
/// If images wait for each other, for instance in a collective operation in `body`, the job ends with a report. It
/// also ends if an image died in a critical section, in a job that keeps going.
///
/// # Panics
/// If this image is in a critical section of the team already; on a thread that is not an image. If `body`
/// panics, others may enter.
///
/// # Examples
/// ```
/// use coarray_sync::{critical, sync_all};
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// let balance = AtomicU32::new(0); // the images are threads here
/// coarray_launch::run(4, || {
///     critical(|| {
///         let old = balance.load(Relaxed);
///         balance.store(old + 10, Relaxed); // nobody else was in between
///     });
///     sync_all();
///     assert_eq!(balance.load(Relaxed), 40);
/// });
/// ```
///
/// # Source
/// Fortran 2018 `critical`, clause 11.1.6.
#[track_caller]
pub fn critical<R>(body: impl FnOnce() -> R) -> R {
    let _section = Section::enter(Location::caller());
    body()
}

/// A stay in a critical section.
struct Section {
    team: Rc<Team>,
}

impl Section {
    #[track_caller]
    fn enter(caller: &'static Location<'static>) -> Self {
        let team = Team::current();
        let entered = team
            .image()
            .lock(team.critical(), LockKind::Critical, caller, None);
        match entered {
            Ok(deferral) => {
                let section = Self { team };
                drop(deferral);
                section
            }
            Err(LockError::AlreadyHeld { since }) => panic!(
                "this image is in the critical section at {since} already: it would wait for itself to leave it"
            ),
            Err(LockError::Poisoned { by }) => team.image().fail(format!(
                "cannot enter the critical section at {caller}: image {by} failed in a critical section; use a Comutex \
                 to go on after that"
            )),
            Err(other) => team.image().fail(format!(
                "cannot enter the critical section at {caller}: {other}"
            )),
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        // SAFETY: `enter` locked it for this section, of which there is one, and the body has ended.
        unsafe { self.team.image().unlock(self.team.critical(), false) };
    }
}
