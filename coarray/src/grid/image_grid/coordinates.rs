//! Which image is where in a grid, and who its neighbours are.

use super::ImageGrid;
use crate::grid::row_order::{index_of, position_of};

impl<const D: usize> ImageGrid<D> {
    /// Local. The number of the image with these coordinates; none if they lie outside of the grid, or the last row ends before
    /// them.
    ///
    /// # Examples
    /// See [`in_rows_of`](Self::in_rows_of).
    ///
    /// # Source
    /// `IMAGE_INDEX`, Fortran 2018 clause 16.9.97.
    #[inline]
    #[must_use]
    pub fn image_index(&self, coordinates: [usize; D]) -> Option<usize> {
        let mut pairs = coordinates.iter().zip(&self.extents);
        if pairs.any(|(at, extent)| at >= extent) {
            return None;
        }
        let image = match self.column_major {
            false => index_of(coordinates, self.extents),
            true => index_of(reversed(coordinates), reversed(self.extents)),
        };
        (image < self.images).then_some(image)
    }

    /// Local. The number of the image with these coordinates.
    ///
    /// # Panics
    /// If there is none: the message names coordinates, extents and the number of images.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn image_at(&self, coordinates: [usize; D]) -> usize {
        match self.image_index(coordinates) {
            Some(image) => image,
            None => no_image_at(&coordinates, &self.extents, self.images),
        }
    }

    /// Local. This image's coordinates.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    ///
    /// # Source
    /// `THIS_IMAGE` of a coarray, Fortran 2018 clause 16.9.190.
    #[must_use]
    pub fn coordinates(&self) -> [usize; D] {
        self.position(self.image)
    }

    /// Local. The coordinates of an image.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap();
    ///     assert_eq!((grid.coordinates_of(0), grid.coordinates_of(5)), ([0, 0], [1, 2]));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn coordinates_of(&self, image: usize) -> [usize; D] {
        assert!(
            image < self.images(),
            "there is no image {image}: the image grid has {}",
            self.images()
        );
        self.position(image)
    }

    fn position(&self, image: usize) -> [usize; D] {
        match self.column_major {
            false => position_of(image, self.extents),
            true => reversed(position_of(image, reversed(self.extents))),
        }
    }

    /// Local. The number of the image that lies `offset` away from this one; none if the grid ends before.
    ///
    /// # Examples
    /// A token that goes once around a ring:
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let ring = ImageGrid::new([4]).unwrap().with_periodic([true]);
    ///     let next = ring.neighbour([1]).unwrap();
    ///     let token = Coarray::new(Coevent::new());
    ///     if this_image() > 0 {
    ///         token.wait();
    ///     }
    ///     token.at(next).post();
    ///     if this_image() == 0 {
    ///         token.wait();
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Cart_shift`, MPI 3.1 section 7.5.6.
    #[must_use]
    pub fn neighbour(&self, offset: [isize; D]) -> Option<usize> {
        self.from(self.coordinates(), offset)
    }

    /// Local. The number of the image that lies `offset` away from `image`; none if the grid ends before.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap().with_periodic([false, true]);
    ///     assert_eq!(grid.neighbour_of(2, [1, 1]), Some(3)); // a row further, and around the end of it
    ///     assert_eq!(grid.neighbour_of(2, [-1, 0]), None);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`neighbour`](Self::neighbour).
    #[must_use]
    #[track_caller]
    pub fn neighbour_of(&self, image: usize, offset: [isize; D]) -> Option<usize> {
        self.from(self.coordinates_of(image), offset)
    }

    pub(crate) fn from(&self, mut coordinates: [usize; D], offset: [isize; D]) -> Option<usize> {
        for axis in 0..D {
            let extent = self.extents[axis];
            let at = &mut coordinates[axis];
            *at = if self.periodic[axis] {
                let extent = extent as i128;
                (*at as i128 + offset[axis] as i128).rem_euclid(extent) as usize
            } else {
                at.checked_add_signed(offset[axis])
                    .filter(|&at| at < extent)?
            };
        }
        self.image_index(coordinates)
    }
}

fn reversed<const D: usize>(mut numbers: [usize; D]) -> [usize; D] {
    numbers.reverse();
    numbers
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_image_at(coordinates: &[usize], extents: &[usize], images: usize) -> ! {
    panic!(
        "there is no image at {coordinates:?}: the image grid has extents {extents:?} and {images} images"
    )
}
