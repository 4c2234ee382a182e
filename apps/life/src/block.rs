//! The bit kernel: a rectangle of cells, one bit each, that computes 64 cells at a time.

mod generation;
mod halo;
#[cfg(test)]
mod tests;

pub use halo::Corner;

/// A rectangle of `rows` × `columns` cells of a larger torus, with a halo one cell wide.
///
/// # Layout
///
/// Row 0 is the north halo, rows `1..=rows` are the interior and row `rows + 1` is the south halo.
/// In every row, column 0 is the west halo, columns `1..=columns` are the interior and column
/// `columns + 1` is the east halo; column `c` is bit `c % 64` (the lowest bit is bit 0) of word
/// `c / 64`. Bits past the east halo have no meaning.
///
/// ```text
///         bit 0   bits 1..=columns   bit columns + 1
/// row 0     NW     n n n n n n n n     NE
/// row 1     w      . . . . . . . .     e        interior row 0
///  ...      w      . . . . . . . .     e
/// row rows  w      . . . . . . . .     e        interior row rows - 1
///           SW     s s s s s s s s     SE
/// ```
///
/// Methods take interior coordinates, from 0, and panic where these are out of range.
///
/// # One generation
///
/// Fill the halo, with the neighbours' cells or with [`wrap`](Block::wrap), then call
/// [`step_into`](Block::step_into):
///
/// ```
/// use life::block::Block;
///
/// let mut block = Block::new(5, 5);
/// let mut next = block.clone();
/// for column in 1..4 {
///     block.set(2, column, true);
/// }
/// block.wrap();
/// block.step_into(&mut next);
/// assert!((1..4).all(|row| next.get(row, 2)));
/// assert_eq!(next.population(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Block {
    rows: usize,
    columns: usize,
    words_per_row: usize,
    /// All rows in order, between two spare words: so every word of the block, even its first and
    /// its last, has a word on either side.
    words: Vec<u64>,
}

impl Block {
    /// A block of dead cells, with a dead halo.
    ///
    /// # Panics
    ///
    /// If `rows` or `columns` is 0.
    pub fn new(rows: usize, columns: usize) -> Block {
        assert!(
            rows > 0 && columns > 0,
            "a block of {rows} x {columns} cells is empty"
        );
        let words_per_row = words_per_row(columns);
        let words = vec![0; (rows + 2) * words_per_row + 2];
        Block {
            rows,
            columns,
            words_per_row,
            words,
        }
    }

    /// How many bytes of memory such a block takes.
    pub fn bytes(rows: usize, columns: usize) -> usize {
        8 * ((rows + 2) * words_per_row(columns) + 2)
    }

    /// The number of interior rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of interior columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of words that hold one row, its two halo cells included.
    pub fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    /// Whether a cell is alive.
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.check(row, column);
        self.bit(row + 1, column + 1)
    }

    /// Makes a cell alive or dead. The halo stays as it is.
    pub fn set(&mut self, row: usize, column: usize, alive: bool) {
        self.check(row, column);
        self.set_bit(row + 1, column + 1, alive);
    }

    /// The number of live cells, without the halo.
    pub fn population(&self) -> u64 {
        let masks: Vec<u64> = (0..self.words_per_row)
            .map(|word| self.interior(word))
            .collect();
        (0..self.rows)
            .flat_map(|row| self.row(row).iter().zip(&masks))
            .map(|(word, mask)| u64::from((word & mask).count_ones()))
            .sum()
    }

    /// Computes the next generation of the interior into `next`, from the interior and the halo of
    /// `self`. The halo of `next` is then unspecified.
    ///
    /// # Panics
    ///
    /// If `next` has another shape.
    pub fn step_into(&self, next: &mut Block) {
        assert_eq!(
            (next.rows, next.columns),
            (self.rows, self.columns),
            "the next generation has the shape of this one"
        );
        let stride = self.words_per_row;
        let length = self.rows * stride;
        let from = |row: usize| &self.words[row * stride..][..length + 2];
        generation::compute(
            from(0),
            from(1),
            from(2),
            &mut next.words[1 + stride..][..length],
        );
    }

    fn check(&self, row: usize, column: usize) {
        assert!(
            row < self.rows && column < self.columns,
            "cell ({row}, {column}) of a block of {} x {} cells",
            self.rows,
            self.columns
        );
    }

    /// The index in `words` at which a row begins. Rows and columns here and below count the halo.
    fn first_word(&self, row: usize) -> usize {
        1 + row * self.words_per_row
    }

    fn bit(&self, row: usize, column: usize) -> bool {
        (self.words[self.first_word(row) + column / 64] >> (column % 64)) & 1 == 1
    }

    fn set_bit(&mut self, row: usize, column: usize, alive: bool) {
        let index = self.first_word(row) + column / 64;
        let bit = 1 << (column % 64);
        self.words[index] = (self.words[index] & !bit) | if alive { bit } else { 0 };
    }

    /// The bits of a row's word `word` that are interior columns.
    fn interior(&self, word: usize) -> u64 {
        let below = |column: usize| match column.saturating_sub(64 * word) {
            bits @ 0..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        below(self.columns + 1) & !below(1)
    }
}

/// The number of words that hold a row of `columns` cells and its halo.
fn words_per_row(columns: usize) -> usize {
    (columns + 2).div_ceil(64)
}
