//! Comutexes: a queue lock and the value that it guards.
//!
//! The value is a double buffer: a put writes the slot that is not current, and then the version that makes it current. So an
//! image that dies in a put leaves the old value whole. The lock excludes all other accesses, so readers need no check, unlike
//! those of a seqlock.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use coarray_coref::{Coref, LocalOrRemote, Remote, Shared, Symmetric, check_value};
use coarray_fabric::{Place, direct};
use coarray_runtime::{Image, Lock, LockError, LockKind, QueueLock};

use crate::comutex_guard::ComutexGuard;
use crate::far_slots::FarSlots;

/// A value that one image at a time reads and writes: whoever has [locked](ComutexPlace::lock) it.
///
/// A coarray of comutexes needs no opening. Images that wait for a comutex get it in the order in which they
/// came, and sleep meanwhile. If images wait for each other, the job ends with a report of these waits.
///
/// A comutex is *poisoned* when an image panics while it holds it, or dies, in a job that keeps going: what it
/// was about to do is then half done. The value itself is whole, always: it is the last one that was put.
///
/// An image of another node takes and releases the comutex by messages, which the image that has the comutex handles in every
/// wait, and now and then in other operations of the library. All images wait in one queue.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let best = Coarray::new(Comutex::new(i64::MAX));
///     let result = 100 - this_image() as i64;
///     best.at(0).lock().update(|best| *best = result.min(*best));
///     sync_all();
///     assert_eq!(best.at(0).lock().get(), 97);
/// });
/// ```
///
/// # Source
/// `comutex`, *Coarray C++* section 6.3; [`std::sync::Mutex`]; Fortran 2018 `lock_type`, clause 16.10.2.19.
#[repr(C)]
pub struct Comutex<T> {
    pub(crate) lock: QueueLock,
    /// Counts the puts. The lowest bit is the number of the current slot.
    version: AtomicU64,
    slots: [UnsafeCell<T>; 2],
}

// SAFETY: atomics and two `Remote` values: no drop glue, and no handles of one process.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Symmetric for Comutex<T> {
    const SHARED: bool = true;
}

// SAFETY: the lock and the version are atomics. The slots are accessed through `direct` or the fabric only, which allow races,
// and the lock excludes them.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Sync for Comutex<T> {}

// SAFETY: all access through `&Self` is to atomics, or to slots through `direct` or the fabric, which is sound from several
// processes at once. `SHARED` is true, and the type is not `Remote`.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Shared for Comutex<T> {}

impl<T: Remote> Comutex<T> {
    /// Local. A comutex that holds `value`, for a coarray: `Coarray::new(Comutex::new(value))`.
    #[must_use]
    pub fn new(value: T) -> Self {
        const { T::CHECK };
        Self {
            lock: QueueLock::default(),
            version: AtomicU64::new(0),
            slots: [UnsafeCell::new(value), UnsafeCell::new(value)],
        }
    }

    /// One-sided. As [`ComutexPlace::lock`].
    ///
    /// # Panics
    /// As [`ComutexPlace::lock`]. Here and in the other operations also if the comutex is in no coarray.
    ///
    /// # Examples
    /// See [`ComutexPlace::lock`].
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> ComutexGuard<'_, T> {
        Site::Local(self).lock()
    }

    /// One-sided. As [`ComutexPlace::try_lock`].
    ///
    /// # Errors
    /// As [`ComutexPlace::try_lock`].
    ///
    /// # Panics
    /// As [`ComutexPlace::try_lock`].
    ///
    /// # Examples
    /// See [`ComutexPlace::try_lock`].
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::Local(self).try_lock()
    }

    /// One-sided. As [`ComutexPlace::lock_timeout`].
    ///
    /// # Errors
    /// As [`ComutexPlace::lock_timeout`].
    ///
    /// # Panics
    /// As [`ComutexPlace::lock_timeout`].
    ///
    /// # Examples
    /// See [`ComutexPlace::lock_timeout`].
    #[track_caller]
    pub fn lock_timeout(&self, timeout: Duration) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::Local(self).lock_timeout(timeout)
    }

    /// One-sided. As [`ComutexPlace::is_poisoned`].
    ///
    /// # Examples
    /// See [`ComutexPlace::is_poisoned`].
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.lock.poisoner().is_some()
    }

    /// One-sided. As [`ComutexPlace::clear_poison`].
    ///
    /// # Examples
    /// See [`ComutexPlace::clear_poison`].
    pub fn clear_poison(&self) {
        self.lock.clear_poison();
    }

    /// The last value that was put, unchecked but initialised. The caller holds the lock.
    #[inline]
    fn load(&self) -> MaybeUninit<T> {
        // Pairs with the Release in `store`: the slot of that version is complete.
        let version = self.version.load(Ordering::Acquire);
        // SAFETY: the slot is a part of `self`, so it is aligned for `T` and valid for atomic reads.
        unsafe { direct::load(self.slot(version)) }
    }

    /// Replaces the value. The caller holds the lock. If the image dies before the end, the old value stays.
    #[inline]
    fn store(&self, value: &T) {
        // Relaxed: taking the lock has acquired what the last holder stored.
        let version = self.version.load(Ordering::Relaxed) + 1;
        // SAFETY: the slot is a part of `self`, inside an `UnsafeCell`, so it is aligned for `T` and valid for atomic writes. A
        // `Remote` type has no padding.
        unsafe { direct::store(self.slot(version), value) }
        // Pairs with the Acquire in `load`: the slot is complete before it is current.
        self.version.store(version, Ordering::Release);
        // A killed image has executed all instructions up to some point. The next put overwrites the slot of the old value: the
        // compiler must not move its stores before the store of this version.
        compiler_fence(Ordering::SeqCst);
    }

    #[inline]
    fn slot(&self, version: u64) -> *mut T {
        self.slots[(version & 1) as usize].get()
    }
}

/// A comutex of this node, or the place of one on another node.
pub(crate) enum Site<'a, T: Remote> {
    Local(&'a Comutex<T>),
    Remote(Place, PhantomData<&'a Comutex<T>>),
}

impl<T: Remote> Clone for Site<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Remote> Copy for Site<'_, T> {}

impl<'a, T: Remote> Site<'a, T> {
    #[inline]
    #[track_caller]
    fn of(comutex: &'a Coref<Comutex<T>>) -> Self {
        match comutex.locate() {
            LocalOrRemote::Local(comutex) => Self::Local(comutex),
            LocalOrRemote::Remote(_, place) => Self::Remote(place, PhantomData),
        }
    }

    #[inline]
    pub(crate) fn queue_lock(self) -> Lock<'a> {
        match self {
            Self::Local(comutex) => Lock::local(&comutex.lock),
            Self::Remote(comutex, _) => {
                let place = Place {
                    offset: comutex.offset + offset_of!(Comutex<T>, lock),
                    ..comutex
                };
                // SAFETY: the place is the lock of the comutex, whose coarray is borrowed for `'a`. Its memory is freed only after a
                // barrier with this image, which completes what it sent first.
                unsafe { Lock::remote(place) }
            }
        }
    }

    #[inline]
    #[track_caller]
    fn lock(self) -> ComutexGuard<'a, T> {
        let caller = Location::caller();
        let image = Image::current();
        match image.lock(self.queue_lock(), LockKind::Mutex, caller, None) {
            Ok(deferral) => ComutexGuard::new(self, image, deferral),
            Err(error) => self.refuse(&image, caller, error),
        }
    }

    #[inline]
    #[track_caller]
    fn try_lock(self) -> Result<ComutexGuard<'a, T>, LockError> {
        let image = Image::current();
        let deferral = image.try_lock(self.queue_lock(), LockKind::Mutex, Location::caller())?;
        Ok(ComutexGuard::new(self, image, deferral))
    }

    #[track_caller]
    fn lock_timeout(self, timeout: Duration) -> Result<ComutexGuard<'a, T>, LockError> {
        let image = Image::current();
        let deadline = Instant::now().checked_add(timeout);
        let deferral = image.lock(
            self.queue_lock(),
            LockKind::Mutex,
            Location::caller(),
            deadline,
        )?;
        Ok(ComutexGuard::new(self, image, deferral))
    }

    /// The last value that was put. The caller holds the lock.
    #[inline]
    #[track_caller]
    pub(crate) fn load(self, image: &Image) -> T {
        let value = match self {
            Self::Local(comutex) => comutex.load(),
            Self::Remote(comutex, _) => Self::far_slots(image, comutex).load(),
        };
        // SAFETY: all bytes are initialised: they come from a slot that holds a `T`, which has no padding.
        unsafe { check_value(value, image.index()) }
    }

    /// Replaces the value. The caller holds the lock.
    #[inline]
    pub(crate) fn store(self, image: &Image, value: &T) {
        match self {
            Self::Local(comutex) => comutex.store(value),
            Self::Remote(comutex, _) => Self::far_slots(image, comutex).store(value),
        }
    }

    /// The double buffer of a comutex on another node.
    fn far_slots(image: &Image, comutex: Place) -> FarSlots<'_, T> {
        let version = offset_of!(Comutex<T>, version);
        let slots = offset_of!(Comutex<T>, slots);
        // SAFETY: the version and the two slots are at these offsets of the comutex; the current slot holds a `T`. Only the holder of
        // the lock accesses them, and the caller of `load` and `store` holds it.
        unsafe { FarSlots::new(image, comutex, version, slots) }
    }

    /// Panics, or ends the job, because `lock` returns no error.
    #[cold]
    #[track_caller]
    fn refuse(self, image: &Rc<Image>, caller: &'static Location<'static>, error: LockError) -> ! {
        let mutex = image.describe_mutex(self.queue_lock());
        match error {
            LockError::AlreadyHeld { since } => panic!(
                "this image already holds {mutex}, which it locked at {since}: drop that guard before you lock it \
                 again, or pass it on"
            ),
            LockError::Poisoned { by } => image.fail(format!(
                "cannot lock {mutex}, in the call at {caller}: image {by} failed or panicked while it held it\n\
                 to go on after that, use try_lock or lock_timeout, which return an error then, and clear_poison"
            )),
            other => image.fail(format!("cannot lock {mutex}, in the call at {caller}: {other}")),
        }
    }
}

impl<T> fmt::Debug for Comutex<T> {
    /// Without the value, which only the holder may read.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Comutex")
            .field("holder", &self.lock.holder())
            .field("poisoner", &self.lock.poisoner())
            .finish_non_exhaustive()
    }
}

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

impl<T: Remote> ComutexPlace<T> for Coref<Comutex<T>> {
    #[inline]
    #[track_caller]
    fn lock(&self) -> ComutexGuard<'_, T> {
        Site::of(self).lock()
    }

    #[inline]
    #[track_caller]
    fn try_lock(&self) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::of(self).try_lock()
    }

    #[track_caller]
    fn lock_timeout(&self, timeout: Duration) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::of(self).lock_timeout(timeout)
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
