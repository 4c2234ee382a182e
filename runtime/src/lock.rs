//! Locks: how an image waits for one, and which ones it holds.

pub(crate) mod between_nodes;
pub(crate) mod local;

use std::fmt;
use std::panic::Location;
use std::ptr;
use std::time::Instant;

use crate::image::Image;
use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;
use crate::lock::between_nodes::lock_remote;
use crate::lock::between_nodes::unlock_remote;
use crate::lock::local::LocalAcquirer;
use crate::lockfree::queue_lock::{NotAcquired, QueueLock};
use crate::messages::quiet::quiet;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::deferral::Deferral;
use coarray_fabric::transport::pending::is_complete;

/// The kind of a lock, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// A mutex in a coarray.
    Mutex,
    /// The lock of the critical sections of a team.
    Critical,
}

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

/// A lock in the memory of a job: on this node, or by its place on another one.
#[derive(Clone, Copy, Debug)]
pub struct Lock<'a>(pub(crate) Site<'a>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Site<'a> {
    Local(&'a QueueLock),
    Remote(Place),
}

impl<'a> Lock<'a> {
    /// A lock of this node.
    #[inline]
    #[must_use]
    pub fn local(lock: &'a QueueLock) -> Self {
        Self(Site::Local(lock))
    }

    /// The lock at `place`, on another node.
    ///
    /// # Safety
    /// A lock is there while the result is used, and until this image has completed what it sent to the owner.
    #[inline]
    #[must_use]
    pub unsafe fn remote(place: Place) -> Self {
        Self(Site::Remote(place))
    }

    /// Takes the lock if it is free and on this node.
    #[inline]
    fn take_free(self, image: &Image) -> bool {
        matches!(self.0, Site::Local(lock) if lock.take_free(image.index))
    }

    /// Releases the lock if it is on this node and no image waits for it.
    #[inline]
    fn release_unqueued(self, image: &Image, poison: bool) -> bool {
        matches!(self.0, Site::Local(lock) if lock.release_unqueued(image.index, poison))
    }

    /// Where `image` maps the lock.
    #[inline]
    pub(crate) fn address(self, image: &Image) -> usize {
        match self.0 {
            Site::Local(lock) => ptr::from_ref(lock).addr(),
            Site::Remote(place) => {
                let region = &image.job.region;
                region.part_address(place.image, place.offset).addr()
            }
        }
    }
}

impl Team {
    /// The lock of the team's critical sections.
    #[inline]
    #[must_use]
    pub fn critical(&self) -> Lock<'_> {
        let lock = &self.control(0).critical;
        Lock(match self.image().remote_place(lock) {
            Some(place) => Site::Remote(place),
            None => Site::Local(lock),
        })
    }
}

impl Image {
    /// Acquires `lock`, in the order of the queue: waits while other images hold it, until `deadline` if there is one.
    /// If the job ends meanwhile, the image unwinds.
    ///
    /// No waker takes the image out of the queue. If one may be due, a deferral is returned, which the caller drops
    /// when it has what releases the lock.
    ///
    /// # Errors
    /// Why the image did not get the lock; never [`LockError::Busy`].
    ///
    /// # Panics
    /// If the lock is not in the memory that the images of the job share.
    #[inline]
    #[track_caller]
    pub fn lock(
        &self,
        lock: Lock<'_>,
        kind: LockKind,
        caller: &'static Location<'static>,
        deadline: Option<Instant>,
    ) -> Result<Option<Deferral>, LockError> {
        let deferral = defer_in_lock(self);
        admit(self, lock, kind)?;
        if !lock.take_free(self) {
            lock_slowly(LocalAcquirer::new(self, lock, kind, caller, deadline), true)?;
        }
        self.held.borrow_mut().push((lock.address(self), caller));
        Ok(deferral)
    }

    /// Acquires `lock` if no image holds it. The deferral is as for [`lock`](Self::lock).
    ///
    /// # Errors
    /// Why the image did not get the lock.
    ///
    /// # Panics
    /// If the lock is not in the memory that the images of the job share.
    #[inline]
    #[track_caller]
    pub fn try_lock(
        &self,
        lock: Lock<'_>,
        kind: LockKind,
        caller: &'static Location<'static>,
    ) -> Result<Option<Deferral>, LockError> {
        let deferral = defer_in_lock(self);
        admit(self, lock, kind)?;
        // The holder may have asked this image to release it.
        self.poll();
        if !lock.take_free(self) {
            lock_slowly(LocalAcquirer::new(self, lock, kind, caller, None), false)?;
        }
        self.held.borrow_mut().push((lock.address(self), caller));
        Ok(deferral)
    }

    /// Releases `lock`, which this image holds. With `poison`, what the lock guards may be inconsistent.
    ///
    /// What the image wrote and put before is visible to the next holder.
    ///
    /// # Safety
    /// The caller acquired the lock, and does not access what it guards again.
    #[inline]
    pub unsafe fn unlock(&self, lock: Lock<'_>, poison: bool) {
        // A waker that panics finds the lock released.
        let may_wake = self.network.is_some() || !is_complete();
        let _deferral = may_wake.then(Deferral::new);
        quiet();
        let mut held = self.held.borrow_mut();
        let address = lock.address(self);
        let Some(index) = held.iter().rposition(|(other, _)| *other == address) else {
            return;
        };
        let (_, caller) = held.remove(index);
        drop(held);
        if !lock.release_unqueued(self, poison) {
            // It waits for no image, so no report needs the kind.
            let kind = LockKind::Mutex;
            unlock_slowly(&LocalAcquirer::new(self, lock, kind, caller, None), poison);
        }
    }

    /// The mutex that contains `lock`, as text.
    #[must_use]
    pub fn describe_mutex(&self, lock: Lock<'_>) -> String {
        let (owner, offset) = owner_of_lock(self, lock);
        let coarray = self.describe_place(self.heap(self.index).addr() + offset);
        format!("the mutex in {coarray} on image {owner}")
    }
}

/// A wait for a lock makes wakers due only by messages that arrive meanwhile.
#[inline]
fn defer_in_lock(image: &Image) -> Option<Deferral> {
    image.network.as_ref().map(|_| Deferral::new())
}

/// The image that owns a mutex, and its offset in the heap there.
fn owner_of_lock(image: &Image, lock: Lock<'_>) -> (usize, usize) {
    let distance = lock.address(image) - image.heap(0).addr();
    (distance / image.stride(), distance % image.stride())
}

/// Checks that `lock` is there. A mutex on a failed image is lost. The lock of a team's critical sections stays: it guards nothing
/// on that image.
#[inline]
#[track_caller]
fn admit(here: &Image, lock: Lock<'_>, kind: LockKind) -> Result<(), LockError> {
    let region = &here.job.region;
    assert!(
        // Offset 0 is the job's page, so no lock is there.
        region.contains(region.offset_of_address(lock.address(here))),
        "this mutex is in no coarray, where other images could reach it: `Coarray::new(Comutex::new(value))`"
    );
    if kind == LockKind::Critical || !region.job().has_failures() {
        return Ok(());
    }
    match owner_of_lock(here, lock) {
        (image, _) if here.has_failed(image) => {
            Err(LockError::ImageFailed(ImageFailed::new(vec![image])))
        }
        _ => Ok(()),
    }
}

/// Acquires a lock that is not free: waits for it, or tries.
#[cold]
fn lock_slowly(user: LocalAcquirer<'_>, waits: bool) -> Result<(), LockError> {
    let outcome = match user.lock.0 {
        Site::Remote(place) => lock_remote(user.image, place, &user, waits),
        Site::Local(lock) => {
            let outcome = if waits {
                lock.lock_slowly(&user)
            } else {
                lock.try_slowly(&user)
            };
            user.successor.tell(user.image, lock);
            outcome
        }
    };
    outcome.map_err(|error| lock_error(&user, error))
}

/// Releases a lock for which images may wait.
#[cold]
fn unlock_slowly(user: &LocalAcquirer<'_>, poison: bool) {
    match user.lock.0 {
        Site::Remote(place) => unlock_remote(user.image, place, poison),
        Site::Local(lock) => {
            lock.unlock_slowly(user, poison);
            user.successor.tell(user.image, lock);
        }
    }
}

#[cold]
fn lock_error(user: &LocalAcquirer<'_>, error: NotAcquired) -> LockError {
    let LocalAcquirer { image, caller, .. } = *user;
    match error {
        NotAcquired::Busy(holder) => LockError::Busy { holder },
        NotAcquired::AlreadyHeld => {
            let held = image.held.borrow();
            let address = user.lock.address(image);
            let taken = held.iter().rfind(|(other, _)| *other == address);
            LockError::AlreadyHeld {
                since: taken.map_or(caller, |(_, since)| since),
            }
        }
        NotAcquired::Poisoned(by) => LockError::Poisoned { by },
        NotAcquired::TimedOut => LockError::TimedOut,
        NotAcquired::Ended => image.unwind(),
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn images_that_sleep_in_the_queue_get_the_lock_in_the_order_in_which_they_came() {
        const IMAGES: usize = 5;
        let order = Mutex::new(Vec::new());
        crate::testing::run(IMAGES, 1, || {
            let team = Team::current();
            let (image, lock) = (team.image(), team.critical());
            let is_asleep = |other: usize| image.control(other).waiting.sleep.sleep().is_some();
            let take = || {
                let taken = image.lock(lock, LockKind::Critical, Location::caller(), None);
                assert!(taken.is_ok(), "{taken:?}");
                order.lock().unwrap().push(image.index);
            };
            match image.index {
                0 => take(),
                1 => {
                    while image.holder_of(lock) != Some(0) {
                        std::thread::yield_now();
                    }
                    take();
                }
                me => {
                    while !is_asleep(me - 1) {
                        std::thread::yield_now();
                    }
                    take();
                }
            }
            if image.index == 0 {
                while !is_asleep(IMAGES - 1) {
                    std::thread::yield_now();
                }
                // SAFETY: the image acquired the lock, and the test accesses nothing that it guards.
                unsafe { image.unlock(lock, false) };
                take();
            }
            // SAFETY: the image acquired the lock, and the test accesses nothing that it guards.
            unsafe { image.unlock(lock, false) };
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4, 0]);
    }
}
