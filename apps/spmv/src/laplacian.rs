//! The matrix of a Laplace operator on a grid: twice the number of axes on the diagonal, and -1 for each neighbour of a
//! cell. Beyond the edges everything is zero.

use std::f64::consts::PI;
use std::fmt;
use std::ops::Range;

use crate::crs::Crs;

/// A grid of cells. The last axis is the fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Laplacian {
    extents: Vec<usize>,
}

impl fmt::Display for Laplacian {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.extents.iter().map(usize::to_string).collect();
        write!(formatter, "--laplacian {}", extents.join("x"))
    }
}

impl Laplacian {
    pub(crate) fn new(extents: Vec<usize>) -> Self {
        Self { extents }
    }

    pub(crate) fn rows(&self) -> usize {
        self.extents.iter().product()
    }

    /// How many nonzeros all rows have.
    pub(crate) fn nonzeros(&self) -> usize {
        let rows = self.rows();
        let beside = |&cells: &usize| 2 * (rows - rows / cells);
        rows + self.extents.iter().map(beside).sum::<usize>()
    }

    /// How many nonzeros each row has.
    pub(crate) fn row_lengths(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.rows()).map(|cell| {
            let mut length = 1;
            self.neighbours(cell, |_| length += 1);
            length
        })
    }

    /// Some of the rows.
    pub(crate) fn matrix(&self, rows: Range<usize>) -> Crs {
        let mut matrix = Crs::new();
        let mut columns = Vec::new();
        for cell in rows {
            columns.clear();
            columns.push(cell);
            self.neighbours(cell, |neighbour| columns.push(neighbour));
            columns.sort_unstable();
            for &column in &columns {
                let diagonal = 2.0 * self.extents.len() as f64;
                matrix.push(column, if column == cell { diagonal } else { -1.0 });
            }
            matrix.end_row();
        }
        matrix
    }

    /// The largest eigenvalue: 2 - 2 cos(pi n / (n + 1)) for each axis of n cells, whose eigenvector is a sine
    /// that changes its sign from cell to cell.
    pub(crate) fn largest_eigenvalue(&self) -> f64 {
        let of_axis = |&cells: &usize| {
            let cells = cells as f64;
            2.0 - 2.0 * (PI * cells / (cells + 1.0)).cos()
        };
        self.extents.iter().map(of_axis).sum()
    }

    fn neighbours(&self, cell: usize, mut see: impl FnMut(usize)) {
        let mut stride = 1;
        for &cells in self.extents.iter().rev() {
            let position = cell / stride % cells;
            if position > 0 {
                see(cell - stride);
            }
            if position + 1 < cells {
                see(cell + stride);
            }
            stride *= cells;
        }
    }
}
