//! The barrier of any team.

use std::panic::Location;

use coarray_runtime::{Call, ImageFailed, Operation};

use crate::team::Team;

/// Collective. Waits until all images of `team` have called it; what any of them wrote or put before is visible
/// to all of them afterwards. The team need not be the current one.
///
/// If one of its images is in a different collective operation of the team, or has failed, the job ends with
/// a report.
///
/// # Panics
/// If the team that formed `team` has ended; on a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
/// use coarray_sync::{Team, sync_team};
///
/// run(4, || {
///     let half = Team::form(this_image() as u64 / 2);
///     let pair = Team::form(this_image() as u64 % 2);
///     half.change(|| sync_team(&pair)); // with the image of the other half
/// });
/// ```
///
/// # Source
/// Fortran 2018 `sync team`, clause 11.6.6.
#[track_caller]
pub fn sync_team(team: &Team) {
    let call = Call::plain(Operation::SyncTeam, Location::caller());
    // SAFETY: no layer relies on anything that an image did before `sync_team`.
    unsafe { team.assert_alive().barrier(&call) }
}

/// Collective. As [`sync_team`], but failed images do not end the job.
///
/// # Errors
/// The images of `team` that failed before they made this call, by their indices in `team`; the same on all
/// others, which have synchronised.
///
/// # Panics
/// As [`sync_team`].
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_sync::{Team, try_sync_team};
///
/// run(2, || assert_eq!(try_sync_team(&Team::current()), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `sync team` with `stat`, clause 11.6.11.
#[track_caller]
pub fn try_sync_team(team: &Team) -> Result<(), ImageFailed> {
    let call = Call::plain(Operation::SyncTeam, Location::caller());
    // SAFETY: no layer relies on anything that an image did before `sync_team`.
    unsafe { team.assert_alive().try_barrier(&call) }
}
