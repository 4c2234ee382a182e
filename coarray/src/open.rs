//! The open phase: images get and put in each other's parts.

use std::any::type_name;
use std::fmt;
use std::panic::Location;

use coarray_coref::{Coref, Remote, Shape, bytes_are_valid};
use coarray_runtime::{ImageFailed, Operation};

use crate::coarray::Coarray;
use crate::phase::{self, Openable, Phase, Phased};
use crate::storage::{Begun, Storage};

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
///
/// # Source
/// Its own; what *Coarray C++* section 3.3 and Fortran 2018 clause 11.6.2 leave to the program: segments in which an image uses
/// its part as a local object are kept apart from those in which others reach it. The guard is modelled on [`std::sync::MutexGuard`].
#[must_use = "the coarray closes again when this guard is dropped"]
pub struct Open<'a, T: ?Sized + Shape<Item: Remote>> {
    pub(crate) phase: Phase<'a, Coarray<T>>,
}

#[allow(private_interfaces)]
impl<T: ?Sized + Shape<Item: Remote>> Phased for Coarray<T> {
    fn subject() -> &'static str {
        type_name::<T>()
    }

    #[inline]
    fn storage(&self) -> &Storage {
        &self.storage
    }

    fn private(&self) -> &Storage {
        self.storage.private::<T>()
    }

    unsafe fn is_valid(&self) -> bool {
        // All of the storage: other images may have opened it in a larger shape.
        let (elements, count) = self.storage.run::<<T::Item as Remote>::Element>();
        // SAFETY: `elements` is aligned and valid for reads of `count` initialised elements, and the caller vouches that nobody
        // writes to them.
        unsafe { bytes_are_valid(elements, count) }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Openable for Coarray<T> {
    type Guard<'a>
        = Open<'a, T>
    where
        T: 'a;

    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, opened: &'static Location<'static>) -> Open<'_, T> {
        Open {
            phase: Phase::new(self, Operation::Close, begun, opened),
        }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Coarray<T> {
    /// Collective. Opens the coarray to all images: a barrier after which every image has given up its local
    /// references.
    ///
    /// The job ends with a report if another image is in a different collective operation, opens another
    /// coarray, or has failed.
    ///
    /// # Panics
    /// As dereferencing the coarray.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut inbox = Coarray::<[usize; 3]>::zeroed();
    ///     {
    ///         let inbox = inbox.open();
    ///         for image in 0..num_images() {
    ///             inbox.at(image)[this_image()].put(10 * this_image());
    ///         }
    ///     } // closed: all puts of all images have arrived
    ///     assert_eq!(*inbox, [0, 10, 20]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Open`].
    #[track_caller]
    pub fn open(&mut self) -> Open<'_, T> {
        phase::open(self)
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
    ///         coarray::failure::fail_image();
    ///     }
    ///     assert_eq!(x.try_open().unwrap_err().images, [1]);
    ///     *x // still this image's alone
    /// });
    /// assert_eq!(survivors.unwrap(), [0, 2]);
    /// ```
    ///
    /// # Source
    /// As [`Open`]; failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_open(&mut self) -> Result<Open<'_, T>, ImageFailed> {
        phase::try_open(self)
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Open<'_, T> {
    /// Local. The part of image `image`, to get from and to put to. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([1.0, 2.0, 3.0]);
    ///     let x = x.open();
    ///     let theirs = x.at(1 - this_image()); // once for many accesses
    ///     assert_eq!(theirs[0].get() + theirs[2].get(), 4.0);
    /// });
    /// ```
    ///
    /// # Source
    /// `x(image)`, *Coarray C++* section 3.3; Fortran 2018 image selectors, clause 9.6.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<T> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its part of this very
        // coarray, so no image has a reference into it. The phase ends by a barrier that every image enters when it drops its
        // guard, from which corefs borrow, and that completes operations. Blocks are symmetric, and all parts are initialised.
        unsafe { self.phase.at(image) }
    }

    /// Local. This image's own part, to get and put like any other.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new(0);
    ///     let x = x.open();
    ///     x.at((this_image() + 1) % num_images()).put(this_image() + 1);
    ///     sync_all();
    ///     assert_eq!(x.here().get(), if this_image() == 0 { 3 } else { this_image() });
    /// });
    /// ```
    ///
    /// # Source
    /// As [`at`](Self::at).
    #[inline]
    #[must_use]
    pub fn here(&self) -> &Coref<T> {
        self.at(self.phase.me())
    }

    /// Local. This image's own part as plain memory, in the middle of the open phase.
    ///
    /// For code that orders its accesses by other means, such as events.
    ///
    /// # Safety
    /// While the reference lives, no image accesses the part. Synchronisation orders all earlier accesses before it, and all
    /// later ones after it. No second reference to the part exists. If `T` has invalid bit patterns, no racing puts have
    /// torn its values before.
    ///
    /// # Examples
    /// Events order the accesses of two images:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([0u32; 100]);
    ///     let arrived = Coarray::new(Coevent::new());
    ///     let x = x.open();
    ///     if this_image() == 0 {
    ///         x.at(1).put_from_notify(&[7; 100], arrived.at(1));
    ///     } else {
    ///         arrived.wait();
    ///         // SAFETY: image 0 accesses this part before it posts only, and this image by this reference only.
    ///         let mine = unsafe { x.local_unchecked() };
    ///         assert_eq!(mine.iter().sum::<u32>(), 700);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Open`].
    #[must_use]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn local_unchecked(&self) -> &mut T {
        // SAFETY: the part is aligned, allocated and initialised; the caller vouches that its values are valid, and that nobody
        // accesses it while the reference lives.
        unsafe { &mut *self.phase.coarray.pointer() }
    }

    /// Collective. Closes the coarray, as dropping the guard does.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new(0);
    ///     let open = x.open();
    ///     open.at(1 - this_image()).put(7);
    ///     open.close(); // waits for the other image, too
    ///     assert_eq!(*x, 7);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Open`].
    pub fn close(self) {}
}

/// Other images may be writing the values, which are not shown.
impl<T: ?Sized + Shape<Item: Remote>> fmt::Debug for Open<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Open<{}>, since {}",
            type_name::<T>(),
            self.phase.began
        )
    }
}
