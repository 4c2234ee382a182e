//! How the cells of a global array are divided among the images of a grid.

use std::ops::Range;

use super::error::GridError;
use super::image_grid::ImageGrid;
use super::row_order::{index_of, position_of, product};

/// A global array, divided into one block for each image of a grid.
///
/// Along each axis the blocks differ by one cell at most; the longer ones come first. So with more images than cells along an axis the last
/// blocks have none; arrays with halos there refuse that.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, ImageGrid};
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let blocks = Blocks::new([7], ImageGrid::new([3]).unwrap()).unwrap();
///     assert_eq!((0..3).map(|image| blocks.block_shape(image)[0]).collect::<Vec<_>>(), [3, 2, 2]);
///     assert_eq!(blocks.range(1), [3..5]);
///     assert_eq!(blocks.locate([4]), (1, [1]));
///     assert_eq!(blocks.global(1, [1]), [4]);
/// });
/// ```
///
/// # Source
/// Block distributions of High Performance Fortran and XcalableMP (`distribute t(block)`); here blocks differ by one cell at most, so
/// that no image is left without cells unless there are too few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks<const D: usize> {
    shape: [usize; D],
    grid: ImageGrid<D>,
}

impl<const D: usize> Blocks<D> {
    /// Local. Divides an array of this shape among the images of `grid`.
    ///
    /// # Errors
    /// If an axis has no cells, or the array more cells than can be counted; or if the last row of the grid is not full.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, GridError, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let blocks = Blocks::new([100, 60], ImageGrid::new([2, 2]).unwrap()).unwrap();
    ///     assert_eq!(blocks.block_shape(this_image()), [50, 30]);
    ///     let blocks = Blocks::new([100, 1], ImageGrid::new([2, 2]).unwrap()).unwrap();
    ///     assert_eq!(blocks.block_shape(3), [50, 0]); // there is one column, which images 0 and 2 have
    ///     let refused = Blocks::new([100, 0], ImageGrid::new([2, 2]).unwrap()).unwrap_err();
    ///     assert!(matches!(refused, GridError::TooFewCells { axis: 1, cells: 0, .. }));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Blocks`].
    pub fn new(shape: [usize; D], grid: ImageGrid<D>) -> Result<Self, GridError> {
        grid.expect_full()?;
        for (axis, (&cells, images)) in shape.iter().zip(grid.extents()).enumerate() {
            if cells == 0 {
                return Err(GridError::TooFewCells {
                    axis,
                    cells,
                    images,
                });
            }
        }
        if product(&shape).is_none_or(|cells| isize::try_from(cells).is_err()) {
            return Err(GridError::TooLarge {
                shape: shape.to_vec(),
            });
        }
        Ok(Self { shape, grid })
    }

    /// The same division on the images of `team`.
    pub(super) fn seen_in(&self, team: &coarray_runtime::Team) -> Self {
        Self {
            shape: self.shape,
            grid: self.grid.seen_in(team),
        }
    }

    /// Local. How many cells the array has along each axis.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Local. The images.
    #[inline]
    #[must_use]
    pub fn grid(&self) -> &ImageGrid<D> {
        &self.grid
    }

    /// Local. How many cells the whole array has.
    #[inline]
    #[must_use]
    pub fn cells(&self) -> usize {
        self.shape.iter().product()
    }

    /// Local. The indices of an image's block in the whole array.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`Blocks`].
    #[must_use]
    #[track_caller]
    pub fn range(&self, image: usize) -> [Range<usize>; D] {
        let coordinates = self.grid.coordinates_of(image);
        let extents = self.grid.extents();
        std::array::from_fn(|axis| part(self.shape[axis], extents[axis], coordinates[axis]))
    }

    /// Local. The indices of this image's block in the whole array.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let blocks = Blocks::new([7, 5], ImageGrid::new([3, 1]).unwrap()).unwrap();
    ///     let [rows, columns] = blocks.own_range();
    ///     let mine: usize = rows.map(|i| columns.clone().map(|j| i * j).sum::<usize>()).sum();
    ///     let mut sum = mine;
    ///     co_sum(&mut sum); // each cell once, whoever has it
    ///     assert_eq!(sum, (0 + 1 + 2 + 3 + 4 + 5 + 6) * (0 + 1 + 2 + 3 + 4));
    /// });
    /// ```
    #[must_use]
    pub fn own_range(&self) -> [Range<usize>; D] {
        self.range(self.grid.image())
    }

    /// Local. How many cells an image's block has along each axis.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`Blocks`].
    #[must_use]
    #[track_caller]
    pub fn block_shape(&self, image: usize) -> [usize; D] {
        self.range(image).map(|range| range.len())
    }

    /// Local. The image that has a cell of the whole array, and the cell's index in the block there.
    ///
    /// # Panics
    /// If there is no such cell.
    ///
    /// # Examples
    /// See [`Blocks`].
    #[must_use]
    #[track_caller]
    pub fn locate(&self, global: [usize; D]) -> (usize, [usize; D]) {
        let (shape, extents) = (self.shape, self.grid.extents());
        assert!(
            global.iter().zip(&shape).all(|(at, cells)| at < cells),
            "there is no cell {global:?}: the array has shape {shape:?}"
        );
        let coordinates =
            std::array::from_fn(|axis| owner(shape[axis], extents[axis], global[axis]));
        let local = std::array::from_fn(|axis| {
            global[axis] - part(shape[axis], extents[axis], coordinates[axis]).start
        });
        (self.grid.image_at(coordinates), local)
    }

    /// As [`locate`](Self::locate), by the row-major indices of the cell in the whole array and in the block.
    pub(crate) fn locate_number(&self, index: usize) -> (usize, usize) {
        let (image, local) = self.locate(position_of(index, self.shape));
        (image, index_of(local, self.block_shape(image)))
    }

    /// How many cells the largest block has, which is the first.
    pub(crate) fn largest(&self) -> usize {
        self.block_shape(0).iter().product()
    }

    /// Local. The index in the whole array of a cell of an image's block.
    ///
    /// # Panics
    /// If there is no such image, or its block has no such cell.
    ///
    /// # Examples
    /// See [`Blocks`].
    #[must_use]
    #[track_caller]
    pub fn global(&self, image: usize, local: [usize; D]) -> [usize; D] {
        let range = self.range(image);
        assert!(
            local
                .iter()
                .zip(&range)
                .all(|(at, range)| *at < range.len()),
            "there is no cell {local:?} in the block of image {image}, which has shape {:?}",
            self.block_shape(image)
        );
        std::array::from_fn(|axis| range[axis].start + local[axis])
    }
}

/// Part `index` of `cells` cells that are divided into `parts`.
pub(super) fn part(cells: usize, parts: usize, index: usize) -> Range<usize> {
    let (length, longer) = (cells / parts, cells % parts);
    let start = index * length + index.min(longer);
    start..start + length + usize::from(index < longer)
}

/// The part that has a cell.
fn owner(cells: usize, parts: usize, cell: usize) -> usize {
    let (length, longer) = (cells / parts, cells % parts);
    let in_longer = longer * (length + 1);
    match cell.checked_sub(in_longer) {
        None => cell / (length + 1),
        Some(beyond) => longer + beyond / length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_cells_and_owners_have_theirs() {
        for cells in 1..40 {
            for parts in 1..50 {
                let mut next = 0;
                for index in 0..parts {
                    let range = part(cells, parts, index);
                    assert_eq!(range.start, next);
                    assert!(range.clone().all(|cell| owner(cells, parts, cell) == index));
                    assert_eq!(
                        range.len(),
                        cells / parts + usize::from(index < cells % parts)
                    );
                    next = range.end;
                }
                assert_eq!(next, cells);
            }
        }
    }
}
