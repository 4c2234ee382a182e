//! The oracle: a torus so plain that it can be trusted, against which the fast kernel is tested.

/// A Game of Life torus, one `bool` per cell, stepped cell by cell.
///
/// Row and column arithmetic is modular, so on a torus one or two cells wide a cell meets the same
/// neighbour, or itself, several times among its eight neighbours, and counts it each time.
///
/// ```
/// use life::serial::SerialTorus;
///
/// let mut torus = SerialTorus::new(5, 5);
/// for column in 1..4 {
///     torus.set(2, column, true);
/// }
/// torus.step();
/// assert!((1..4).all(|row| torus.get(row, 2)));
/// assert_eq!(torus.population(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialTorus {
    rows: usize,
    columns: usize,
    /// The cells row by row.
    cells: Vec<bool>,
}

impl SerialTorus {
    /// A torus of dead cells.
    pub fn new(rows: usize, columns: usize) -> SerialTorus {
        SerialTorus {
            rows,
            columns,
            cells: vec![false; rows * columns],
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether a cell is alive. Panics where the row or the column is out of range.
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.cells[self.index(row, column)]
    }

    /// Makes a cell alive or dead. Panics where the row or the column is out of range.
    pub fn set(&mut self, row: usize, column: usize, alive: bool) {
        let index = self.index(row, column);
        self.cells[index] = alive;
    }

    /// Advances the torus by one generation of B3/S23.
    pub fn step(&mut self) {
        let mut next = self.clone();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let alive = match self.neighbours(row, column) {
                    2 => self.get(row, column),
                    3 => true,
                    _ => false,
                };
                next.set(row, column, alive);
            }
        }
        *self = next;
    }

    /// The number of live cells.
    pub fn population(&self) -> u64 {
        self.cells.iter().map(|&alive| u64::from(alive)).sum()
    }

    fn neighbours(&self, row: usize, column: usize) -> usize {
        const OFFSETS: [(usize, usize); 8] = [
            (0, 0),
            (0, 1),
            (0, 2),
            (1, 0),
            (1, 2),
            (2, 0),
            (2, 1),
            (2, 2),
        ];
        // One torus is added and one cell taken away, so that no coordinate ever is negative.
        let north_west = (row + self.rows - 1, column + self.columns - 1);
        OFFSETS
            .iter()
            .map(|(south, east)| (north_west.0 + south, north_west.1 + east))
            .filter(|(row, column)| self.get(row % self.rows, column % self.columns))
            .count()
    }

    fn index(&self, row: usize, column: usize) -> usize {
        assert!(
            row < self.rows && column < self.columns,
            "cell ({row}, {column}) of a torus of {} x {} cells",
            self.rows,
            self.columns
        );
        row * self.columns + column
    }
}

#[cfg(test)]
mod tests;
