//! The front between liquid and solid: the only cells that can change, found 64 at a time.
//!
//! One bit for each cell of a block and its halo says whether it is solid. A liquid cell can change only if one of the
//! 27 bits around it is set. So no random number is drawn for cells that are solid, or deep in the liquid.

use crate::lattice::LIQUID;

/// Which cells of a block, with a halo one cell wide, are solid.
#[derive(Debug)]
pub struct Front {
    /// Cells of the block along each axis, with the halo.
    shape: [usize; 3],
    /// 64-bit words of a row.
    words: usize,
    solid: Vec<u64>,
}

/// Some of the cells of a row that are not in the halo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// All of them.
    All,
    /// All but the first and the last, which need the halo.
    Inner,
    /// The first and the last.
    Outer,
}

impl Front {
    /// A liquid block of this shape, halo included.
    pub fn new(shape: [usize; 3]) -> Self {
        let words = shape[2].div_ceil(64);
        Self {
            shape,
            words,
            solid: vec![0; shape[0] * shape[1] * words],
        }
    }

    /// Notes that a cell is solid.
    #[inline]
    pub fn solidify(&mut self, [z, y, x]: [usize; 3]) {
        let row = self.row(z, y);
        self.solid[row + x / 64] |= 1 << (x % 64);
    }

    /// Notes the states of all cells of a row.
    pub fn set_row(&mut self, z: usize, y: usize, cells: &[u32]) {
        let row = self.row(z, y);
        for (word, cells) in self.solid[row..].iter_mut().zip(cells.chunks(64)) {
            let bit = |(place, &cell): (usize, &u32)| u64::from(cell != LIQUID) << place;
            *word = cells
                .iter()
                .enumerate()
                .map(bit)
                .fold(0, |all, bit| all | bit);
        }
    }

    /// Calls `at` with those of the `columns` of a row that are liquid and beside a solid cell.
    #[inline]
    pub fn for_each(&self, z: usize, y: usize, columns: Columns, mut at: impl FnMut(usize)) {
        let row = self.row(z, y);
        let wanted = |word: usize| !self.solid[row + word] & self.mask(word, columns);
        for word in 0..self.words {
            let mut front = wanted(word);
            if front == 0 {
                continue;
            }
            front &= self.near_solid(z, y, word);
            while front != 0 {
                at(word * 64 + front.trailing_zeros() as usize);
                front &= front - 1;
            }
        }
    }

    /// The bits of a word that have a solid cell in the same column or a column beside it, in any of nine rows.
    #[inline]
    fn near_solid(&self, z: usize, y: usize, word: usize) -> u64 {
        let here = self.any_of_nine(z, y, word);
        let mut near = here | here << 1 | here >> 1;
        if word > 0 {
            near |= self.any_of_nine(z, y, word - 1) >> 63;
        }
        if word + 1 < self.words {
            near |= self.any_of_nine(z, y, word + 1) << 63;
        }
        near
    }

    #[inline]
    fn any_of_nine(&self, z: usize, y: usize, word: usize) -> u64 {
        let mut any = 0;
        for z in z - 1..=z + 1 {
            let row = self.row(z, y - 1) + word;
            any |=
                self.solid[row] | self.solid[row + self.words] | self.solid[row + 2 * self.words];
        }
        any
    }

    #[inline]
    fn row(&self, z: usize, y: usize) -> usize {
        (z * self.shape[1] + y) * self.words
    }

    /// The bits of a word that belong to such columns.
    #[inline]
    fn mask(&self, word: usize, columns: Columns) -> u64 {
        let last = self.shape[2] - 2;
        match columns {
            Columns::All => bits(word, 1, last),
            Columns::Inner => bits(word, 2, last - 1),
            Columns::Outer => bits(word, 1, 1) | bits(word, last, last),
        }
    }
}

/// The bits of a word that stand for the columns from `first` to `last`, the last included.
#[inline]
fn bits(word: usize, first: usize, last: usize) -> u64 {
    let below = |end: usize| match end.saturating_sub(word * 64) {
        64.. => u64::MAX,
        places => (1 << places) - 1,
    };
    below(last + 1) & !below(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::{STEPS, beside};
    use crate::random::{Purpose, Random};

    /// All cells of a block, by the definition.
    fn expected(shape: [usize; 3], cells: &[u32], z: usize, y: usize) -> Vec<usize> {
        let cell = |[z, y, x]: [usize; 3]| cells[(z * shape[1] + y) * shape[2] + x];
        (1..shape[2] - 1)
            .filter(|&x| cell([z, y, x]) == LIQUID)
            .filter(|&x| {
                STEPS
                    .iter()
                    .any(|&step| cell(beside([z, y, x], step)) != LIQUID)
            })
            .collect()
    }

    #[test]
    fn fronts_are_where_liquid_cells_have_solid_neighbours() {
        for (columns, share) in [
            (3, 3),
            (4, 9),
            (63, 40),
            (64, 60),
            (65, 60),
            (66, 7),
            (130, 200),
        ] {
            let shape = [5, 4, columns];
            let random = Random::new(columns as u64);
            let solid = |cell| random.below(share, Purpose::Growth, cell, 0) == 0;
            let count = shape.iter().product::<usize>() as u64;
            let cells: Vec<u32> = (0..count).map(|cell| u32::from(solid(cell))).collect();
            let mut front = Front::new(shape);
            for (row, cells) in cells.chunks(columns).enumerate() {
                if row % 2 == 0 {
                    front.set_row(row / 4, row % 4, cells);
                } else {
                    let solid = (0..columns).filter(|&x| cells[x] != LIQUID);
                    solid.for_each(|x| front.solidify([row / 4, row % 4, x]));
                }
            }
            for z in 1..4 {
                for y in 1..3 {
                    let found = |columns| {
                        let mut found = Vec::new();
                        front.for_each(z, y, columns, |x| found.push(x));
                        found
                    };
                    let expected = expected(shape, &cells, z, y);
                    assert_eq!(found(Columns::All), expected);
                    let edge = |&x: &usize| x == 1 || x == columns - 2;
                    let (outer, inner): (Vec<_>, Vec<_>) = expected.into_iter().partition(edge);
                    assert_eq!(found(Columns::Inner), inner);
                    assert_eq!(found(Columns::Outer), outer);
                }
            }
        }
    }

    #[test]
    fn rows_can_be_set_again() {
        let mut front = Front::new([3, 3, 70]);
        front.set_row(1, 1, &[1; 70]);
        front.set_row(1, 1, &[0; 70]);
        front.for_each(1, 1, Columns::All, |x| panic!("column {x}"));
    }
}
