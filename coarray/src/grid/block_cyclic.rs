//! The block-cyclic layout: blocks of cells are dealt out to the images in turn.

use std::ops::Range;

use super::error::GridError;
use super::image_grid::ImageGrid;
use super::row_order::{position_of, product};

/// A global array, cut into blocks of one shape that are dealt out to the images of a grid in turn, along each axis: the next block is the
/// next image's, and after the last image comes the first again. So each image has cells everywhere in the array, which
/// shares out work that is not the same everywhere, as in a factorisation.
///
/// It says where cells are. The cells themselves are in a coarray of yours, which has [`largest_shape`](Self::largest_shape) on each
/// image. An image may have no cells.
///
/// # Examples
/// ```
/// use coarray::grid::{BlockCyclic, ImageGrid};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     // Blocks of 2 columns: image 0 has columns 0 1 4 5 8, image 1 has 2 3 6 7.
///     let layout = BlockCyclic::new([9], [2], ImageGrid::new([2]).unwrap()).unwrap();
///     assert_eq!(layout.locate([5]), (0, [3]));
///     assert_eq!(layout.global(1, [2]), [6]);
///     assert_eq!((layout.local_shape(0), layout.local_shape(1)), ([5], [4]));
///
///     let [most] = layout.largest_shape();
///     let mut columns = Coarray::<[usize]>::zeroed(most);
///     for [range] in layout.own_blocks() {
///         for column in range {
///             let (_, [local]) = layout.locate([column]);
///             columns[local] = column;
///         }
///     }
///     let columns = columns.open();
///     let (image, [local]) = layout.locate([7]);
///     assert_eq!(columns.at(image)[local].get(), 7);
/// });
/// ```
///
/// # Source
/// `CYCLIC(n)` of High Performance Fortran 2.0, section 3.3; the two-dimensional block-cyclic distribution of ScaLAPACK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCyclic<const D: usize> {
    shape: [usize; D],
    block: [usize; D],
    grid: ImageGrid<D>,
}

impl<const D: usize> BlockCyclic<D> {
    /// Local. An array of this shape in blocks of that shape, dealt out to the images of `grid`. The last blocks along an axis may be
    /// shorter.
    ///
    /// # Errors
    /// If a block has no cells, the array more than can be counted, or the last row of the grid is not full.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    pub fn new(
        shape: [usize; D],
        block: [usize; D],
        grid: ImageGrid<D>,
    ) -> Result<Self, GridError> {
        grid.expect_full()?;
        if let Some(axis) = block.iter().position(|&cells| cells == 0) {
            return Err(GridError::EmptyBlock { axis });
        }
        if product(&shape).is_none_or(|cells| isize::try_from(cells).is_err()) {
            return Err(GridError::TooLarge {
                shape: shape.to_vec(),
            });
        }
        Ok(Self { shape, block, grid })
    }

    /// Local. Cells are dealt out one by one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{BlockCyclic, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let layout = BlockCyclic::cyclic([100], ImageGrid::new([3]).unwrap()).unwrap();
    ///     assert_eq!(layout.locate([50]), (50 % 3, [50 / 3]));
    /// });
    /// ```
    ///
    /// # Source
    /// `CYCLIC` of High Performance Fortran 2.0, section 3.3.
    pub fn cyclic(shape: [usize; D], grid: ImageGrid<D>) -> Result<Self, GridError> {
        Self::new(shape, [1; D], grid)
    }

    /// Local. How many cells the array has along each axis.
    #[must_use]
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Local. How many cells a block has along each axis.
    #[must_use]
    pub fn block(&self) -> [usize; D] {
        self.block
    }

    /// Local. The images.
    #[must_use]
    pub fn grid(&self) -> &ImageGrid<D> {
        &self.grid
    }

    /// Local. How many cells an image has along each axis.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    ///
    /// # Source
    /// `NUMROC` of ScaLAPACK.
    #[must_use]
    #[track_caller]
    pub fn local_shape(&self, image: usize) -> [usize; D] {
        let coordinates = self.grid.coordinates_of(image);
        std::array::from_fn(|axis| self.axis(axis).cells_of(coordinates[axis]))
    }

    /// Local. The most cells that an image has along each axis: those of image 0.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    #[must_use]
    pub fn largest_shape(&self) -> [usize; D] {
        self.local_shape(0)
    }

    /// Local. The image that has a cell of the whole array, and the cell's index there.
    ///
    /// # Panics
    /// If there is no such cell.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    ///
    /// # Source
    /// `INDXG2P` and `INDXG2L` of ScaLAPACK.
    #[must_use]
    #[track_caller]
    pub fn locate(&self, global: [usize; D]) -> (usize, [usize; D]) {
        assert!(
            global.iter().zip(&self.shape).all(|(at, cells)| at < cells),
            "there is no cell {global:?}: the array has shape {:?}",
            self.shape
        );
        let places: [_; D] = std::array::from_fn(|axis| self.axis(axis).locate(global[axis]));
        let image = self.grid.image_at(places.map(|(image, _)| image));
        (image, places.map(|(_, local)| local))
    }

    /// Local. The index in the whole array of a cell of an image.
    ///
    /// # Panics
    /// If there is no such image, or it has no such cell.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    ///
    /// # Source
    /// `INDXL2G` of ScaLAPACK.
    #[must_use]
    #[track_caller]
    pub fn global(&self, image: usize, local: [usize; D]) -> [usize; D] {
        let shape = self.local_shape(image);
        assert!(
            local.iter().zip(&shape).all(|(at, cells)| at < cells),
            "there is no cell {local:?} on image {image}, whose cells have shape {shape:?}"
        );
        let coordinates = self.grid.coordinates_of(image);
        std::array::from_fn(|axis| self.axis(axis).global(coordinates[axis], local[axis]))
    }

    /// Local. The indices in the whole array of each block of this image, in row-major order.
    ///
    /// # Examples
    /// See [`BlockCyclic`].
    pub fn own_blocks(&self) -> impl Iterator<Item = [Range<usize>; D]> + '_ {
        let coordinates = self.grid.coordinates();
        let cells = self.local_shape(self.grid.image());
        let blocks: [usize; D] = std::array::from_fn(|axis| cells[axis].div_ceil(self.block[axis]));
        (0..blocks.iter().product()).map(move |number| {
            let number = position_of(number, blocks);
            std::array::from_fn(|axis| {
                let first = number[axis] * self.block[axis];
                let length = self.block[axis].min(cells[axis] - first);
                let start = self.axis(axis).global(coordinates[axis], first);
                start..start + length
            })
        })
    }

    fn axis(&self, axis: usize) -> Axis {
        Axis {
            cells: self.shape[axis],
            block: self.block[axis],
            images: self.grid.extents()[axis],
        }
    }
}

/// One axis of the array.
struct Axis {
    cells: usize,
    block: usize,
    images: usize,
}

impl Axis {
    fn cells_of(&self, image: usize) -> usize {
        let (full, rest) = (self.cells / self.block, self.cells % self.block);
        let (rounds, more) = (full / self.images, full % self.images);
        let last = match image {
            image if image < more => self.block,
            image if image == more => rest,
            _ => 0,
        };
        rounds * self.block + last
    }

    /// The image that has a cell, and the cell's index there.
    fn locate(&self, cell: usize) -> (usize, usize) {
        let number = cell / self.block;
        let before = number / self.images * self.block;
        (number % self.images, before + cell % self.block)
    }

    /// The index in the whole array of a cell that the image has: less than `cells`, as is what leads to it.
    fn global(&self, image: usize, cell: usize) -> usize {
        let number = cell / self.block * self.images + image;
        number * self.block + cell % self.block
    }
}
