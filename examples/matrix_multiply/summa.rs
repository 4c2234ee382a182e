//! The product, step by step.

use std::ops::Range;

use coarray::grid::HaloArray;
use coarray::ndarray::linalg::general_mat_mul;
use coarray::ndarray::{Array2, ArrayView2, s};
use coarray::prelude::*;

/// Collective. Adds `a` times `b` to `c`; all three are divided among the same grid. At most `panel` columns of `a` and
/// rows of `b` travel in a step.
pub(crate) fn add_product(
    a: &HaloArray<f64, 2>,
    b: &HaloArray<f64, 2>,
    c: &mut HaloArray<f64, 2>,
    panel: usize,
) {
    let [row, column] = c.grid().coordinates();
    // A team's images are in the order of their numbers: image i of a row is the one in column i.
    let along_row = Team::form(row as u64);
    let along_column = Team::form(column as u64);
    for step in steps(a, b, panel) {
        let own = |matrix: &HaloArray<f64, 2>, axis: usize| {
            let first = matrix.blocks().own_range()[axis].start;
            step.inner.start - first..step.inner.end - first
        };
        let left = along_row.change(|| {
            let mine = || a.interior().slice_move(s![.., own(a, 1)]);
            broadcast(step.column, [a.interior().nrows(), step.inner.len()], mine)
        });
        let right = along_column.change(|| {
            let mine = || b.interior().slice_move(s![own(b, 0), ..]);
            broadcast(step.row, [step.inner.len(), b.interior().ncols()], mine)
        });
        general_mat_mul(1.0, &left, &right, 1.0, &mut c.interior_mut());
    }
}

/// The parts of the matrices that travel in a step.
struct Step {
    /// Columns of the left matrix, and rows of the right one.
    inner: Range<usize>,
    /// The column of the grid whose images have those columns.
    column: usize,
    /// The row of the grid whose images have those rows.
    row: usize,
}

/// The steps. In each one column and one row of the grid send.
fn steps<'a>(
    a: &'a HaloArray<f64, 2>,
    b: &'a HaloArray<f64, 2>,
    panel: usize,
) -> impl Iterator<Item = Step> + 'a {
    let inner = a.blocks().shape()[1];
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == inner {
            return None;
        }
        let (left, right) = (
            a.blocks().locate([0, start]).0,
            b.blocks().locate([start, 0]).0,
        );
        let [_, column] = a.grid().coordinates_of(left);
        let [row, _] = b.grid().coordinates_of(right);
        let end = a.blocks().range(left)[1]
            .end
            .min(b.blocks().range(right)[0].end);
        let end = end.min(start.saturating_add(panel));
        let inner = start..end;
        start = end;
        Some(Step { inner, column, row })
    })
}

/// Collective. A matrix of this shape, from image `root` of the team.
fn broadcast<'a>(
    root: usize,
    shape: [usize; 2],
    mine: impl FnOnce() -> ArrayView2<'a, f64>,
) -> Array2<f64> {
    let mut matrix = Array2::zeros(shape);
    if this_image() == root {
        matrix.assign(&mine());
    }
    let elements = matrix.as_slice_mut().expect("rows lie one after the other");
    co_broadcast(elements, root);
    matrix
}
