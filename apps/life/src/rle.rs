//! Patterns in the run length encoded format (RLE) in which Life programs exchange them.
//!
//! A file begins with comment lines; the line `#N` gives the pattern's name. A header follows with
//! the size and the rule, and then the cells row by row: `b` is a dead cell, `o` a live one, `$`
//! ends a row, a count in front of these repeats them, and `!` ends the pattern.
//!
//! ```text
//! #N Glider
//! x = 3, y = 3, rule = B3/S23
//! bo$2bo$3o!
//! ```

mod error;
mod parse;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

pub use error::{Fault, ReadError, RleError};

/// A rectangle of cells, stored as runs of live cells: it takes memory in proportion to the length
/// of its description, not to the size in its header.
///
/// ```
/// use life::rle::Pattern;
///
/// let pattern = Pattern::parse("#N Blinker\nx = 3, y = 1\n3o!")?;
/// assert_eq!(pattern.name.as_deref(), Some("Blinker"));
/// assert_eq!((pattern.width, pattern.height), (3, 1));
/// assert_eq!(pattern.alive().collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 2)]);
/// # Ok::<(), life::rle::RleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name, where the pattern has one: one line, not empty, without white space around it.
    pub name: Option<String>,
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The live cells: ordered, and with a gap between any two runs of one row.
    runs: Vec<Run>,
}

/// Live cells next to each other in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    row: usize,
    column: usize,
    length: usize,
}

impl Run {
    /// The column after the last cell.
    fn end(&self) -> usize {
        self.column + self.length
    }
}

impl Pattern {
    /// The largest width, height and count that a file may give. The product of two such numbers
    /// fits into 64 bits.
    pub const MAX_SIDE: usize = 1 << 30;

    /// The longest line of cells that [`to_rle`](Pattern::to_rle) writes, in characters.
    const MAX_LINE: usize = 70;

    /// Reads a pattern from the text of an RLE file.
    ///
    /// A missing rule means Life, and so do `B3/S23` and the older notation `23/3`. White space
    /// between the cells means nothing, wherever it is; dead cells at the end of a row and dead rows
    /// at the end of the pattern may be left out; text after the `!` is ignored, and so is every
    /// comment line but the first `#N`.
    ///
    /// # Errors
    ///
    /// The first [`Fault`] of the text, with its line.
    pub fn parse(text: &str) -> Result<Pattern, RleError> {
        parse::pattern(text)
    }

    /// Reads a pattern from an RLE file.
    ///
    /// # Errors
    ///
    /// That the file cannot be read, is not UTF-8 text or is not a pattern, in one line that begins
    /// with `path`.
    pub fn read(path: &Path) -> Result<Pattern, ReadError> {
        let path = path.to_path_buf();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(ReadError::Unreadable { path, error }),
        };
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
                return Err(ReadError::NotText { path, line });
            }
        };
        Pattern::parse(text).map_err(|error| ReadError::NotPattern { path, error })
    }

    /// A nameless pattern of `height` × `width` cells; `alive` tells for a row and a column, in this
    /// order, whether the cell lives.
    ///
    /// ```
    /// use life::rle::Pattern;
    ///
    /// let chequered = Pattern::from_fn(2, 3, |row, column| (row + column) % 2 == 0);
    /// assert_eq!(chequered.to_rle(), "x = 3, y = 2, rule = B3/S23\nobo$bo!\n");
    /// ```
    pub fn from_fn(height: usize, width: usize, alive: impl Fn(usize, usize) -> bool) -> Pattern {
        let mut pattern = Pattern::dead(height, width);
        for row in 0..height {
            for column in (0..width).filter(|&column| alive(row, column)) {
                pattern.append(Run {
                    row,
                    column,
                    length: 1,
                });
            }
        }
        pattern
    }

    /// The row and the column of every live cell, row by row from the north-west corner.
    pub fn alive(&self) -> impl Iterator<Item = (usize, usize)> {
        self.runs
            .iter()
            .flat_map(|run| (run.column..run.end()).map(move |column| (run.row, column)))
    }

    /// The number of live cells.
    pub fn population(&self) -> u64 {
        self.runs.iter().map(|run| run.length as u64).sum()
    }

    /// The pattern as the text of an RLE file, the name included, from which
    /// [`parse`](Pattern::parse) gives the same pattern back. Lines of cells have at most 70
    /// characters.
    pub fn to_rle(&self) -> String {
        let mut text = String::new();
        if let Some(name) = &self.name {
            text += &format!("#N {name}\n");
        }
        text += &format!("x = {}, y = {}, rule = B3/S23\n", self.width, self.height);
        let mut line = 0;
        for token in self.tokens() {
            if line + token.len() > Pattern::MAX_LINE {
                text.push('\n');
                line = 0;
            }
            text += &token;
            line += token.len();
        }
        text.push('\n');
        text
    }

    /// The counted cells and row ends of the pattern, and the `!` after them.
    fn tokens(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut token = |count, tag| match count {
            0 => {}
            1 => tokens.push(format!("{tag}")),
            _ => tokens.push(format!("{count}{tag}")),
        };
        let (mut row, mut column) = (0, 0);
        for run in &self.runs {
            if run.row > row {
                token(run.row - row, '$');
                (row, column) = (run.row, 0);
            }
            token(run.column - column, 'b');
            token(run.length, 'o');
            column = run.end();
        }
        token(1, '!');
        tokens
    }

    fn dead(height: usize, width: usize) -> Pattern {
        Pattern {
            name: None,
            width,
            height,
            runs: Vec::new(),
        }
    }

    /// Adds a run after all others, lengthening the last one where the new one touches it.
    fn append(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if (last.row, last.end()) == (run.row, run.column) => {
                last.length += run.length;
            }
            _ => self.runs.push(run),
        }
    }
}
