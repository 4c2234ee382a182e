//! Parts of the whole array: indices of cells along each axis.

use std::ops::Range;

use super::blocks::Blocks;
use super::halo::Halo;
use super::layout::{Cells, Layout};
use super::row_order::position_of;
use super::strided::StridedCopy;

/// Indices in the whole array of some of its cells, along each axis.
pub(super) type Part<const D: usize> = [Range<usize>; D];

/// The cells that two parts have in common, if there are any.
fn common<const D: usize>(one: &Part<D>, other: &Part<D>) -> Option<Part<D>> {
    let both: Part<D> = std::array::from_fn(|axis| {
        let start = one[axis].start.max(other[axis].start);
        start..one[axis].end.min(other[axis].end)
    });
    (!both.iter().any(Range::is_empty)).then_some(both)
}

/// How many cells a part has along each axis.
pub(super) fn shape_of<const D: usize>(part: &Part<D>) -> [usize; D] {
    part.clone().map(|range| range.len())
}

/// The images whose blocks have cells of a part, and which.
pub(super) fn owners<const D: usize>(blocks: &Blocks<D>, part: &Part<D>) -> Vec<(usize, Part<D>)> {
    if part.iter().any(Range::is_empty) {
        return Vec::new();
    }
    let grid = blocks.grid();
    let corner = |cell: [usize; D]| grid.coordinates_of(blocks.locate(cell).0);
    let first = corner(part.clone().map(|range| range.start));
    let last = corner(part.clone().map(|range| range.end - 1));
    // The number of images along each axis that have cells of the part.
    let images: [usize; D] = std::array::from_fn(|axis| last[axis] - first[axis] + 1);
    (0..images.iter().product())
        .filter_map(|number| {
            let steps = position_of(number, images);
            let image = grid.image_at(std::array::from_fn(|axis| first[axis] + steps[axis]));
            common(part, &blocks.range(image)).map(|common| (image, common))
        })
        .collect()
}

/// The layout of memory that holds a part, and a halo around it.
pub(super) struct PartLayout<const D: usize> {
    layout: Layout<D>,
    /// The index in the whole array of the first cell of the part, and its index in this memory.
    first: [usize; D],
    lower: [usize; D],
}

impl<const D: usize> PartLayout<D> {
    pub(super) fn new(part: &Part<D>, halo: Halo<D>) -> Self {
        Self {
            layout: Layout::new(shape_of(part), halo),
            first: part.clone().map(|range| range.start),
            lower: halo.lower,
        }
    }

    /// Memory with the cells of a part alone.
    pub(super) fn of(part: &Part<D>) -> Self {
        Self::new(part, Halo::from(0))
    }

    /// The indices in this memory of cells of the part.
    fn cells(&self, part: &Part<D>) -> Cells<D> {
        std::array::from_fn(|axis| {
            let start = part[axis].start - self.first[axis] + self.lower[axis];
            start..start + part[axis].len()
        })
    }

    /// The copy to `to` of cells that both hold; there is at least one.
    pub(super) fn copy(&self, to: &Self, cells: &Part<D>) -> StridedCopy {
        StridedCopy::new(
            &self.layout,
            &self.cells(cells),
            &to.layout,
            &to.cells(cells),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs<const D: usize>(
        from: &PartLayout<D>,
        to: &PartLayout<D>,
        cells: &Part<D>,
    ) -> Vec<[usize; 3]> {
        let mut runs = Vec::new();
        let copy = from.copy(to, cells);
        copy.each_run(|from, to, length| runs.push([from, to, length]));
        runs
    }

    #[test]
    fn a_part_between_halos_is_a_run_for_each_row() {
        let block = PartLayout::new(&[2..5, 4..8], Halo::from([(1, 0), (2, 1)]));
        let cells = [3..5, 5..7];
        let packed = PartLayout::of(&cells);
        // Row 3 is the third of the block, and cell 5 the fourth of seven.
        assert_eq!(runs(&block, &packed, &cells), [[17, 0, 2], [24, 2, 2]]);
        assert_eq!(runs(&packed, &block, &cells), [[0, 17, 2], [2, 24, 2]]);
    }

    #[test]
    fn rows_that_are_whole_in_both_places_are_one_run() {
        let block = PartLayout::new(&[0..4, 3..5, 0..6], Halo::from([1, 0, 0]));
        let cells = [1..3, 3..5, 0..6];
        assert_eq!(runs(&block, &PartLayout::of(&cells), &cells), [[24, 0, 24]]);
        let whole = PartLayout::of(&[0..4, 0..9, 0..6]);
        assert_eq!(runs(&block, &whole, &cells), [[24, 72, 12], [36, 126, 12]]);
    }

    #[test]
    fn parts_have_in_common_what_is_in_both() {
        assert_eq!(common(&[0..5, 2..4], &[3..9, 0..3]), Some([3..5, 2..3]));
        assert_eq!(common(&[0..5, 2..4], &[3..9, 4..6]), None);
    }
}
