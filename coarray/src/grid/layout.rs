//! The layout of one image's part in memory.

use std::ops::Range;

use super::halo::Halo;
use super::row_order::product;

/// A block and the halo around it, in row-major order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<const D: usize> {
    block: [usize; D],
    halo: Halo<D>,
}

/// Cells of one image's part: along each axis, indices that count the halo.
pub(super) type Cells<const D: usize> = [Range<usize>; D];

impl<const D: usize> Layout<D> {
    pub(super) fn new(block: [usize; D], halo: Halo<D>) -> Self {
        Self { block, halo }
    }

    /// The layout of these cells alone, side by side.
    pub(super) fn packed(cells: &Cells<D>) -> Self {
        let block = std::array::from_fn(|axis| cells[axis].len());
        Self::new(block, Halo::from(0))
    }

    /// All cells, those of the halo included.
    pub(super) fn all(&self) -> Cells<D> {
        self.shape().map(|cells| 0..cells)
    }

    /// The cells of the block itself along each axis.
    pub(super) fn block(&self) -> [usize; D] {
        self.block
    }

    /// The cells along each axis, those of the halo included.
    pub(super) fn shape(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.halo.lower[axis] + self.block[axis] + self.halo.upper[axis])
    }

    /// How many cells there are, unless they cannot be counted.
    pub(super) fn cells(block: [usize; D], halo: &Halo<D>) -> Option<usize> {
        let mut shape = block;
        for (axis, cells) in shape.iter_mut().enumerate() {
            let width = halo.lower[axis].checked_add(halo.upper[axis])?;
            *cells = cells.checked_add(width)?;
        }
        product(&shape)
    }

    /// The distance in memory from one index to the next, along each axis, in cells.
    pub(super) fn strides(&self) -> [usize; D] {
        let shape = self.shape();
        let mut strides = [1; D];
        for axis in (1..D).rev() {
            // A part without cells has strides, too, which are not 0: views ask for that.
            strides[axis - 1] = strides[axis] * shape[axis].max(1);
        }
        strides
    }

    /// The offset of the block's first cell.
    pub(super) fn interior(&self) -> usize {
        self.offset(self.halo.lower)
    }

    /// The offset of the cell with this index, which counts the halo.
    pub(super) fn offset(&self, index: [usize; D]) -> usize {
        let strides = self.strides();
        (0..D).map(|axis| index[axis] * strides[axis]).sum()
    }

    /// The cells of the block that the neighbour in `direction` keeps in a halo of `width`.
    pub(super) fn boundary(&self, direction: [isize; D], width: &Halo<D>) -> Cells<D> {
        std::array::from_fn(|axis| {
            let first = self.halo.lower[axis];
            let end = first + self.block[axis];
            match direction[axis] {
                0 => first..end,
                1 => end - width.lower[axis]..end,
                _ => first..first + width.upper[axis],
            }
        })
    }

    /// The cells of the halo, up to `width`, in which data that move in `direction` arrive.
    pub(super) fn margin(&self, direction: [isize; D], width: &Halo<D>) -> Cells<D> {
        std::array::from_fn(|axis| {
            let first = self.halo.lower[axis];
            let end = first + self.block[axis];
            match direction[axis] {
                0 => first..end,
                1 => first - width.lower[axis]..first,
                _ => end..end + width.upper[axis],
            }
        })
    }
}
