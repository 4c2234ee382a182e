//! The phase in which images get and put in each other's parts.

use std::any::type_name;
use std::panic::Location;

use coarray_coref::{Coref, Remote, Shape, bytes_are_valid};
use coarray_fabric::{ImageFailed, Operation};

use crate::coarray::Coarray;
use crate::storage::{Places, Storage};

/// An open coarray: all images may get and put in all parts, and no image has local references.
///
/// Dropping it closes the coarray. That is collective: it completes this image's operations and waits until
/// every image has closed. When dropped by a panic it does not wait; the coarray then stays open, and using
/// it locally panics, as it does when the guard was leaked.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut seen = Coarray::<[bool; 8]>::zeroed();
///     let open = seen.open();
///     for image in 0..num_images() {
///         open.at(image)[this_image()].put(true);
///     }
///     drop(open);
///     assert_eq!(*seen, [true, true, true, true, false, false, false, false]);
/// });
/// ```
#[must_use = "the coarray closes again when this guard is dropped"]
#[derive(Debug)]
pub struct Open<'a, T: ?Sized + Shape<Item: Remote>> {
    coarray: &'a mut Coarray<T>,
    places: Places,
    opened: &'static Location<'static>,
}

impl<T: ?Sized + Shape<Item: Remote>> Coarray<T> {
    /// Collective. Opens the coarray to all images: a barrier after which every image has given up its local
    /// references.
    ///
    /// The job ends with a report if another image is in a different collective operation, opens another
    /// coarray, or has failed.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    #[track_caller]
    pub fn open(&mut self) -> Open<'_, T> {
        let opened = Location::caller();
        Storage::begin(Operation::Open, &[&self.storage], type_name::<T>(), opened);
        Open::new(self, opened)
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job.
    ///
    /// An image may still fail during the phase. Its puts have then arrived in part or not at all, and
    /// closing waits for the others only.
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let mut x = Coarray::new(this_image());
    ///     if this_image() == 1 {
    ///         coarray::fail_image();
    ///     }
    ///     assert_eq!(x.try_open().unwrap_err().images, [1]);
    ///     *x // still this image's alone
    /// });
    /// assert_eq!(survivors.unwrap(), [0, 2]);
    /// ```
    #[track_caller]
    pub fn try_open(&mut self) -> Result<Open<'_, T>, ImageFailed> {
        let opened = Location::caller();
        let begun = Storage::try_begin(Operation::Open, &[&self.storage], type_name::<T>(), opened);
        begun.map_err(|(_, failed)| failed)?;
        Ok(Open::new(self, opened))
    }
}

impl<'a, T: ?Sized + Shape<Item: Remote>> Open<'a, T> {
    /// The guard of a phase that has begun.
    pub(crate) fn new(coarray: &'a mut Coarray<T>, opened: &'static Location<'static>) -> Self {
        let places = coarray.storage.places();
        Self {
            coarray,
            places,
            opened,
        }
    }

    /// The part of image `image`.
    ///
    /// # Panics
    /// If there is no such image.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<T> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its
        // part of this very coarray, and ends only when all drop their guards; corefs borrow from this
        // guard. Blocks are symmetric, and all parts were initialised before.
        unsafe { self.places.at(image, self.coarray.storage.team()) }
    }

    /// This image's own part, to get and put like any other.
    #[inline]
    #[must_use]
    pub fn here(&self) -> &Coref<T> {
        self.at(self.places.me)
    }

    /// This image's own part as plain memory, in the middle of the open phase.
    ///
    /// For code that orders its accesses by other means, such as events.
    ///
    /// # Safety
    /// While the reference lives no image accesses the part, and all accesses before are ordered before it,
    /// and it before all later ones, by synchronisation. No second reference to the part exists. If `T` has
    /// invalid bit patterns, no racing puts tore its values before.
    #[must_use]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn local_unsynced(&self) -> &mut T {
        // SAFETY: allocated and initialised; the caller vouches for the rest.
        unsafe { &mut *self.coarray.pointer() }
    }

    /// Collective. Closes the coarray, as dropping the guard does.
    pub fn close(self) {}
}

impl<T: ?Sized + Shape<Item: Remote>> Drop for Open<'_, T> {
    fn drop(&mut self) {
        // All of the storage: other images may have opened it in a larger shape.
        let (elements, count) = self.coarray.storage.run::<<T::Item as Remote>::Element>();
        // SAFETY: runs when all images have left the phase, so this image is alone with its part.
        let valid = || unsafe { bytes_are_valid(elements, count) };
        let subject = type_name::<T>();
        let storage = &self.coarray.storage;
        storage.end(Operation::Close, subject, self.opened, valid);
    }
}
