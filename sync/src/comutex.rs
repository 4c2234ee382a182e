//! Comutexes: a queue lock and the value that it guards.
//!
//! The value is a double buffer: a put writes the slot that is not current, and then the version that makes it current. So an
//! image that dies in a put leaves the old value whole. The lock excludes all other accesses, so readers need no check, unlike
//! those of a seqlock. In a job on several nodes no image outlives another, so the first slot is always the current one there.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::from_ref;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};
use std::time::Duration;

use coarray_coref::{Remote, Shared, Symmetric};
use coarray_fabric::direct;
use coarray_runtime::{Image, Lock, LockError, QueueLock, locate};

use crate::comutex_guard::ComutexGuard;
use crate::comutex_site::Site;

/// A value that one image at a time reads and writes: whoever has [locked](crate::ComutexPlace::lock) it.
///
/// A coarray of comutexes needs no opening. Images that wait for a comutex get it in the order in which they
/// came, and sleep meanwhile. If images wait for each other, the job ends with a report of these waits.
///
/// A comutex is *poisoned* when an image panics while it holds it, or dies, in a job that keeps going: what it
/// was about to do is then half done. The value itself is whole, always: it is the last one that was put.
///
/// All images wait in one queue. Between nodes a free comutex costs one atomic operation to lock and one to unlock, and its image may
/// compute meanwhile.
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
/// A plain lock guards no value:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let door = Coarray::new(Comutex::new(()));
///     let mut log = Coarray::<[usize; 8]>::zeroed();
///     {
///         let log = log.open();
///         let _alone = door.at(0).lock(); // until the end of the block
///         let lines = log.at(0)[0].get();
///         log.at(0)[1 + lines].put(this_image());
///         log.at(0)[0].put(lines + 1);
///     }
///     if this_image() == 0 {
///         assert_eq!(log[1..5].iter().sum::<usize>(), 6);
///     }
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

impl<T: Remote + Default> Default for Comutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Remote> Comutex<T> {
    /// Where in a comutex the lock is.
    pub(crate) const LOCK: usize = offset_of!(Self, lock);

    /// Where in a comutex of a job on several nodes the value is.
    pub(crate) const VALUE: usize = offset_of!(Self, slots);

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

    /// One-sided. As [`ComutexPlace::lock`](crate::ComutexPlace::lock).
    ///
    /// # Panics
    /// As [`ComutexPlace::lock`](crate::ComutexPlace::lock). Here and in the other operations also if the comutex is in no coarray.
    ///
    /// # Examples
    /// See [`ComutexPlace::lock`](crate::ComutexPlace::lock).
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> ComutexGuard<'_, T> {
        Site::Local(self).lock()
    }

    /// One-sided. As [`ComutexPlace::try_lock`](crate::ComutexPlace::try_lock).
    ///
    /// # Errors
    /// As [`ComutexPlace::try_lock`](crate::ComutexPlace::try_lock).
    ///
    /// # Panics
    /// As [`ComutexPlace::try_lock`](crate::ComutexPlace::try_lock).
    ///
    /// # Examples
    /// See [`ComutexPlace::try_lock`](crate::ComutexPlace::try_lock).
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::Local(self).try_lock()
    }

    /// One-sided. As [`ComutexPlace::lock_timeout`](crate::ComutexPlace::lock_timeout).
    ///
    /// # Errors
    /// As [`ComutexPlace::lock_timeout`](crate::ComutexPlace::lock_timeout).
    ///
    /// # Panics
    /// As [`ComutexPlace::lock_timeout`](crate::ComutexPlace::lock_timeout).
    ///
    /// # Examples
    /// See [`ComutexPlace::lock_timeout`](crate::ComutexPlace::lock_timeout).
    #[track_caller]
    pub fn lock_timeout(&self, timeout: Duration) -> Result<ComutexGuard<'_, T>, LockError> {
        Site::Local(self).lock_timeout(timeout)
    }

    /// One-sided. As [`ComutexPlace::is_poisoned`](crate::ComutexPlace::is_poisoned).
    ///
    /// # Panics
    /// In a job on several nodes on a thread that is not an image.
    ///
    /// # Examples
    /// See [`ComutexPlace::is_poisoned`](crate::ComutexPlace::is_poisoned).
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        let poisoner = match locate(from_ref(self).addr()) {
            Some((image, _)) => image.poisoner_of(Lock::local(&self.lock)),
            None => self.lock.poisoner(),
        };
        poisoner.is_some()
    }

    /// One-sided. As [`ComutexPlace::clear_poison`](crate::ComutexPlace::clear_poison).
    ///
    /// # Panics
    /// As [`is_poisoned`](Self::is_poisoned).
    ///
    /// # Examples
    /// See [`ComutexPlace::clear_poison`](crate::ComutexPlace::clear_poison).
    pub fn clear_poison(&self) {
        match locate(from_ref(self).addr()) {
            Some((image, _)) => image.clear_poison_of(Lock::local(&self.lock)),
            None => self.lock.clear_poison(),
        }
    }

    /// The last value that was put, unchecked but initialised. The caller holds the lock.
    #[inline]
    pub(crate) fn load(&self) -> MaybeUninit<T> {
        // Pairs with the Release in `store`: the slot of that version is complete.
        let version = self.version.load(Ordering::Acquire);
        // SAFETY: the slot is a part of `self`, so it is aligned for `T` and valid for atomic reads.
        unsafe { direct::load(self.slot(version)) }
    }

    /// Replaces the value. The caller holds the lock. If the image dies before the end, the old value stays.
    #[inline]
    pub(crate) fn store(&self, value: &T) {
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

    /// Replaces the value in a job on several nodes, where no image outlives one that dies in this: the version stays, and images of
    /// other nodes need not ask for it. The caller holds the lock.
    #[inline]
    pub(crate) fn overwrite(&self, value: &T) {
        // SAFETY: as in `store`.
        unsafe { direct::store(self.slot(0), value) }
    }

    #[inline]
    fn slot(&self, version: u64) -> *mut T {
        self.slots[(version & 1) as usize].get()
    }
}

impl<T> fmt::Debug for Comutex<T> {
    /// Without the value, which only the holder may read; on a thread that is no image without the holder as well.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("Comutex");
        if let Some(image) = Image::try_current() {
            let lock = Lock::local(&self.lock);
            text.field("holder", &image.holder_of(lock))
                .field("poisoner", &image.poisoner_of(lock));
        }
        text.finish_non_exhaustive()
    }
}
