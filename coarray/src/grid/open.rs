//! The open phase of halo arrays: images get and put in each other's blocks.

use std::any::type_name;
use std::fmt;
use std::panic::Location;

use coarray_coref::{Coref, Region, Remote, bytes_are_valid};
use coarray_runtime::{ImageFailed, Operation};

use super::halo_array::HaloArray;
use super::layout::Layout;
use crate::phase::{self, Openable, Phase, Phased};
use crate::storage::{Begun, Storage};

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
    pub(crate) phase: Phase<'a, HaloArray<T, D>>,
}

#[allow(private_interfaces)]
impl<T: Remote, const D: usize> Phased for HaloArray<T, D> {
    fn subject() -> &'static str {
        type_name::<Self>()
    }

    #[inline]
    fn storage(&self) -> &Storage {
        &self.storage
    }

    /// With no exchange in progress.
    fn private(&self) -> &Storage {
        self.settle();
        self.storage.private::<[T]>()
    }

    unsafe fn is_valid(&self) -> bool {
        let (elements, count) = self.storage.run::<T::Element>();
        // SAFETY: `elements` is aligned and valid for reads of `count` initialised elements, and the caller vouches that nobody
        // writes to them.
        unsafe { bytes_are_valid(elements, count) }
    }
}

impl<T: Remote, const D: usize> Openable for HaloArray<T, D> {
    type Guard<'a> = OpenHaloArray<'a, T, D>;

    #[allow(private_interfaces)]
    fn guard(
        &mut self,
        begun: Begun,
        opened: &'static Location<'static>,
    ) -> OpenHaloArray<'_, T, D> {
        OpenHaloArray {
            phase: Phase::new(self, Operation::Close, begun, opened),
        }
    }
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
        phase::open(self)
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
        phase::try_open(self)
    }
}

impl<T: Remote, const D: usize> OpenHaloArray<'_, T, D> {
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
        let lower = self.phase.coarray.halo.lower;
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
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its part of this very array,
        // and with no exchange in progress, so no image has a reference into it. The phase ends by a barrier that every image
        // enters when it drops its guard, from which corefs borrow, and that completes operations. Blocks are symmetric, and all
        // parts are initialised.
        let cells: &Coref<[T]> = unsafe { self.phase.at(image) };
        cells
            .with_extents(self.layout(image).shape())
            .expect("a part has room for every image's block and its halo")
    }

    /// Local. This image's own block, to get and put like any other.
    #[must_use]
    pub fn here(&self) -> Region<'_, T, D> {
        self.at(self.phase.me())
    }

    /// Collective. Closes the array, as dropping the guard does.
    pub fn close(self) {}

    #[track_caller]
    fn layout(&self, image: usize) -> Layout<D> {
        Layout::new(
            self.phase.coarray.blocks.block_shape(image),
            self.phase.coarray.halo,
        )
    }
}

/// Other images may be writing the cells, which are not shown.
impl<T: Remote, const D: usize> fmt::Debug for OpenHaloArray<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?}, open since {}",
            self.phase.coarray, self.phase.began
        )
    }
}
