//! The guard of a locked comutex, which reaches its value.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use coarray_coref::{LeavesItsThread, Remote};
use coarray_fabric::Deferral;
use coarray_runtime::Image;

use crate::comutex_site::Site;

/// A locked [`Comutex`](crate::Comutex), which is unlocked when this is dropped: there is no other way to unlock one.
///
/// If an image panics while it has a guard, the comutex is poisoned. If a guard is leaked, the comutex stays
/// locked.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let next = Coarray::new(Comutex::new(0u64));
///     let mut guard = next.at(0).lock();
///     let mine = guard.update(|next| {
///         *next += 1;
///         *next
///     });
///     assert_eq!(guard.get(), mine);
/// });
/// ```
///
/// # Source
/// [`std::sync::MutexGuard`]; `std::unique_lock` in *Coarray C++* section 6.3.
#[must_use = "the comutex is unlocked at once if the guard is not kept"]
pub struct ComutexGuard<'a, T: Remote> {
    comutex: Site<'a, T>,
    image: Rc<Image>,
    /// Whether the image was already unwinding when it locked: then unwinding does not poison the comutex.
    was_panicking: bool,
    thread: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Send for ComutexGuard<'_, T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Sync for ComutexGuard<'_, T> {}

impl<'a, T: Remote> ComutexGuard<'a, T> {
    /// The guard of a comutex that was locked under `deferral`. The end of the deferral runs wakers of the program: if one
    /// panics, the guard, which exists by then, unlocks the comutex.
    #[inline]
    pub(crate) fn new(comutex: Site<'a, T>, image: Rc<Image>, deferral: Option<Deferral>) -> Self {
        let guard = Self {
            comutex,
            image,
            was_panicking: std::thread::panicking(),
            thread: PhantomData,
        };
        drop(deferral);
        guard
    }

    /// One-sided. The value.
    ///
    /// # Examples
    /// See [`ComutexGuard`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self) -> T {
        self.comutex.load(&self.image)
    }

    /// One-sided. Replaces the value. If the image dies meanwhile, the value is the old or the new one.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let table = Coarray::new(Comutex::new([0u64; 2]));
    ///     let mut guard = table.at(0).lock();
    ///     let [least, most] = guard.get();
    ///     guard.put([least.min(this_image() as u64), most.max(this_image() as u64)]); // both or none
    ///     drop(guard);
    ///     sync_all();
    ///     assert_eq!(table.at(0).lock().get(), [0, 1]);
    /// });
    /// ```
    #[inline]
    pub fn put(&mut self, value: T) {
        self.comutex.store(&self.image, &value);
    }

    /// One-sided. Gets the value, changes it by `change`, and puts it; returns the result of `change`.
    ///
    /// If `change` panics, the value stays as it was.
    ///
    /// # Panics
    /// As `change` does.
    ///
    /// # Examples
    /// See [`ComutexGuard`].
    #[inline]
    #[track_caller]
    pub fn update<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.get();
        let result = change(&mut value);
        self.put(value);
        result
    }
}

impl<T: Remote> Drop for ComutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let poison = !self.was_panicking && std::thread::panicking();
        // SAFETY: this image locked the comutex for this guard, of which there is one, and accesses the value through it only.
        unsafe { self.image.unlock(self.comutex.queue_lock(), poison) };
    }
}

impl<T: Remote + fmt::Debug> fmt::Debug for ComutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("ComutexGuard")
            .field(&self.get())
            .finish()
    }
}
