//! Critical sections.

use std::panic::Location;
use std::rc::Rc;

use coarray_runtime::{ImageFailed, LockError, LockKind, Team};

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
    let caller = Location::caller();
    match Section::enter(caller) {
        Ok(_section) => body(),
        Err(failed) => Team::current().image().fail(format!(
            "cannot enter the critical section at {caller}: {failed} in a critical section; use `try_critical` or a Comutex to go on \
             after that"
        )),
    }
}

/// One-sided. As [`critical`], but an image that failed in a critical section of the team does not end the job.
///
/// # Errors
/// The image that was killed in a critical section, by its index in the current team; `body` is not executed. What it did there may
/// be half done. Whoever gets the error has opened the section again: the next attempt enters, of this image or any other.
///
/// # Panics
/// As [`critical`].
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_sync::try_critical;
///
/// run(3, || match try_critical(|| 5) {
///     Ok(five) => assert_eq!(five, 5),
///     Err(failed) => println!("{failed} there: what it guards may be half done"),
/// });
/// ```
///
/// # Source
/// Fortran 2018 `critical` with `stat`, clauses 11.1.6 and 11.6.11.
#[track_caller]
pub fn try_critical<R>(body: impl FnOnce() -> R) -> Result<R, ImageFailed> {
    match Section::enter(Location::caller()) {
        Ok(_section) => Ok(body()),
        Err(failed) => {
            let team = Team::current();
            team.image().clear_poison_of(team.critical());
            Err(failed)
        }
    }
}

/// A stay in a critical section.
struct Section {
    team: Rc<Team>,
}

impl Section {
    #[track_caller]
    fn enter(caller: &'static Location<'static>) -> Result<Self, ImageFailed> {
        let team = Team::current();
        let entered = team
            .image()
            .lock(team.critical(), LockKind::Critical, caller, None);
        match entered {
            Ok(deferral) => {
                let section = Self { team };
                drop(deferral);
                Ok(section)
            }
            Err(LockError::AlreadyHeld { since }) => panic!(
                "this image is in the critical section at {since} already: it would wait for itself to leave it"
            ),
            // A panic poisons nothing: it leaves the section.
            Err(LockError::Poisoned { by }) => {
                let index = team
                    .members()
                    .iter()
                    .position(|&member| member as usize == by);
                Err(ImageFailed::new(Vec::from_iter(index)))
            }
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
