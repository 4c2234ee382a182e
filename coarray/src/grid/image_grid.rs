//! The images of a team, arranged in a grid.

mod coordinates;

use coarray_runtime::{Team, TeamKey};
use ndarray::{Dim, Dimension, IntoDimension};

use super::error::GridError;
use super::row_order::product;

/// The images of a team in a grid of `D` dimensions, each of which may be periodic.
///
/// The number of an image is the row-major index of its coordinates: the last coordinate counts fastest, unless the grid is
/// [`with_column_major`](Self::with_column_major). Numbers are those of the team that was current when the grid was made. The last row
/// may lack images at its end ([`in_rows_of`](Self::in_rows_of), [`in_columns_of`](Self::in_columns_of)).
///
/// A coarray is reached by coordinates through [`on`](crate::places::Parts::on): `x.on(&grid).at([i, j])`.
///
/// # Examples
/// ```
/// use coarray::grid::ImageGrid;
/// use coarray::prelude::*;
///
/// coarray::run(6, || {
///     let grid = ImageGrid::new([2, 3]).unwrap().with_periodic([false, true]);
///     assert_eq!(grid.image_at([1, 0]), 3);
///     let [row, column] = grid.coordinates();
///     assert_eq!(this_image(), 3 * row + column);
///     let right = grid.neighbour([0, 1]); // wraps round
///     assert_eq!(right, Some(grid.image_at([row, (column + 1) % 3])));
///     let below = grid.neighbour([1, 0]); // ends
///     assert_eq!(below.is_some(), row == 0);
/// });
/// ```
///
/// # Source
/// Cosubscripts, Fortran 2018 clause 9.6, which count the other way: there the first is the fastest. `MPI_Cart_create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageGrid<const D: usize> {
    extents: [usize; D],
    /// Fewer than the product of the extents, if the last row is not full.
    images: usize,
    periodic: [bool; D],
    team: TeamKey,
    /// This image's number.
    image: usize,
    /// Whether the first coordinate counts fastest, not the last.
    column_major: bool,
}

impl<const D: usize> ImageGrid<D> {
    /// Local. The images of the current team in a grid with these extents, periodic along no axis.
    ///
    /// # Errors
    /// If the product of the extents is not the number of images.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    ///
    /// # Source
    /// Coshapes, Fortran 2018 clause 5.4.7; `MPI_Cart_create`, MPI 3.1 section 7.5.1.
    #[track_caller]
    pub fn new(extents: [usize; D]) -> Result<Self, GridError> {
        let team = Team::current();
        let needed = product(&extents);
        if needed != Some(team.images()) {
            return Err(GridError::WrongNumberOfImages {
                extents: extents.to_vec(),
                needed,
                images: team.images(),
            });
        }
        Ok(Self::of(&team, extents))
    }

    /// Local. The images of the current team in rows of so many, one after the other, as many as they take; the last may lack
    /// images at its end. With two numbers or more, these are the extents of the layers of a grid of one axis more.
    ///
    /// Arrays are divided among the images of full grids only: [`Blocks::new`](super::Blocks::new) refuses others.
    ///
    /// # Errors
    /// If there is no such row: a number is 0, or their product cannot be counted.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(8, || {
    ///     let grid = ImageGrid::in_rows_of(3).unwrap(); // real :: x[3, *]
    ///     assert_eq!((grid.extents(), grid.images()), ([3, 3], 8));
    ///     assert_eq!((grid.image_index([2, 1]), grid.image_index([2, 2])), (Some(7), None));
    ///     assert_eq!(grid.neighbour_of(5, [1, 0]), None); // the image below would be number 8
    ///     let layers = ImageGrid::in_rows_of([2, 3]).unwrap(); // real :: x[3, 2, *]
    ///     assert_eq!(layers.extents(), [2, 2, 3]);
    ///     assert_eq!(layers.coordinates_of(7), [1, 0, 1]);
    /// });
    /// ```
    ///
    /// # Source
    /// The codimensions `[p, q, *]`, Fortran 2018 clause 8.5.6. The one without a bound is the slowest: there the last, here the
    /// first.
    #[track_caller]
    pub fn in_rows_of<R>(row: R) -> Result<Self, GridError>
    where
        R: IntoDimension<Dim: Dimension<Larger = Dim<[usize; D]>>>,
    {
        let row = row.into_dimension();
        let team = Team::current();
        let mut extents = [rows_of(row.slice(), team.images())?; D];
        extents[1..].copy_from_slice(row.slice());
        Ok(Self::of(&team, extents))
    }

    /// Local. The images of the current team in columns of so many, numbered and written as Fortran does: the first coordinate counts
    /// fastest, and the last axis has as many columns as the images take; the last may lack images at its end.
    ///
    /// # Errors
    /// As [`in_rows_of`](Self::in_rows_of).
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(7, || {
    ///     let grid = ImageGrid::in_columns_of([2, 2]).unwrap(); // real :: x[2, 2, *]
    ///     assert_eq!((grid.extents(), grid.images()), ([2, 2, 2], 7));
    ///     assert_eq!(grid.image_index([1, 0, 1]), Some(5)); // x[2, 1, 2] is on Fortran's image 6
    ///     assert_eq!(grid.image_index([1, 1, 1]), None);
    /// });
    /// ```
    ///
    /// # Source
    /// The codimensions `[p, q, *]`, Fortran 2018 clause 8.5.6.
    #[track_caller]
    pub fn in_columns_of<C>(column: C) -> Result<Self, GridError>
    where
        C: IntoDimension<Dim: Dimension<Larger = Dim<[usize; D]>>>,
    {
        let column = column.into_dimension();
        let team = Team::current();
        let mut extents = [rows_of(column.slice(), team.images())?; D];
        extents[..column.slice().len()].copy_from_slice(column.slice());
        Ok(Self::of(&team, extents).with_column_major())
    }

    pub(super) fn of(team: &Team, extents: [usize; D]) -> Self {
        const { assert!(D > 0, "a grid has at least one axis") }
        Self {
            extents,
            images: team.images(),
            periodic: [false; D],
            team: team.key(),
            image: team.index(),
            column_major: false,
        }
    }

    /// Local. The same grid with its images numbered as Fortran does: the first coordinate counts fastest, not the last.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap().with_column_major();
    ///     assert_eq!((grid.image_at([1, 0]), grid.image_at([0, 1])), (1, 2));
    ///     assert_eq!(grid.coordinates_of(5), [1, 2]);
    /// });
    /// ```
    ///
    /// # Source
    /// Cosubscripts, Fortran 2018 clause 9.6.
    #[must_use]
    pub fn with_column_major(mut self) -> Self {
        self.column_major = true;
        self
    }

    /// Local. Whether the first coordinate counts fastest.
    #[inline]
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        self.column_major
    }

    /// Local. The same grid, periodic along the axes that are marked: behind its last image comes the first.
    ///
    /// If the last row is not full, the images that it lacks still count: an image has no neighbour where one of them would be.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    #[must_use]
    pub fn with_periodic(mut self, axes: [bool; D]) -> Self {
        self.periodic = axes;
        self
    }

    /// The same grid as `team` sees it.
    pub(super) fn seen_in(&self, team: &Team) -> Self {
        Self {
            team: team.key(),
            image: team.index(),
            ..self.clone()
        }
    }

    /// Local. How many images there are along each axis; of the first axis the rows, the last of which may not be full.
    ///
    /// # Source
    /// `COSHAPE`, Fortran 2018 clause 16.9.55.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Local. The least coordinate along each axis: 0.
    ///
    /// # Source
    /// `LCOBOUND`, Fortran 2018 clause 16.9.110; there a program may choose other bounds.
    #[inline]
    #[must_use]
    pub fn lower_cobounds(&self) -> [usize; D] {
        [0; D]
    }

    /// Local. The largest coordinate along each axis.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(5, || {
    ///     let grid = ImageGrid::in_rows_of(3).unwrap();
    ///     assert_eq!((grid.lower_cobounds(), grid.upper_cobounds()), ([0, 0], [1, 2]));
    ///     assert_eq!(grid.coordinates_of(4), [1, 1]); // the last image does not have them
    /// });
    /// ```
    ///
    /// # Source
    /// `UCOBOUND`, Fortran 2018 clause 16.9.197.
    #[inline]
    #[must_use]
    pub fn upper_cobounds(&self) -> [usize; D] {
        self.extents.map(|extent| extent - 1)
    }

    /// Local. Which axes are periodic.
    #[inline]
    #[must_use]
    pub fn periodic(&self) -> [bool; D] {
        self.periodic
    }

    /// Local. How many images there are.
    #[inline]
    #[must_use]
    pub fn images(&self) -> usize {
        self.images
    }

    /// # Errors
    /// If there is not an image at each coordinate within the extents.
    pub(super) fn expect_full(&self) -> Result<(), GridError> {
        match product(&self.extents) == Some(self.images) {
            true => Ok(()),
            false => Err(GridError::NotFull {
                extents: self.extents.to_vec(),
                images: self.images,
            }),
        }
    }

    /// The team whose images these are.
    #[inline]
    pub(crate) fn team(&self) -> TeamKey {
        self.team
    }

    /// This image's number in the grid.
    #[inline]
    pub(super) fn image(&self) -> usize {
        self.image
    }

    /// Whether blocks have neighbours along this axis, be it themselves.
    pub(super) fn has_neighbours(&self, axis: usize) -> bool {
        self.extents[axis] > 1 || self.periodic[axis]
    }
}

/// How many rows of these extents so many images take.
fn rows_of(row: &[usize], images: usize) -> Result<usize, GridError> {
    match product(row).filter(|&in_row| in_row > 0) {
        Some(in_row) => Ok(images.div_ceil(in_row)),
        None => Err(GridError::NoRow { row: row.to_vec() }),
    }
}
