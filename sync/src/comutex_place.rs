//! Locking the comutexes of other images.

use std::panic::Location;
use std::time::Duration;

use coarray_coref::{Coref, Remote};
use coarray_runtime::{Class, Image, LockError, count_operations};

use crate::comutex::Comutex;
use crate::comutex_guard::ComutexGuard;
use crate::comutex_site::Site;

/// The operations of a comutex on a coref to one: `x.at(2).lock()`.
///
/// # Examples
/// See its operations, and [`Comutex`].
///
/// # Source
/// As [`Comutex`].
pub trait ComutexPlace<T: Remote> {
    /// One-sided. Waits in the queue and locks the comutex until the guard is dropped. Everything that the holders before wrote
    /// and put is visible then.
    ///
    /// If images wait for each other so that none can go on, the job ends with a report. It also ends if the
    /// comutex is poisoned, or the image that has it failed; to survive that use [`try_lock`](Self::try_lock) or
    /// [`lock_timeout`](Self::lock_timeout).
    ///
    /// # Panics
    /// If this image already holds it; on a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let account = Coarray::new(Comutex::new([100, 0]));
    ///     let mut balances = account.at(2).lock();
    ///     let [from, to] = balances.get();
    ///     balances.put([from - 10, to + 10]); // nobody saw the money twice
    ///     drop(balances);
    ///     sync_all();
    ///     assert_eq!(account.at(2).lock().get(), [60, 40]);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 6.3; Fortran 2018 `lock`, clause 11.6.10.
    #[track_caller]
    fn lock(&self) -> ComutexGuard<'_, T>;

    /// One-sided. As [`lock`](Self::lock), but does not wait.
    ///
    /// # Errors
    /// If an image holds it, this one or another, or it is poisoned, or its image has failed.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::locks::LockError;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let log = Coarray::new(Comutex::new(0u64));
    ///     let lines = log.at(0);
    ///     match lines.try_lock() {
    ///         Ok(mut guard) => guard.update(|lines| *lines += 1),
    ///         Err(LockError::Busy { holder }) => assert_ne!(holder, this_image()),
    ///         Err(error) => panic!("{error}"),
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `lock` with `acquired_lock`, clause 11.6.10; [`std::sync::Mutex::try_lock`].
    #[track_caller]
    fn try_lock(&self) -> Result<ComutexGuard<'_, T>, LockError>;

    /// One-sided. As [`lock`](Self::lock), but waits no longer than `timeout`; [`Duration::MAX`] is no limit.
    ///
    /// # Errors
    /// If another image still holds it then, or this one does already, or it is poisoned, or its image has failed.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::locks::LockError;
    /// use coarray::prelude::*;
    /// use std::time::Duration;
    ///
    /// coarray::run(2, || {
    ///     let x = Coarray::new(Comutex::new(1.5));
    ///     let guard = x.lock();
    ///     sync_all();
    ///     let other = x.at(1 - this_image()).lock_timeout(Duration::from_millis(1));
    ///     assert_eq!(other.unwrap_err(), LockError::TimedOut);
    ///     sync_all();
    ///     drop(guard);
    /// });
    /// ```
    ///
    /// # Source
    /// Its own; `timed_mutex::try_lock_for` of C++11.
    #[track_caller]
    fn lock_timeout(&self, timeout: Duration) -> Result<ComutexGuard<'_, T>, LockError>;

    /// One-sided. Whether an image panicked or died while it held the comutex, since the poison was last cleared.
    ///
    /// # Examples
    /// See [`clear_poison`](Self::clear_poison).
    ///
    /// # Source
    /// [`std::sync::Mutex::is_poisoned`].
    fn is_poisoned(&self) -> bool;

    /// One-sided. Makes a poisoned comutex usable again. The next holder should check the value, which is the last one that
    /// was put.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    ///
    /// coarray::run(1, || {
    ///     let x = Coarray::new(Comutex::new([1, 2]));
    ///     let place = x.at(0);
    ///     let half_way = AssertUnwindSafe(|| {
    ///         place.lock().update(|value| {
    ///             value[0] = 7;
    ///             panic!("before the other half");
    ///         })
    ///     });
    ///     assert!(catch_unwind(half_way).is_err());
    ///     assert!(place.is_poisoned());
    ///     place.clear_poison();
    ///     assert_eq!(place.lock().get(), [1, 2]);
    /// });
    /// ```
    ///
    /// # Source
    /// [`std::sync::Mutex::clear_poison`].
    fn clear_poison(&self);
}

/// Where a comutex is, which this image is to lock: a job that counts counts that.
#[inline]
#[track_caller]
fn to_lock<T: Remote>(comutex: &Coref<Comutex<T>>) -> Site<'_, T> {
    if !comutex.is_direct() {
        let (address, bytes) = (comutex.local_address(), size_of::<T>());
        count_operations(Class::Lock, Location::caller(), address, bytes, 1);
    }
    Site::of(comutex)
}

impl<T: Remote> ComutexPlace<T> for Coref<Comutex<T>> {
    #[inline]
    #[track_caller]
    fn lock(&self) -> ComutexGuard<'_, T> {
        to_lock(self).lock()
    }

    #[inline]
    #[track_caller]
    fn try_lock(&self) -> Result<ComutexGuard<'_, T>, LockError> {
        to_lock(self).try_lock()
    }

    #[track_caller]
    fn lock_timeout(&self, timeout: Duration) -> Result<ComutexGuard<'_, T>, LockError> {
        to_lock(self).lock_timeout(timeout)
    }

    fn is_poisoned(&self) -> bool {
        match self.as_local() {
            Some(comutex) => comutex.is_poisoned(),
            None => {
                let lock = Site::of(self).queue_lock();
                Image::current().poisoner_of(lock).is_some()
            }
        }
    }

    fn clear_poison(&self) {
        match self.as_local() {
            Some(comutex) => comutex.clear_poison(),
            None => Image::current().clear_poison_of(Site::of(self).queue_lock()),
        }
    }
}
