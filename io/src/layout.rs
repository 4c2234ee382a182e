//! Where the cells of a block are: in the file that holds the global array, and in memory.
//!
//! Nothing here knows of images or formats.

use std::ops::Range;

/// The places of a block's cells in a file and in memory.
///
/// ```text
///    the global array in the file            the block in memory
///    . . . . . . . .                         h h h h h h
///    . . . a b c d .     run a b c d:        h a b c d h
///    . . . e f g h .     4 cells at 11       h e f g h h
///    . . . . . . . .                         h h h h h h
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The slowest in the file first.
    axes: Vec<Axis>,
    /// The bytes of a cell.
    width: usize,
    /// Where the first cell is in memory, in bytes.
    first: usize,
}

#[derive(Clone, Debug)]
struct Axis {
    /// The extent of the global array.
    cells: usize,
    /// The cells of the block.
    range: Range<usize>,
    /// From a cell to the next one in memory, in bytes.
    stride: usize,
}

/// Cells that lie one after the other in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where they are in the file, in bytes from the array's first cell.
    pub(crate) file: u64,
    /// Where the first one is in memory, in bytes.
    pub(crate) memory: usize,
    /// From one to the next in memory, in bytes.
    pub(crate) stride: usize,
    pub(crate) cells: usize,
}

impl Layout {
    /// The block `range` of an array of the given `shape`, in row-major order in the file, and in memory in a row-major
    /// array of the extents `padded`, in which it starts at `margin`. Cells have `width` bytes.
    pub(crate) fn new(
        shape: &[usize],
        range: &[Range<usize>],
        padded: &[usize],
        margin: &[usize],
        width: usize,
    ) -> Self {
        let mut axes = Vec::new();
        let (mut stride, mut first) = (width, 0);
        for axis in (0..shape.len()).rev() {
            axes.push(Axis {
                cells: shape[axis],
                range: range[axis].clone(),
                stride,
            });
            first += margin[axis] * stride;
            stride *= padded[axis];
        }
        axes.reverse();
        Self { axes, width, first }
    }

    /// The same block of a file in column-major order.
    pub(crate) fn column_major(mut self) -> Self {
        self.axes.reverse();
        self
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The bytes of the global array.
    pub(crate) fn file_bytes(&self) -> u64 {
        let cells: u64 = self.axes.iter().map(|axis| axis.cells as u64).product();
        cells * self.width as u64
    }

    /// How long its runs are, and whether there are several.
    pub(crate) fn run_bytes(&self) -> (usize, bool) {
        let mut runs = self.runs();
        let first = runs.next().map_or(0, |run| run.cells * self.width);
        (first, runs.next().is_some())
    }

    /// All runs, in the order of the file.
    pub(crate) fn runs(&self) -> Runs {
        let mut axes: Vec<Axis> = Vec::new();
        for axis in &self.axes {
            // An axis that is whole, in the file and in memory, continues the one before.
            match axes.last_mut() {
                Some(before)
                    if axis.range == (0..axis.cells)
                        && before.stride == axis.cells * axis.stride =>
                {
                    before.cells *= axis.cells;
                    before.range.start *= axis.cells;
                    before.range.end *= axis.cells;
                    before.stride = axis.stride;
                }
                _ => axes.push(axis.clone()),
            }
        }
        let along = axes.pop().unwrap_or(Axis {
            cells: 1,
            range: 0..1,
            stride: self.width,
        });
        let empty = along.range.is_empty() || axes.iter().any(|axis| axis.range.is_empty());
        Runs {
            at: (!empty).then(|| vec![0; axes.len()]),
            axes,
            along,
            width: self.width,
            first: self.first,
        }
    }
}

/// The runs of a layout.
pub(crate) struct Runs {
    /// The slowest first, without the axis along which runs go.
    axes: Vec<Axis>,
    along: Axis,
    width: usize,
    first: usize,
    /// The index of the next run in the block; none after the last one.
    at: Option<Vec<usize>>,
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let at = self.at.as_mut()?;
        let (mut file, mut memory) = (0, self.first);
        for (axis, &at) in self.axes.iter().zip(at.iter()) {
            file = file * axis.cells as u64 + (axis.range.start + at) as u64;
            memory += at * axis.stride;
        }
        file = file * self.along.cells as u64 + self.along.range.start as u64;
        let run = Run {
            file: file * self.width as u64,
            memory,
            stride: self.along.stride,
            cells: self.along.range.len(),
        };
        let step = (0..at.len()).rev().find(|&axis| {
            at[axis] += 1;
            let goes_on = at[axis] < self.axes[axis].range.len();
            if !goes_on {
                at[axis] = 0;
            }
            goes_on
        });
        if step.is_none() {
            self.at = None;
        }
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Run};
    use proptest::prelude::*;
    use std::ops::Range;

    #[test]
    fn whole_planes_are_one_run() {
        let layout = Layout::new(&[8, 5, 4], &[2..5, 0..5, 0..4], &[3, 5, 4], &[0; 3], 2);
        let runs: Vec<Run> = layout.runs().collect();
        let run = Run {
            file: 80,
            memory: 0,
            stride: 2,
            cells: 60,
        };
        assert_eq!(runs, [run]);
    }

    /// Extents, ranges and margins of an array of up to four axes.
    fn blocks() -> impl Strategy<Value = Vec<(usize, Range<usize>, usize, usize)>> {
        let axis = (1usize..6)
            .prop_flat_map(|cells| (Just(cells), 0..cells, 0usize..3, 0usize..3))
            .prop_flat_map(|(cells, start, lower, upper)| {
                (Just(cells), start + 1..=cells, Just((start, lower, upper)))
            })
            .prop_map(|(cells, end, (start, lower, upper))| (cells, start..end, lower, upper));
        prop::collection::vec(axis, 1..5)
    }

    proptest! {
        #[test]
        fn every_cell_has_the_place_that_arithmetic_says(block in blocks(), width in 1usize..9, columns: bool) {
            let shape: Vec<_> = block.iter().map(|axis| axis.0).collect();
            let range: Vec<_> = block.iter().map(|axis| axis.1.clone()).collect();
            let margin: Vec<_> = block.iter().map(|axis| axis.2).collect();
            let padded: Vec<_> = block.iter().map(|axis| axis.1.len() + axis.2 + axis.3).collect();
            let mut layout = Layout::new(&shape, &range, &padded, &margin, width);
            if columns {
                layout = layout.column_major();
            }
            let mut found = Vec::new();
            for run in layout.runs() {
                for cell in 0..run.cells {
                    found.push((run.file + (cell * width) as u64, run.memory + cell * run.stride));
                }
            }
            prop_assert!(found.is_sorted(), "not in the order of the file: {found:?}");

            let mut expected = Vec::new();
            let cells: usize = range.iter().map(|range| range.len()).product();
            for mut number in 0..cells {
                let (mut file, mut memory, mut scale) = (0, 0, 1);
                let mut index = vec![0; shape.len()];
                for axis in (0..shape.len()).rev() {
                    index[axis] = number % range[axis].len();
                    number /= range[axis].len();
                    memory += (index[axis] + margin[axis]) * scale;
                    scale *= padded[axis];
                }
                let order: Vec<usize> = if columns { (0..shape.len()).rev().collect() } else { (0..shape.len()).collect() };
                for axis in order {
                    file = file * shape[axis] + range[axis].start + index[axis];
                }
                expected.push(((file * width) as u64, memory * width));
            }
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
