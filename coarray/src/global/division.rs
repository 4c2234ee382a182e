//! Which image has an item of the whole array.

use crate::grid::Blocks;

/// How the items of an array are divided among images: [`Even`], or by [`Blocks`].
///
/// # Examples
/// See [`GlobalIndices`](super::GlobalIndices).
///
/// # Source
/// As [`GlobalIndices`](super::GlobalIndices).
pub trait Division: sealed::Locate {}

mod sealed {
    pub trait Locate {
        /// How many items there are.
        fn cells(&self) -> usize;

        /// The image that has an item, which there is, and its index there.
        fn locate(&self, index: usize) -> (usize, usize);
    }
}

/// Equally many items on each image, those of image 0 first.
///
/// # Examples
/// See [`GlobalIndices::global`](super::GlobalIndices::global).
///
/// # Source
/// As [`GlobalIndices`](super::GlobalIndices).
#[derive(Clone, Copy, Debug)]
pub struct Even {
    length: usize,
    items: usize,
}

impl Even {
    pub(super) fn new(length: usize, images: usize) -> Self {
        // Heaps have less than 16 TiB, and there are a million images at most.
        let items = length.saturating_mul(images).min(isize::MAX as usize);
        Self { length, items }
    }
}

impl Division for Even {}

impl sealed::Locate for Even {
    #[inline]
    fn cells(&self) -> usize {
        self.items
    }

    #[inline]
    fn locate(&self, index: usize) -> (usize, usize) {
        (index / self.length, index % self.length)
    }
}

impl<const D: usize> Division for &Blocks<D> {}

impl<const D: usize> sealed::Locate for &Blocks<D> {
    #[inline]
    fn cells(&self) -> usize {
        Blocks::cells(self)
    }

    #[inline]
    fn locate(&self, index: usize) -> (usize, usize) {
        self.locate_number(index)
    }
}
