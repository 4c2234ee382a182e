//! The product of a matrix and a vector that are divided among the images.

use std::ops::Range;

use crate::crs::Crs;
use crate::halo::Halo;
use program::shares::Clock;

/// An image's rows in two parts: the columns whose elements it has, and the others.
pub(crate) struct Split {
    /// Columns are numbers of own elements.
    local: Crs,
    /// Only the rows that need other elements. Columns are numbers of elements in the halo.
    remote: Crs,
    /// The numbers of the rows of `remote` on this image.
    remote_rows: Vec<u32>,
    /// The global numbers of the elements in the halo, rising.
    pub(crate) needed: Vec<u32>,
}

/// A matrix and the exchange of halos, to multiply vectors.
pub(crate) struct Product<'a> {
    pub(crate) split: &'a Split,
    pub(crate) halo: Halo<'a>,
    /// Whether the local part is multiplied while elements travel.
    pub(crate) overlap: bool,
}

impl Split {
    /// Splits the rows of an image that has the elements `own`.
    pub(crate) fn new(rows: &Crs, own: Range<usize>) -> Self {
        let is_own = |column: u32| own.contains(&(column as usize));
        let mut needed: Vec<u32> = rows
            .columns
            .iter()
            .copied()
            .filter(|&column| !is_own(column))
            .collect();
        needed.sort_unstable();
        needed.dedup();
        let (mut local, mut remote, mut remote_rows) = (Crs::new(), Crs::new(), Vec::new());
        for row in 0..rows.rows() {
            for (column, value) in rows.row(row) {
                match needed.binary_search(&(column as u32)) {
                    Ok(place) => remote.push(place, value),
                    Err(_) => local.push(column - own.start, value),
                }
            }
            local.end_row();
            if remote.nonzeros() > remote.starts[remote.rows()] {
                remote.end_row();
                remote_rows.push(row as u32);
            }
        }
        Self {
            local,
            remote,
            remote_rows,
            needed,
        }
    }
}

impl Product<'_> {
    /// Replaces `y` by the product with `x`: both are an image's own elements. To be called by all images.
    pub(crate) fn multiply(&mut self, x: &[f64], y: &mut [f64], clock: &mut Clock) {
        clock.communicate(|| self.halo.start(x));
        if !self.overlap {
            clock.wait(|| self.halo.finish());
        }
        for (row, y) in y.iter_mut().enumerate() {
            *y = self.split.local.row_times(row, x);
        }
        if self.overlap {
            clock.wait(|| self.halo.finish());
        }
        let elements = self.halo.values();
        for (row, &place) in self.split.remote_rows.iter().enumerate() {
            y[place as usize] += self.split.remote.row_times(row, elements);
        }
    }
}
