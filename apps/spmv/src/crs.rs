//! Sparse matrices whose rows lie one after the other: compressed row storage.

/// A sparse matrix. The nonzeros of row `i` have the indices `starts[i]..starts[i + 1]`, in the order of columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Crs {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Crs {
    /// The size in bytes of a matrix with `rows` rows and `nonzeros` nonzeros.
    pub(crate) fn bytes(rows: usize, nonzeros: usize) -> usize {
        rows * size_of::<usize>() + nonzeros * (size_of::<u32>() + size_of::<f64>())
    }

    /// A matrix without rows.
    pub(crate) fn new() -> Self {
        Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The matrix of `rows` rows whose entries are `(row, column, value)`. Entries of the same place add up.
    pub(crate) fn from_entries(rows: usize, entries: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0; rows + 1];
        for &(row, ..) in entries {
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0.0); entries.len()];
        for &(row, column, value) in entries {
            let place = &mut next[row as usize];
            sorted[*place] = (column, value);
            *place += 1;
        }
        for row in starts.windows(2) {
            sorted[row[0]..row[1]].sort_by_key(|&(column, _)| column);
        }
        let (columns, values) = sorted.into_iter().unzip();
        Self {
            starts,
            columns,
            values,
        }
    }

    /// Adds a nonzero to the row after the last; see [`end_row`](Self::end_row).
    pub(crate) fn push(&mut self, column: usize, value: f64) {
        self.columns.push(column as u32);
        self.values.push(value);
    }

    /// Makes a row of the nonzeros pushed since the last call.
    pub(crate) fn end_row(&mut self) {
        self.starts.push(self.values.len());
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[range.clone()].iter();
        let values = &self.values[range];
        columns
            .map(|&column| column as usize)
            .zip(values.iter().copied())
    }

    /// The product of a row with a vector.
    #[inline]
    pub(crate) fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        self.row(row).map(|(column, value)| value * x[column]).sum()
    }
}
