//! Parts of a global array, and the runs of memory that they are in the blocks of images.

use std::ops::Range;

use super::halo::Halo;

/// Indices of cells of a global array, along each axis.
pub(super) type Part<const D: usize> = [Range<usize>; D];

/// The cells that two parts have in common, if there are any.
pub(super) fn common<const D: usize>(one: &Part<D>, other: &Part<D>) -> Option<Part<D>> {
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

/// How cells of a global array lie in memory, the last axis the fastest.
#[derive(Clone, Debug)]
pub(super) struct Layout<const D: usize> {
    /// How many cells lie there along each axis.
    shape: [usize; D],
    /// The global index of the first cell of a part, and where it lies.
    start: [usize; D],
    offset: [usize; D],
}

impl<const D: usize> Layout<D> {
    /// Memory with the cells of a part, and nothing else.
    pub(super) fn of_part(part: &Part<D>) -> Self {
        Self::of_block(part, &Halo::from(0))
    }

    /// Memory with the cells of a part, and a halo around them.
    pub(super) fn of_block(part: &Part<D>, halo: &Halo<D>) -> Self {
        let shape = |axis: usize| halo.lower[axis] + part[axis].len() + halo.upper[axis];
        Self {
            shape: std::array::from_fn(shape),
            start: part.clone().map(|range| range.start),
            offset: halo.lower,
        }
    }

    /// How many cells lie there.
    pub(super) fn cells(&self) -> usize {
        self.shape.iter().product()
    }

    /// Where a cell lies.
    #[inline]
    fn position(&self, cell: &[usize; D]) -> usize {
        (0..D).fold(0, |position, axis| {
            position * self.shape[axis] + cell[axis] - self.start[axis] + self.offset[axis]
        })
    }
}

/// Cells that lie side by side in two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Where they begin in the one.
    pub(super) from: usize,
    /// Where they begin in the other.
    pub(super) to: usize,
    /// How many they are.
    pub(super) length: usize,
}

/// The runs of a part, which lies in memory in two ways. Their positions rise in both.
pub(super) struct Runs<'a, const D: usize> {
    part: &'a Part<D>,
    from: &'a Layout<D>,
    to: &'a Layout<D>,
    /// The first cell of the next run.
    next: [usize; D],
    /// The axes before this one change from run to run.
    joined: usize,
    length: usize,
    left: usize,
}

impl<'a, const D: usize> Runs<'a, D> {
    pub(super) fn new(part: &'a Part<D>, from: &'a Layout<D>, to: &'a Layout<D>) -> Self {
        let shape = shape_of(part);
        // Rows that are whole in both places follow each other without a gap.
        let is_whole = |axis: usize| shape[axis] == from.shape[axis] && shape[axis] == to.shape[axis];
        let mut joined = D.saturating_sub(1);
        while joined > 0 && is_whole(joined) {
            joined -= 1;
        }
        let length = shape[joined..].iter().product();
        let left = if length == 0 { 0 } else { shape[..joined].iter().product() };
        Self {
            part,
            from,
            to,
            next: part.clone().map(|range| range.start),
            joined,
            length,
            left,
        }
    }
}

impl<const D: usize> Iterator for Runs<'_, D> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        self.left = self.left.checked_sub(1)?;
        let run = Run {
            from: self.from.position(&self.next),
            to: self.to.position(&self.next),
            length: self.length,
        };
        for axis in (0..self.joined).rev() {
            self.next[axis] += 1;
            if self.next[axis] < self.part[axis].end {
                break;
            }
            self.next[axis] = self.part[axis].start;
        }
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs<const D: usize>(part: &Part<D>, from: &Layout<D>, to: &Layout<D>) -> Vec<[usize; 3]> {
        let words = |run: Run| [run.from, run.to, run.length];
        Runs::new(part, from, to).map(words).collect()
    }

    #[test]
    fn a_part_between_halos_is_a_run_for_each_row() {
        let block = Layout::of_block(&[2..5, 4..8], &Halo::from([(1, 0), (2, 1)]));
        assert_eq!(block.cells(), 4 * 7);
        let part = [3..5, 5..7];
        let packed = Layout::of_part(&part);
        // Row 3 is the third of the block, and cell 5 the fourth of the row.
        assert_eq!(runs(&part, &block, &packed), [[17, 0, 2], [24, 2, 2]]);
        assert_eq!(runs(&part, &packed, &block), [[0, 17, 2], [2, 24, 2]]);
    }

    #[test]
    fn rows_that_are_whole_in_both_places_are_one_run() {
        let block = Layout::of_block(&[0..4, 3..5, 0..6], &Halo::from([1, 0, 0]));
        let part = [1..3, 3..5, 0..6];
        assert_eq!(runs(&part, &block, &Layout::of_part(&part)), [[24, 0, 24]]);
        let whole = Layout::of_part(&[0..4, 0..9, 0..6]);
        assert_eq!(runs(&part, &block, &whole), [[24, 72, 12], [36, 126, 12]]);
    }

    #[test]
    fn one_axis_is_one_run_and_no_cells_are_none() {
        let block = Layout::of_block(&[10..20], &Halo::from(2));
        let packed = Layout::of_part(&[12..15]);
        assert_eq!(runs(&[12..15], &block, &packed), [[4, 0, 3]]);
        assert_eq!(runs(&[12..12], &block, &packed), [[0; 3]; 0]);
        let flat = Layout::of_part(&[3..3, 0..5]);
        assert_eq!(runs(&[3..3, 0..5], &flat, &flat), [[0; 3]; 0]);
    }

    #[test]
    fn parts_have_in_common_what_is_in_both() {
        assert_eq!(common(&[0..5, 2..4], &[3..9, 0..3]), Some([3..5, 2..3]));
        assert_eq!(common(&[0..5, 2..4], &[3..9, 4..6]), None);
    }
}
