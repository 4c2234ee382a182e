//! The lines by which jobs and peers' programs report measurements: `OPERATION BYTES WHAT NS NS NS ...`.

use std::fmt;
use std::io::{self, Write as _};

use coarray::{error_stop_with, this_image};

use crate::statistics::Samples;

/// One line: samples of one thing in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The operation.
    pub operation: String,
    /// Its size; 0 for operations that have none.
    pub bytes: usize,
    /// The kind of the samples: [`OWN`], [`RAW`], [`RATIO`], [`PEER`], or the name of an algorithm.
    pub what: String,
    /// Nanoseconds, or ratios.
    pub times: Vec<f64>,
}

/// Times of `coarray`'s operation.
pub const OWN: &str = "own";

/// Times of the bound at the same moment.
pub const RAW: &str = "raw";

/// Ratios of the operation to the bound in the same turn.
///
/// Their median is steadier than the ratio of two medians: the speed at which cores communicate can change by a factor
/// of five when a hypervisor moves them.
pub const RATIO: &str = "ratio";

/// Times of a peer's operation.
pub const PEER: &str = "peer";

impl Line {
    /// Reads a line; none if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let operation = words.next()?.to_owned();
        let bytes = words.next()?.parse().ok()?;
        let what = words.next()?.to_owned();
        let times: Vec<f64> = words
            .map(|word| word.parse().ok().filter(|time: &f64| time.is_finite()))
            .collect::<Option<_>>()?;
        (!times.is_empty()).then_some(Self {
            operation,
            bytes,
            what,
            times,
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            bytes,
            what,
            times,
        } = self;
        write!(formatter, "{operation} {bytes} {what}")?;
        // Some ratios are very small.
        let digits = if what == RATIO { 6 } else { 3 };
        times
            .iter()
            .try_for_each(|time| write!(formatter, " {time:.digits$}"))
    }
}

/// Prints samples, on image 0.
pub fn tell(operation: &str, bytes: usize, what: &str, times: Vec<f64>) {
    if this_image() == 0 {
        let line = Line {
            operation: operation.into(),
            bytes,
            what: what.into(),
            times,
        };
        if let Err(error) = writeln!(io::stdout(), "{line}") {
            error_stop_with(1, format_args!("cobench: cannot print: {error}"));
        }
    }
}

/// All measurements of one operation at one size, over all rounds.
#[derive(Clone, Debug)]
pub struct Row {
    /// The operation.
    pub operation: String,
    /// Its size; 0 for operations that have none.
    pub bytes: usize,
    /// The samples by kind, in the order of arrival.
    pub samples: Vec<(String, Samples)>,
}

impl Row {
    /// A row without samples.
    pub fn new(operation: &str, bytes: usize) -> Self {
        Self {
            operation: operation.to_owned(),
            bytes,
            samples: Vec::new(),
        }
    }

    /// The samples of `what`, if there are any.
    pub fn of(&self, what: &str) -> Option<&Samples> {
        let found = self.samples.iter().find(|(name, _)| name == what);
        found.map(|(_, samples)| samples)
    }

    /// Adds samples of `what`.
    pub fn add(&mut self, what: String, times: impl IntoIterator<Item = f64>) {
        match self.samples.iter_mut().find(|(name, _)| *name == what) {
            Some((_, samples)) => samples.extend(times),
            None => self.samples.push((what, times.into_iter().collect())),
        }
    }
}

/// All rows, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    /// Adds the samples of a line to those of its row.
    pub fn add(&mut self, line: Line) {
        self.row(&line.operation, line.bytes)
            .add(line.what, line.times);
    }

    /// The row of an operation at a size, if there is one.
    pub fn get(&self, operation: &str, bytes: usize) -> Option<&Row> {
        let is_it = |row: &&Row| row.operation == operation && row.bytes == bytes;
        self.0.iter().find(is_it)
    }

    /// The row of an operation at a size; a new one if there is none.
    pub fn row(&mut self, operation: &str, bytes: usize) -> &mut Row {
        let is_it = |row: &Row| row.operation == operation && row.bytes == bytes;
        let index = self.0.iter().position(is_it).unwrap_or_else(|| {
            self.0.push(Row::new(operation, bytes));
            self.0.len() - 1
        });
        &mut self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let line = Line {
            operation: "co_sum".into(),
            bytes: 8,
            what: OWN.into(),
            times: vec![101.5, 99.25],
        };
        assert_eq!(line.to_string(), "co_sum 8 own 101.500 99.250");
        assert_eq!(Line::parse(&line.to_string()), Some(line));
    }

    #[test]
    fn other_text_is_no_line() {
        for text in [
            "",
            "co_sum",
            "co_sum 8 own",
            "co_sum x own 1",
            "co_sum 8 own 1 x",
            "a 8 b inf",
        ] {
            assert_eq!(Line::parse(text), None, "{text}");
        }
    }

    #[test]
    fn rounds_come_together_in_rows() {
        let mut rows = Rows::default();
        for text in ["a 8 own 3 5", "a 16 own 7", "a 8 raw 2", "a 8 own 4"] {
            rows.add(Line::parse(text).unwrap());
        }
        let found: Vec<_> = rows.0.iter().map(|row| row.bytes).collect();
        assert_eq!(found, [8, 16]);
        assert_eq!(rows.0[0].of(OWN).unwrap().median(), 4.0);
        assert_eq!(rows.0[0].of(RAW).unwrap().median(), 2.0);
        assert_eq!(rows.0[1].of(RAW), None);
    }
}
