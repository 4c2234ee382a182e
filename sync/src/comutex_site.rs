//! Locking a comutex, and its value, wherever it is.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr::from_ref;
use std::rc::Rc;
use std::time::Duration;

use coarray_coref::{Coref, LocalOrRemote, Remote, check_value};
use coarray_fabric::Place;
use coarray_fabric::system::controlled;
use coarray_runtime::{Image, Lock, LockError, LockKind};

use crate::comutex::Comutex;
use crate::comutex_guard::ComutexGuard;

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
    pub(crate) fn of(comutex: &'a Coref<Comutex<T>>) -> Self {
        match comutex.locate() {
            LocalOrRemote::Local(comutex) => Self::Local(comutex),
            LocalOrRemote::Remote(place) => Self::Remote(place, PhantomData),
        }
    }

    #[inline]
    pub(crate) fn queue_lock(self) -> Lock<'a> {
        match self {
            Self::Local(comutex) => Lock::local(&comutex.lock),
            Self::Remote(comutex, _) => {
                let place = Place {
                    offset: comutex.offset + Comutex::<T>::LOCK,
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
    pub(crate) fn lock(self) -> ComutexGuard<'a, T> {
        let caller = Location::caller();
        let image = Image::current();
        match image.lock(self.queue_lock(), LockKind::Mutex, caller, None) {
            Ok(deferral) => ComutexGuard::new(self, image, deferral),
            Err(error) => self.refuse(&image, caller, error),
        }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn try_lock(self) -> Result<ComutexGuard<'a, T>, LockError> {
        let image = Image::current();
        let deferral = image.try_lock(self.queue_lock(), LockKind::Mutex, Location::caller())?;
        Ok(ComutexGuard::new(self, image, deferral))
    }

    #[track_caller]
    pub(crate) fn lock_timeout(self, timeout: Duration) -> Result<ComutexGuard<'a, T>, LockError> {
        let image = Image::current();
        let deadline = controlled::now().checked_add(timeout);
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
            Self::Remote(comutex, _) => Self::get(image, comutex),
        };
        // SAFETY: all bytes are initialised: they come from a slot that holds a `T`, which has no padding.
        unsafe { check_value(value, image.index()) }
    }

    /// Replaces the value. The caller holds the lock.
    #[inline]
    pub(crate) fn store(self, image: &Image, value: &T) {
        match self {
            Self::Local(comutex) if image.spans_nodes() => comutex.overwrite(value),
            Self::Local(comutex) => comutex.store(value),
            Self::Remote(comutex, _) => Self::put(image, comutex, value),
        }
    }

    /// The value of a comutex on another node. The caller holds the lock.
    fn get(image: &Image, comutex: Place) -> MaybeUninit<T> {
        let mut value = MaybeUninit::<T>::uninit();
        let offset = comutex.offset + Comutex::<T>::VALUE;
        if size_of::<T>() > 0 {
            let (fabric, target) = (image.fabric(), value.as_mut_ptr().cast());
            // SAFETY: `target` is valid for writes of `size_of::<T>()` bytes. The first slot of the comutex is at the offset, and has
            // as many. Only the holder of the lock accesses it.
            unsafe { fabric.get(comutex.image, offset, target, size_of::<T>()) }
        }
        value
    }

    /// Replaces the value of a comutex on another node. The caller holds the lock.
    fn put(image: &Image, comutex: Place, value: &T) {
        let offset = comutex.offset + Comutex::<T>::VALUE;
        if size_of::<T>() > 0 {
            let (fabric, source) = (image.fabric(), from_ref(value).cast());
            // SAFETY: `source` is valid for reads of `size_of::<T>()` bytes, without padding. The first slot of the comutex is at the
            // offset, and has as many. Only the holder of the lock accesses it. Unlocking completes the put.
            unsafe { fabric.put(comutex.image, offset, source, size_of::<T>()) }
        }
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
