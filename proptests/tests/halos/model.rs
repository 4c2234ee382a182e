//! What a halo cell holds after an exchange, by positions alone: without neighbours, directions and copies.

use coarray::grid::Halo;

use crate::case::{Case, Round};

/// Where a cell of an image's part comes from in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<const D: usize> {
    /// The image's own cell.
    Own([usize; D]),
    /// A cell of the whole array, by a copy.
    Copy([usize; D]),
    /// The exchange leaves it alone.
    Untouched,
}

impl<const D: usize> Case<D> {
    /// The first cell of an image's block, and how many it has.
    fn block(&self, image: usize) -> ([usize; D], [usize; D]) {
        let (mut start, mut length) = ([0; D], [0; D]);
        let mut rest = image;
        for digit in 0..D {
            let axis = if self.column_major {
                digit
            } else {
                D - 1 - digit
            };
            let at = rest % self.extents[axis];
            rest /= self.extents[axis];
            let owner = |cell: &usize| {
                // Counted out: the first blocks take one cell more.
                let (n, p) = (self.shape[axis], self.extents[axis]);
                let lengths = (0..p).map(|part| n / p + usize::from(part < n % p));
                let ends = lengths.scan(0, |end, length| {
                    *end += length;
                    Some(*end)
                });
                ends.take_while(|end| end <= cell).count() == at
            };
            let mine: Vec<usize> = (0..self.shape[axis]).filter(owner).collect();
            (start[axis], length[axis]) = (mine[0], mine.len());
        }
        (start, length)
    }

    /// Where the cells of an image's part come from, in row-major order.
    pub fn origins(&self, image: usize, round: &Round<D>) -> Vec<Origin<D>> {
        let (start, length) = self.block(image);
        let Halo { lower, upper } = self.halo;
        let padded: [usize; D] =
            std::array::from_fn(|axis| lower[axis] + length[axis] + upper[axis]);
        let count = padded.iter().product();
        let cells = (0..count).map(|mut index: usize| {
            let mut at = [0; D];
            for axis in (0..D).rev() {
                at[axis] = index % padded[axis];
                index /= padded[axis];
            }
            at
        });
        cells
            .map(|at| self.origin(start, length, at, round))
            .collect()
    }

    fn origin(
        &self,
        start: [usize; D],
        length: [usize; D],
        at: [usize; D],
        round: &Round<D>,
    ) -> Origin<D> {
        let width = round.width.unwrap_or(self.halo);
        let mut global = [0; D];
        let mut outside = 0;
        let mut is_reached = true;
        for axis in 0..D {
            let local = at[axis] as isize - self.halo.lower[axis] as isize;
            let beyond = local - length[axis] as isize + 1;
            if local < 0 {
                outside += 1;
                is_reached &= -local <= width.lower[axis] as isize;
            } else if beyond > 0 {
                outside += 1;
                is_reached &= beyond <= width.upper[axis] as isize;
            }
            let cells = self.shape[axis] as isize;
            let index = start[axis] as isize + local;
            if self.periodic[axis] {
                global[axis] = index.rem_euclid(cells) as usize;
            } else {
                is_reached &= (0..cells).contains(&index);
                global[axis] = index.clamp(0, cells - 1) as usize;
            }
        }
        match outside {
            0 => Origin::Own(global),
            _ if !is_reached || round.faces_only && outside > 1 => Origin::Untouched,
            _ => Origin::Copy(global),
        }
    }
}
