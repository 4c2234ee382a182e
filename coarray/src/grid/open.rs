//! The open phase of halo arrays: images get and put in each other's blocks.

use std::any::type_name;
use std::fmt;
use std::panic::Location;

use coarray_coref::{Coref, Region, Remote, bytes_are_valid};
use coarray_runtime::{ImageFailed, Operation, Team};

use super::halo_array::HaloArray;
use super::layout::Layout;
use crate::storage::{Begun, Places, Storage};

/// An open [`HaloArray`]: all images may get and put in all blocks, and no image has local references.
///
/// Dropping it closes the array, as [`Open`](crate::Open). Halos are as they were: the next exchange fills them.
///
/// # Examples
/// See [`HaloArray::open`].
///
/// # Source
/// As [`Open`](crate::Open).
#[must_use = "the array closes again when this guard is dropped"]
pub struct OpenHaloArray<'a, T: Remote, const D: usize> {
    array: &'a mut HaloArray<T, D>,
    places: Places,
    opened: &'static Location<'static>,
}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Collective. Opens the array to all images, as [`Coarray::open`](crate::Coarray::open): blocks, and parts of them, that no exchange moves.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array, or the guard of an open phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let blocks = Blocks::new([7, 4], ImageGrid::new([3, 1]).unwrap()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    ///     if this_image() == 0 {
    ///         u.interior_mut()[[2, 0]] = 5.0;
    ///     }
    ///     {
    ///         let u = u.open();
    ///         assert_eq!((u.at(0).extents(), u.at(2).extents()), ([3, 4], [2, 4]));
    ///         if this_image() == 1 {
    ///             u.at(2).column(3).copy_from(&u.at(0).region((..2, 3)));
    ///             u.at(2).region((1, ..3)).fill(u.at(0)[[2, 0]].get());
    ///         }
    ///     }
    ///     if this_image() == 2 {
    ///         assert_eq!(u.interior().row(1).to_vec(), [5.0, 5.0, 5.0, 0.0]);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[track_caller]
    pub fn open(&mut self) -> OpenHaloArray<'_, T, D> {
        let opened = Location::caller();
        let begun = Storage::begin(
            Operation::Open,
            &[self.private()],
            type_name::<Self>(),
            opened,
        );
        OpenHaloArray::new(self, begun, opened)
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job: see [`Coarray::try_open`](crate::Coarray::try_open).
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the array stays closed.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    ///
    /// # Source
    /// As [`Coarray::try_open`](crate::Coarray::try_open).
    #[track_caller]
    pub fn try_open(&mut self) -> Result<OpenHaloArray<'_, T, D>, ImageFailed> {
        let opened = Location::caller();
        let subject = type_name::<Self>();
        let begun = Storage::try_begin(Operation::Open, &[self.private()], subject, opened);
        let begun = begun.map_err(|(_, failed)| failed)?;
        Ok(OpenHaloArray::new(self, begun, opened))
    }

    /// The storage, with no exchange in progress. Panics if a phase is.
    #[track_caller]
    pub(crate) fn private(&self) -> &Storage {
        self.settle();
        self.storage.private::<[T]>()
    }
}

impl<'a, T: Remote, const D: usize> OpenHaloArray<'a, T, D> {
    /// The guard of a phase that has begun.
    pub(crate) fn new(
        array: &'a mut HaloArray<T, D>,
        _begun: Begun,
        opened: &'static Location<'static>,
    ) -> Self {
        let places = array.storage.places();
        Self {
            array,
            places,
            opened,
        }
    }

    /// Local. The block of image `image`, without its halo, to get from and to put to. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`HaloArray::open`].
    ///
    /// # Source
    /// Fortran 2018 image selectors, clause 9.6.
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> Region<'_, T, D> {
        let lower = self.array.halo.lower;
        let block = self.layout(image).block();
        let inside: [_; D] = std::array::from_fn(|axis| lower[axis]..lower[axis] + block[axis]);
        self.with_halo(image).region(inside)
    }

    /// Local. The block of image `image` with the halo around it, as [`HaloArray::local`] has it.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([6], ImageGrid::new([2]).unwrap()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 0).unwrap();
    ///     u.open().with_halo(1 - this_image()).region([0..1]).fill(8); // a boundary value, from afar
    ///     assert_eq!(u.local().to_vec(), [8, 0, 0, 0, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`at`](Self::at).
    #[must_use]
    #[track_caller]
    pub fn with_halo(&self, image: usize) -> Region<'_, T, D> {
        let team = self.array.storage.team();
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its part of this very array,
        // and with no exchange in progress, so no image has a reference into it. The phase ends by a barrier that every image
        // enters when it drops its guard, from which corefs borrow, and that completes operations. Blocks are symmetric, and all
        // parts are initialised.
        let cells: &Coref<[T]> = unsafe { self.places.at(image, team) };
        cells
            .with_extents(self.layout(image).shape())
            .expect("a part has room for every image's block and its halo")
    }

    /// Local. This image's own block, to get and put like any other.
    #[must_use]
    pub fn here(&self) -> Region<'_, T, D> {
        self.at(self.places.me)
    }

    /// Collective. Closes the array, as dropping the guard does.
    pub fn close(self) {}

    pub(crate) fn team(&self) -> &Team {
        self.array.storage.team()
    }

    #[track_caller]
    fn layout(&self, image: usize) -> Layout<D> {
        Layout::new(self.array.blocks.block_shape(image), self.array.halo)
    }
}

/// Other images may be writing the cells, which are not shown.
impl<T: Remote, const D: usize> fmt::Debug for OpenHaloArray<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}, open since {}", self.array, self.opened)
    }
}

impl<T: Remote, const D: usize> Drop for OpenHaloArray<'_, T, D> {
    fn drop(&mut self) {
        let storage = &self.array.storage;
        let (elements, count) = storage.run::<T::Element>();
        // SAFETY: `elements` is aligned and valid for reads of `count` initialised elements. `end` calls this when all images have
        // left the phase, so nobody writes to them.
        let valid = || unsafe { bytes_are_valid(elements, count) };
        let subject = type_name::<HaloArray<T, D>>();
        storage.end(Operation::Close, subject, self.opened, valid);
    }
}
