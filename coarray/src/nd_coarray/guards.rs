//! The open and the published phase of arrays whose extents are known at run time only.

use std::any::type_name;
use std::fmt;
use std::panic::Location;

use coarray_coref::{ReadOnly, Region, Remote};
use ndarray::{ArrayView, Dim, Dimension};

use super::{NdCoarray, view};
use crate::open::Open;
use crate::phase::{Openable, Phased, Publishable};
use crate::publish::Published;
use crate::storage::{Begun, Storage};

#[allow(private_interfaces)]
impl<T: Remote, const D: usize> Phased for NdCoarray<T, D> {
    fn subject() -> &'static str {
        type_name::<Self>()
    }

    fn storage(&self) -> &Storage {
        &self.items.storage
    }

    fn private(&self) -> &Storage {
        self.check();
        self.items.private()
    }

    unsafe fn is_valid(&self) -> bool {
        // SAFETY: the caller vouches that nobody writes to the items.
        unsafe { self.items.is_valid() }
    }
}

impl<T: Remote, const D: usize> Openable for NdCoarray<T, D> {
    type Guard<'a> = OpenNd<'a, T, D>;

    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, opened: &'static Location<'static>) -> OpenNd<'_, T, D> {
        self.check();
        OpenNd {
            extents: self.extents,
            items: Openable::guard(&mut self.items, begun, opened),
        }
    }
}

impl<T: Remote, const D: usize> Publishable for NdCoarray<T, D> {
    type Guard<'a> = PublishedNd<'a, T, D>;

    #[allow(private_interfaces)]
    fn guard(
        &mut self,
        begun: Begun,
        published: &'static Location<'static>,
    ) -> PublishedNd<'_, T, D> {
        self.check();
        PublishedNd {
            extents: self.extents,
            items: Publishable::guard(&mut self.items, begun, published),
        }
    }
}

/// An open [`NdCoarray`]: all images may get and put in all arrays, and no image has local references.
///
/// Dropping it closes the coarray, as [`Open`].
///
/// # Examples
/// See [`NdCoarray`].
///
/// # Source
/// As [`Open`].
#[must_use = "the coarray closes again when this guard is dropped"]
pub struct OpenNd<'a, T: Remote, const D: usize> {
    /// Has as many items as the extents say; it is borrowed until the end of the phase.
    pub(crate) items: Open<'a, [T]>,
    extents: [usize; D],
}

impl<T: Remote, const D: usize> OpenNd<'_, T, D> {
    /// Local. The array of image `image`, to get from and to put to. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`NdCoarray`].
    ///
    /// # Source
    /// Fortran 2018 image selectors, clause 9.6.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> Region<'_, T, D> {
        // SAFETY: `items` counted the array when it was created, and the place has as many: `guard` checked it, and it is borrowed since.
        unsafe { self.items.at(image).with_extents_unchecked(self.extents) }
    }

    /// Local. This image's own array, to get and put like any other.
    #[inline]
    #[must_use]
    pub fn here(&self) -> Region<'_, T, D> {
        // SAFETY: as in `at`.
        unsafe { self.items.here().with_extents_unchecked(self.extents) }
    }

    /// Local. How many items there are along each axis.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Collective. Closes the coarray, as dropping the guard does.
    pub fn close(self) {}
}

/// Other images may be writing the values, which are not shown.
impl<T: Remote, const D: usize> fmt::Debug for OpenNd<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} with extents {:?}",
            self.items, self.extents
        )
    }
}

/// An [`NdCoarray`] in its read-only phase: every image reads all arrays, and none writes.
///
/// Dropping it ends the phase, as [`Published`].
///
/// # Examples
/// See [`NdCoarray::publish`].
///
/// # Source
/// As [`Published`].
#[must_use = "the read-only phase ends when this guard is dropped"]
pub struct PublishedNd<'a, T: Remote, const D: usize> {
    /// Has as many items as the extents say; it is borrowed until the end of the phase.
    pub(crate) items: Published<'a, [T]>,
    extents: [usize; D],
}

impl<T: Remote, const D: usize> PublishedNd<'_, T, D> {
    /// Local. The array of image `image`, to get from. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`NdCoarray::publish`].
    ///
    /// # Source
    /// As [`Published::at`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> Region<'_, T, D, ReadOnly> {
        // SAFETY: `items` counted the array when it was created, and the place has as many: `guard` checked it, and it is borrowed since.
        unsafe { self.items.at(image).with_extents_unchecked(self.extents) }
    }

    /// Local. This image's own array.
    #[must_use]
    pub fn local(&self) -> ArrayView<'_, T, Dim<[usize; D]>>
    where
        Dim<[usize; D]>: Dimension,
    {
        self.as_array(&self.items)
    }

    /// Local. The array of image `image` as memory of this image, if it is mapped here.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`NdCoarray::publish`].
    ///
    /// # Source
    /// As [`Published::try_ref`].
    #[must_use]
    #[track_caller]
    pub fn try_ref(&self, image: usize) -> Option<ArrayView<'_, T, Dim<[usize; D]>>>
    where
        Dim<[usize; D]>: Dimension,
    {
        Some(self.as_array(self.items.try_ref(image)?))
    }

    fn as_array<'b>(&self, items: &'b [T]) -> ArrayView<'b, T, Dim<[usize; D]>>
    where
        Dim<[usize; D]>: Dimension,
    {
        view(&items[..self.extents.iter().product()], self.extents)
    }

    /// Local. How many items there are along each axis.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Collective. Ends the phase, as dropping the guard does.
    pub fn close(self) {}
}

impl<T: Remote, const D: usize> fmt::Debug for PublishedNd<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PublishedNd")
            .field("extents", &self.extents)
            .finish_non_exhaustive()
    }
}
