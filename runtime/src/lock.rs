//! Locks: how an image waits for one, and which ones it holds.

mod acquirer;
mod error;

use std::panic::Location;
use std::ptr;
use std::time::Instant;

pub use error::LockError;

use crate::image::Image;
use crate::image::held::Held;
use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;
use crate::lock::acquirer::{Acquirer, Reach};
use crate::lock::error::lock_error;
use crate::lockfree::lock_state::{Node, State};
use crate::lockfree::queue_lock::QueueLock;
use crate::messages::quiet::quiet;
use crate::profile::activity::Activity;
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
    /// A lock is there while the result is used.
    #[inline]
    #[must_use]
    pub unsafe fn remote(place: Place) -> Self {
        Self(Site::Remote(place))
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
        self.offer("lock", caller);
        let deferral = defer_in_lock(self);
        admit(self, lock, kind)?;
        let mut successor = None;
        if !self.takes_free(lock) {
            let wanting = Wanting {
                kind,
                caller,
                deadline,
            };
            successor = lock_slowly(self, lock, wanting, true)?;
        }
        self.note_held(lock, caller, successor);
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
        // A program may do this in a loop.
        self.poll();
        let mut successor = None;
        if !self.takes_free(lock) {
            let deadline = None;
            let wanting = Wanting {
                kind,
                caller,
                deadline,
            };
            successor = lock_slowly(self, lock, wanting, false)?;
        }
        self.note_held(lock, caller, successor);
        // Not before: who tries in vain lets others go on anyway, and tries again when these have done something.
        self.offer("lock", caller);
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
        let _deferral = may_wake.then(|| {
            let place = self.locate(lock.address(self));
            self.note_release(Activity::Unlock, place);
            self.check_unlock(place);
            Deferral::new()
        });
        quiet();
        let mut held = self.held.borrow_mut();
        let address = lock.address(self);
        let Some(index) = held.iter().rposition(|held| held.address == address) else {
            return;
        };
        let Held { successor, .. } = held.remove(index);
        drop(held);
        match self.own_lock(lock) {
            Some(own) if successor.is_none() && own.release_unqueued(self.index, poison) => {}
            _ => unlock_slowly(self, lock, successor, poison),
        }
    }

    #[inline]
    fn note_held(
        &self,
        lock: Lock<'_>,
        caller: &'static Location<'static>,
        successor: Option<Node>,
    ) {
        let address = lock.address(self);
        self.check_lock(address, caller);
        self.held.borrow_mut().push(Held {
            address,
            caller,
            successor,
        });
    }

    /// Whether the image has acquired the lock, as it was free.
    #[inline]
    fn takes_free(&self, lock: Lock<'_>) -> bool {
        self.own_lock(lock)
            .is_some_and(|own| own.take_free(self.index))
    }

    /// The lock, if images change its words by instructions: all images share memory.
    #[inline]
    fn own_lock<'a>(&self, lock: Lock<'a>) -> Option<&'a QueueLock> {
        match lock.0 {
            Site::Local(own) if self.network.is_none() => Some(own),
            _ => None,
        }
    }

    /// The image that holds the lock at present.
    #[must_use]
    pub fn holder_of(&self, lock: Lock<'_>) -> Option<usize> {
        self.state_of(lock).holder()
    }

    /// The image that failed or panicked while it held the lock, since the poison was last cleared.
    #[must_use]
    pub fn poisoner_of(&self, lock: Lock<'_>) -> Option<usize> {
        self.state_of(lock).poisoner()
    }

    #[track_caller]
    fn state_of(&self, lock: Lock<'_>) -> State {
        self.acquirer(lock, Wanting::nothing()).load()
    }

    /// Clears the poison of a lock.
    #[track_caller]
    pub fn clear_poison_of(&self, lock: Lock<'_>) {
        self.acquirer(lock, Wanting::nothing()).clear_poison();
    }

    fn acquirer<'a>(&'a self, lock: Lock<'a>, wanting: Wanting) -> Acquirer<'a> {
        let reach = match lock.0 {
            Site::Remote(place) => Reach::Fabric(place),
            Site::Local(own) if self.network.is_none() => Reach::Direct(own),
            Site::Local(own) => self
                .locate(lock.address(self))
                .map_or(Reach::Direct(own), Reach::Fabric),
        };
        Acquirer::new(self, lock, reach, wanting)
    }

    /// The mutex that contains `lock`, as text.
    #[must_use]
    pub fn describe_mutex(&self, lock: Lock<'_>) -> String {
        let (owner, offset) = owner_of_lock(self, lock);
        let coarray = self.describe_place(self.heap(self.index).addr() + offset);
        format!("the mutex in {coarray} on image {owner}")
    }
}

/// A wait for a lock makes wakers due only by messages that arrive meanwhile, and by operations that it completes.
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

/// What an image wants with a lock, for reports, and how long it waits.
#[derive(Clone, Copy, Debug)]
struct Wanting {
    kind: LockKind,
    caller: &'static Location<'static>,
    deadline: Option<Instant>,
}

impl Wanting {
    /// Waits for no image, so no report needs the kind.
    #[track_caller]
    fn nothing() -> Self {
        Self {
            kind: LockKind::Mutex,
            caller: Location::caller(),
            deadline: None,
        }
    }

    /// Why an image waits, as the end of a sentence about it.
    fn describe(&self, image: &Image, lock: Lock<'_>) -> String {
        let Self { kind, caller, .. } = self;
        match kind {
            LockKind::Mutex => {
                let mutex = image.describe_mutex(lock);
                format!("waits in lock at {caller} for {mutex}")
            }
            LockKind::Critical => format!("waits to enter the critical section at {caller}"),
        }
    }
}

/// Acquires a lock that is not free, or that is changed through the fabric. Waits for it, or tries.
#[cold]
fn lock_slowly(
    image: &Image,
    lock: Lock<'_>,
    wanting: Wanting,
    waits: bool,
) -> Result<Option<Node>, LockError> {
    let user = image.acquirer(lock, wanting);
    let outcome = match waits {
        true => user.lock(),
        false => user.try_lock(),
    };
    outcome.map_err(|error| lock_error(image, lock.address(image), wanting.caller, error))
}

/// Releases a lock for which images may wait, or that is changed through the fabric.
#[cold]
fn unlock_slowly(image: &Image, lock: Lock<'_>, successor: Option<Node>, poison: bool) {
    let user = image.acquirer(lock, Wanting::nothing());
    user.release(successor, poison);
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
