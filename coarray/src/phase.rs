//! What the phases of all kinds of coarrays have in common: how they begin, and the guard that ends them.

use std::panic::Location;

use coarray_coref::{Access, Coref, Shape};
use coarray_runtime::{ImageFailed, Incomplete, Operation, Team};

use crate::owned::Owned;
use crate::storage::{Begun, Places, Storage};

/// A coarray of any kind. One of its storages has the phase of the whole.
#[allow(private_interfaces)]
pub trait Phased {
    /// What reports call it.
    fn subject() -> &'static str;

    /// The storage that has the phase.
    fn storage(&self) -> &Storage;

    /// The storage, checked. Panics if a phase is in progress.
    #[track_caller]
    fn private(&self) -> &Storage;

    /// Whether this image's part holds valid values.
    ///
    /// # Safety
    /// Nobody writes to the part.
    unsafe fn is_valid(&self) -> bool;
}

/// Something that opens: a [`Coarray`](crate::Coarray), a [`Ragged`](crate::Ragged), an [`NdCoarray`](crate::NdCoarray) or a
/// [`HaloArray`](crate::grid::HaloArray).
///
/// # Examples
/// ```
/// use coarray::places::Openable;
/// use coarray::prelude::*;
///
/// /// Lets the others at it for a while.
/// fn lend<C: Openable + 'static>(coarray: C) -> C {
///     let open = coarray.into_open();
///     sync_all();
///     open.close()
/// }
///
/// coarray::run(2, || {
///     let row = lend(Coarray::new([1, 2, 3]));
///     let tail = lend(Ragged::from_fn(this_image(), |_| 4));
///     assert_eq!(row.len() + tail.len(), 3 + this_image());
/// });
/// ```
///
/// # Source
/// As [`Open`](crate::Open).
pub trait Openable: Phased + Sized {
    /// The guard of its open phase.
    type Guard<'a>
    where
        Self: 'a;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, opened: &'static Location<'static>) -> Self::Guard<'_>;

    /// Collective. As `open`, but the guard has the coarray, instead of borrowing it: for structs that keep it open.
    ///
    /// # Panics
    /// As [`Coarray::open`](crate::Coarray::open).
    ///
    /// # Examples
    /// See [`Owned`].
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[must_use = "the coarray is dropped with this guard"]
    #[track_caller]
    fn into_open(self) -> OwnedOpen<Self>
    where
        Self: 'static,
    {
        let opened = Location::caller();
        let begun = begin(&self, Operation::Open, opened);
        // SAFETY: the guard has the coarray, and places of other images; nothing else refers to the coarray.
        unsafe { Owned::new(self, |coarray| coarray.guard(begun, opened)) }
    }

    /// Collective. As [`into_open`](Self::into_open), but failed images do not end the job: see
    /// [`Coarray::try_open`](crate::Coarray::try_open).
    ///
    /// # Errors
    /// The coarray, which stays closed, and the images that have failed, the same on all others.
    ///
    /// # Panics
    /// As [`into_open`](Self::into_open).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let x = Coarray::new(this_image());
    ///     if this_image() == 1 {
    ///         coarray::failure::fail_image();
    ///     }
    ///     let (x, failed) = x.try_into_open().unwrap_err();
    ///     assert_eq!(failed.images, [1]);
    ///     *x // still this image's alone
    /// });
    /// assert_eq!(survivors.unwrap(), [0, 2]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_open`](crate::Coarray::try_open).
    #[track_caller]
    fn try_into_open(self) -> Result<OwnedOpen<Self>, (Self, ImageFailed)>
    where
        Self: 'static,
    {
        let opened = Location::caller();
        match try_begin(&self, Operation::Open, opened) {
            // SAFETY: as in `into_open`.
            Ok(begun) => Ok(unsafe { Owned::new(self, |coarray| coarray.guard(begun, opened)) }),
            Err(failed) => Err((self, failed)),
        }
    }
}

/// Something that is published: a [`Coarray`](crate::Coarray), a [`Ragged`](crate::Ragged) or an
/// [`NdCoarray`](crate::NdCoarray).
///
/// # Examples
/// See [`into_published`](Self::into_published).
///
/// # Source
/// As [`Published`](crate::Published).
pub trait Publishable: Phased + Sized {
    /// The guard of its read-only phase.
    type Guard<'a>
    where
        Self: 'a;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, published: &'static Location<'static>) -> Self::Guard<'_>;

    /// Collective. As `publish`, but the guard has the coarray, instead of borrowing it: for structs whose data all images read.
    ///
    /// # Panics
    /// As [`Coarray::publish`](crate::Coarray::publish).
    ///
    /// # Examples
    /// ```
    /// use coarray::OwnedPublished;
    /// use coarray::prelude::*;
    ///
    /// /// Squares, computed by all, and looked up by all.
    /// struct Squares(OwnedPublished<Coarray<[u64]>>);
    ///
    /// impl Squares {
    ///     fn up_to(n: usize) -> Self {
    ///         let part = n.div_ceil(num_images());
    ///         let mine = Coarray::<[u64]>::from_fn(part, |i| ((this_image() * part + i) as u64).pow(2));
    ///         Self(mine.into_published())
    ///     }
    ///
    ///     fn of(&self, i: usize) -> u64 {
    ///         let part = self.0.len();
    ///         self.0.at(i / part)[i % part].get()
    ///     }
    /// }
    ///
    /// coarray::run(3, || {
    ///     let squares = Squares::up_to(100);
    ///     assert_eq!(squares.of(99) + squares.of(3), 9801 + 9);
    ///     let mut mine = squares.0.close(); // now it may be written again
    ///     mine[0] = 1;
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Published`](crate::Published).
    #[must_use = "the coarray is dropped with this guard"]
    #[track_caller]
    fn into_published(self) -> OwnedPublished<Self>
    where
        Self: 'static,
    {
        let published = Location::caller();
        let begun = begin(&self, Operation::Publish, published);
        // SAFETY: the guard has the coarray, and places of other images; nothing else refers to the coarray.
        unsafe { Owned::new(self, |coarray| coarray.guard(begun, published)) }
    }

    /// Collective. As [`into_published`](Self::into_published), but failed images do not end the job.
    ///
    /// # Errors
    /// The coarray, which stays closed, and the images that have failed, the same on all others.
    ///
    /// # Panics
    /// As [`into_published`](Self::into_published).
    ///
    /// # Examples
    /// As of [`try_into_open`](Openable::try_into_open).
    ///
    /// # Source
    /// As [`Coarray::try_open`](crate::Coarray::try_open).
    #[track_caller]
    fn try_into_published(self) -> Result<OwnedPublished<Self>, (Self, ImageFailed)>
    where
        Self: 'static,
    {
        let published = Location::caller();
        match try_begin(&self, Operation::Publish, published) {
            // SAFETY: as in `into_published`.
            Ok(begun) => Ok(unsafe { Owned::new(self, |coarray| coarray.guard(begun, published)) }),
            Err(failed) => Err((self, failed)),
        }
    }
}

/// An open coarray that its guard has: `OwnedOpen<Coarray<[u64]>>`, `OwnedOpen<Ragged<f64>>`, `OwnedOpen<NdCoarray<f64, 2>>`,
/// `OwnedOpen<HaloArray<f64, 3>>`.
///
/// # Examples
/// See [`Owned`].
///
/// # Source
/// As [`Owned`].
pub type OwnedOpen<C> = Owned<C, <C as Openable>::Guard<'static>>;

/// A published coarray that its guard has: `OwnedPublished<Coarray<[u64]>>`.
///
/// # Examples
/// See [`into_published`](crate::places::Publishable::into_published).
///
/// # Source
/// As [`Owned`].
pub type OwnedPublished<C> = Owned<C, <C as Publishable>::Guard<'static>>;

/// Collective. Begins a phase. If images have failed, the job ends.
#[track_caller]
fn begin<C: Phased>(coarray: &C, operation: Operation, began: &'static Location<'static>) -> Begun {
    Storage::begin(operation, &[coarray.private()], C::subject(), began)
        .unwrap_or_else(|incomplete| incomplete.end_job())
}

/// Collective. As [`begin`].
///
/// # Errors
/// The images that have failed, the same on all others; then no phase has begun.
#[track_caller]
fn try_begin<C: Phased>(
    coarray: &C,
    operation: Operation,
    began: &'static Location<'static>,
) -> Result<Begun, ImageFailed> {
    Storage::begin(operation, &[coarray.private()], C::subject(), began).map_err(Incomplete::failed)
}

/// What `open` of each coarray does.
#[track_caller]
pub(crate) fn open<C: Openable>(coarray: &mut C) -> C::Guard<'_> {
    let opened = Location::caller();
    let begun = begin(coarray, Operation::Open, opened);
    coarray.guard(begun, opened)
}

/// What `try_open` of each coarray does.
#[track_caller]
pub(crate) fn try_open<C: Openable>(coarray: &mut C) -> Result<C::Guard<'_>, ImageFailed> {
    let opened = Location::caller();
    let begun = try_begin(coarray, Operation::Open, opened)?;
    Ok(coarray.guard(begun, opened))
}

/// What `try_publish` of each coarray does.
#[track_caller]
pub(crate) fn try_publish<C: Publishable>(coarray: &mut C) -> Result<C::Guard<'_>, ImageFailed> {
    let published = Location::caller();
    let begun = try_begin(coarray, Operation::Publish, published)?;
    Ok(coarray.guard(begun, published))
}

/// What `publish` of each coarray does.
#[track_caller]
pub(crate) fn publish<C: Publishable>(coarray: &mut C) -> C::Guard<'_> {
    let published = Location::caller();
    let begun = begin(coarray, Operation::Publish, published);
    coarray.guard(begun, published)
}

/// A phase that has begun, and ends when this is dropped. The guards are made of it.
pub(crate) struct Phase<'a, C: Phased> {
    pub(crate) coarray: &'a mut C,
    places: Places,
    /// The line of the program that began it.
    pub(crate) began: &'static Location<'static>,
    end: Operation,
}

impl<'a, C: Phased> Phase<'a, C> {
    /// Ends by the operation `end`.
    pub(crate) fn new(
        coarray: &'a mut C,
        end: Operation,
        _begun: Begun,
        began: &'static Location<'static>,
    ) -> Self {
        Self {
            places: coarray.storage().places(),
            coarray,
            began,
            end,
        }
    }

    #[inline]
    pub(crate) fn team(&self) -> &Team {
        self.coarray.storage().team()
    }

    /// The number of this image.
    #[inline]
    pub(crate) fn me(&self) -> usize {
        self.places.me
    }

    /// The place on image `image`.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Safety
    /// As [`Coref::new`], for every image, while the phase lasts.
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn at<T: ?Sized + Shape, A: Access>(&self, image: usize) -> &Coref<T, A> {
        // SAFETY: the caller vouches for the places; the team is that of the storage.
        unsafe { self.places.at(image, self.team()) }
    }
}

impl<C: Phased> Drop for Phase<'_, C> {
    fn drop(&mut self) {
        // SAFETY: `end` calls this when all images have left the phase, so nobody writes to the part.
        let valid = || self.end == Operation::Unpublish || unsafe { self.coarray.is_valid() };
        let storage = self.coarray.storage();
        storage.end(self.end, C::subject(), self.began, &valid);
    }
}
