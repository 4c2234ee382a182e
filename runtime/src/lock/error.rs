//! Why an image did not get a lock.

use std::fmt;
use std::panic::Location;

use crate::image::Image;
use crate::job::image_failed::ImageFailed;
use crate::lockfree::lock_state::NotAcquired;
use coarray_fabric::system::controlled;

/// Why an image did not get a lock. Images are named by their numbers in the job.
///
/// # Examples
/// ```
/// use coarray::locks::LockError;
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let log = Coarray::new(Comutex::new(0u64));
///     let guard = log.lock(); // each its own
///     sync_all();
///     match log.at(1 - this_image()).try_lock() {
///         Err(LockError::Busy { holder }) => assert_eq!(holder, 1 - this_image()),
///         other => panic!("{other:?}"),
///     }
///     sync_all();
///     drop(guard);
/// });
/// ```
///
/// # Source
/// `STAT_LOCKED`, `STAT_UNLOCKED_FAILED_IMAGE` and `STAT_FAILED_IMAGE`, Fortran 2018 clause 11.6.11.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockError {
    /// Another image holds it.
    Busy {
        /// The holder.
        holder: usize,
    },
    /// The image holds it already, and would wait for itself.
    AlreadyHeld {
        /// The line that took the lock.
        since: &'static Location<'static>,
    },
    /// An image failed or panicked while it held the lock, and the poison has not been cleared since.
    Poisoned {
        /// That image.
        by: usize,
    },
    /// Another image still held it at the deadline.
    TimedOut,
    /// The image that owns the lock has failed, and the lock is lost with it.
    ImageFailed(ImageFailed),
}

impl fmt::Display for LockError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { holder } => write!(formatter, "image {holder} holds the lock"),
            Self::AlreadyHeld { since } => {
                write!(
                    formatter,
                    "this image already holds the lock, which it took at {since}"
                )
            }
            Self::Poisoned { by } => write!(
                formatter,
                "the lock is poisoned: image {by} failed or panicked while it held it"
            ),
            Self::TimedOut => write!(
                formatter,
                "another image still held the lock when the time was over"
            ),
            Self::ImageFailed(failed) => write!(formatter, "{failed}, and the lock with it"),
        }
    }
}

impl std::error::Error for LockError {}

/// Why the lock at `address` was not acquired at `caller`. If the job has ended, the image unwinds.
#[cold]
pub(super) fn lock_error(
    image: &Image,
    address: usize,
    caller: &'static Location<'static>,
    error: NotAcquired,
) -> LockError {
    match error {
        NotAcquired::Busy(holder) => {
            controlled::looked_in_vain();
            LockError::Busy { holder }
        }
        NotAcquired::AlreadyHeld => {
            let held = image.held.borrow();
            let taken = held.iter().rfind(|held| held.address == address);
            LockError::AlreadyHeld {
                since: taken.map_or(caller, |held| held.caller),
            }
        }
        NotAcquired::Poisoned(by) => LockError::Poisoned { by },
        NotAcquired::TimedOut => LockError::TimedOut,
        NotAcquired::Ended => image.unwind(),
    }
}
