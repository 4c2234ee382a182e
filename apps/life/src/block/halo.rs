//! The cells that a block gives to its neighbours and takes from them.

use super::Block;

/// A corner of a block's halo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// North of the first row and west of the first column.
    NorthWest,
    /// North of the first row and east of the last column.
    NorthEast,
    /// South of the last row and west of the first column.
    SouthWest,
    /// South of the last row and east of the last column.
    SouthEast,
}

impl Block {
    /// The number of words of one packed row, as [`row`](Block::row) gives and
    /// [`set_north_halo`](Block::set_north_halo) takes it.
    pub fn row_words(&self) -> usize {
        self.words_per_row
    }

    /// The number of words of one packed column, as [`pack_column`](Block::pack_column) gives and
    /// [`set_west_halo`](Block::set_west_halo) takes it.
    pub fn column_words(&self) -> usize {
        self.rows.div_ceil(64)
    }

    /// The [`row_words`](Block::row_words) words of an interior row, with the bits of the halo.
    pub fn row(&self, row: usize) -> &[u64] {
        self.check(row, 0);
        &self.words[self.first_word(row + 1)..][..self.words_per_row]
    }

    /// Packs an interior column into `out`: bit `i % 64` of word `i / 64` is the cell of row `i`,
    /// and the bits that are left over are 0.
    ///
    /// # Panics
    ///
    /// If `out` has not [`column_words`](Block::column_words) words.
    pub fn pack_column(&self, column: usize, out: &mut [u64]) {
        self.check(0, column);
        assert_eq!(out.len(), self.column_words(), "words of a packed column");
        out.fill(0);
        for row in 0..self.rows {
            out[row / 64] |= u64::from(self.bit(row + 1, column + 1)) << (row % 64);
        }
    }

    /// Fills the halo north of the first row, without its corners, from a [`row`](Block::row) of a
    /// block with as many columns: the last row of the northern neighbour.
    ///
    /// # Panics
    ///
    /// If `row` has not [`row_words`](Block::row_words) words.
    pub fn set_north_halo(&mut self, row: &[u64]) {
        self.set_row_halo(0, row);
    }

    /// Fills the halo south of the last row; otherwise as
    /// [`set_north_halo`](Block::set_north_halo).
    pub fn set_south_halo(&mut self, row: &[u64]) {
        self.set_row_halo(self.rows + 1, row);
    }

    /// Fills the halo west of the first column, without its corners, from a [packed
    /// column](Block::pack_column) of a block with as many rows: the last column of the western neighbour.
    ///
    /// # Panics
    ///
    /// If `packed` has not [`column_words`](Block::column_words) words.
    pub fn set_west_halo(&mut self, packed: &[u64]) {
        self.set_column_halo(0, packed);
    }

    /// Fills the halo east of the last column; otherwise as
    /// [`set_west_halo`](Block::set_west_halo).
    pub fn set_east_halo(&mut self, packed: &[u64]) {
        self.set_column_halo(self.columns + 1, packed);
    }

    /// Makes one corner of the halo alive or dead.
    pub fn set_corner(&mut self, corner: Corner, alive: bool) {
        let (south, east) = (self.rows + 1, self.columns + 1);
        let (row, column) = match corner {
            Corner::NorthWest => (0, 0),
            Corner::NorthEast => (0, east),
            Corner::SouthWest => (south, 0),
            Corner::SouthEast => (south, east),
        };
        self.set_bit(row, column, alive);
    }

    /// Fills the whole halo from the block's own opposite edges, which makes the block a torus.
    pub fn wrap(&mut self) {
        // The columns come first, so that the rows copied after them carry the corners along.
        for row in 1..=self.rows {
            self.set_bit(row, 0, self.bit(row, self.columns));
            self.set_bit(row, self.columns + 1, self.bit(row, 1));
        }
        for (from, to) in [(self.rows, 0), (1, self.rows + 1)] {
            let from = self.first_word(from);
            let to = self.first_word(to);
            self.words.copy_within(from..from + self.words_per_row, to);
        }
    }

    fn set_row_halo(&mut self, halo: usize, row: &[u64]) {
        assert_eq!(row.len(), self.row_words(), "words of a packed row");
        let start = self.first_word(halo);
        for (word, &cells) in row.iter().enumerate() {
            let mask = self.interior(word);
            let halo = &mut self.words[start + word];
            *halo = (*halo & !mask) | (cells & mask);
        }
    }

    fn set_column_halo(&mut self, halo: usize, packed: &[u64]) {
        assert_eq!(
            packed.len(),
            self.column_words(),
            "words of a packed column"
        );
        for row in 0..self.rows {
            self.set_bit(row + 1, halo, (packed[row / 64] >> (row % 64)) & 1 == 1);
        }
    }
}
