//! Files in the Matrix Market exchange format, as sparse matrix collections offer them.
//!
//! The format is that of R. F. Boisvert, R. Pozo and K. A. Remington, *The Matrix Market exchange formats:
//! initial design*, NISTIR 5935, 1996. The reader understands coordinate files: real, integer or pattern, general or
//! symmetric.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use program::output::{self, OutputError};
use thiserror::Error;

use crate::crs::Crs;

/// Why a file is refused.
#[derive(Debug, Error)]
pub(crate) enum MatrixError {
    #[error("{}: cannot read: {error}", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{}:{line}: {problem}", .path.display())]
    Malformed {
        path: PathBuf,
        line: usize,
        problem: String,
    },
}

/// The first line: what the entries look like.
#[derive(Clone, Copy)]
struct Header {
    has_values: bool,
    only_integers: bool,
    is_symmetric: bool,
}

/// The second line that is no comment.
#[derive(Clone, Copy)]
struct Size {
    rows: usize,
    columns: usize,
    entries: usize,
}

type Entry = (u32, u32, f64);

/// The entries of a square matrix, as a file lists them.
pub(crate) struct Entries {
    pub(crate) rows: usize,
    entries: Vec<Entry>,
}

impl Entries {
    /// How many bytes the matrix has.
    pub(crate) fn bytes(&self) -> usize {
        Crs::bytes(self.rows, self.entries.len())
    }

    pub(crate) fn matrix(&self) -> Crs {
        Crs::from_entries(self.rows, &self.entries)
    }
}

/// Reads a square matrix.
///
/// # Errors
/// That the file cannot be read, or the first line that is wrong and the reason.
pub(crate) fn read(path: &Path) -> Result<Entries, MatrixError> {
    let unreadable = |error| MatrixError::Unreadable {
        path: path.into(),
        error,
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut line_number = 0;
    let parsed = parse(BufReader::new(file), &mut line_number).map_err(unreadable)?;
    parsed.map_err(|problem| MatrixError::Malformed {
        path: path.into(),
        line: line_number,
        problem,
    })
}

/// The outer error is an error of the file; the inner one is about the line that was read last.
fn parse(mut file: impl BufRead, line_number: &mut usize) -> io::Result<Result<Entries, String>> {
    let mut line = String::new();
    let (mut header, mut size) = (None, None);
    let mut entries: Vec<Entry> = Vec::new();
    let mut found = 0;
    loop {
        line.clear();
        let length = file.read_line(&mut line)?;
        if length == 0 {
            break;
        }
        *line_number += 1;
        let taken = match (header, size) {
            (None, _) => parse_header(&line).map(|parsed| header = Some(parsed)),
            _ if line.trim_start().starts_with('%') || line.trim().is_empty() => Ok(()),
            (Some(header), None) => parse_size(&line, header).map(|parsed| size = Some(parsed)),
            (Some(_), Some(size)) if found == size.entries => Err(format!(
                "one more entry than the {} that the size line announces",
                size.entries
            )),
            (Some(header), Some(size)) => parse_entry(&line, header, size).map(|entry| {
                found += 1;
                entries.push(entry);
                if header.is_symmetric && entry.0 != entry.1 {
                    entries.push((entry.1, entry.0, entry.2));
                }
            }),
        };
        if let Err(problem) = taken {
            return Ok(Err(problem));
        }
    }
    Ok(match size {
        None if header.is_none() => Err("the file is empty".into()),
        None => Err("the file ends before its size line".into()),
        Some(size) if found < size.entries => Err(format!(
            "the file ends after {found} of the {} entries that its size line announces",
            size.entries
        )),
        Some(Size { rows, .. }) => Ok(Entries { rows, entries }),
    })
}

fn parse_header(line: &str) -> Result<Header, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
        return Err("not a Matrix Market file: it must begin with '%%MatrixMarket matrix coordinate FIELD SYMMETRY'".into());
    };
    let one_of = |what: &str, word: &str, understood: &[&str]| {
        let refusal = || {
            format!(
                "{what} '{word}' is not understood, only {}",
                understood.join(", ")
            )
        };
        understood.contains(&word).then_some(()).ok_or_else(refusal)
    };
    one_of("object", object, &["matrix"])?;
    one_of("format", format, &["coordinate"])?;
    one_of("field", field, &["real", "integer", "pattern"])?;
    one_of("symmetry", symmetry, &["general", "symmetric"])?;
    Ok(Header {
        has_values: field != "pattern",
        only_integers: field == "integer",
        is_symmetric: symmetry == "symmetric",
    })
}

fn parse_size(line: &str, header: Header) -> Result<Size, String> {
    let numbers: Option<Vec<usize>> = line
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let Some(&[rows, columns, entries]) = numbers.as_deref() else {
        return Err(format!(
            "'{}': expected the size line 'ROWS COLUMNS ENTRIES'",
            line.trim()
        ));
    };
    if rows != columns {
        let kind = if header.is_symmetric {
            "a symmetric matrix is"
        } else {
            "only square matrices are multiplied here, this one is"
        };
        return Err(format!("{kind} {rows} x {columns}, which is not square"));
    }
    if rows == 0 {
        return Err("the matrix has no rows".into());
    }
    if u32::try_from(rows).is_err() {
        return Err(format!("{rows} rows are more than {}", u32::MAX));
    }
    Ok(Size {
        rows,
        columns,
        entries,
    })
}

fn parse_entry(line: &str, header: Header, size: Size) -> Result<Entry, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let form = if header.has_values {
        "ROW COLUMN VALUE"
    } else {
        "ROW COLUMN"
    };
    let (row, column, value) = match words[..] {
        [row, column, value] if header.has_values => (row, column, Some(value)),
        [row, column] if !header.has_values => (row, column, None),
        _ => return Err(format!("'{}': expected an entry '{form}'", line.trim())),
    };
    let index = |what: &str, word: &str, extent: usize| match word.parse::<usize>() {
        Ok(number) if (1..=extent).contains(&number) => Ok(number as u32 - 1),
        _ => Err(format!("{what} {word} is not one of 1 to {extent}")),
    };
    let (row, column) = (
        index("row", row, size.rows)?,
        index("column", column, size.columns)?,
    );
    if header.is_symmetric && column > row {
        return Err(format!(
            "entry ({}, {}) is above the diagonal: a symmetric file has only those below, which stand for both",
            row + 1,
            column + 1
        ));
    }
    Ok((
        row,
        column,
        value.map_or(Ok(1.0), |word| number(word, header))?,
    ))
}

fn number(word: &str, header: Header) -> Result<f64, String> {
    let value = match header.only_integers {
        true => word.parse::<i64>().ok().map(|value| value as f64),
        false => word.parse().ok().filter(|value: &f64| value.is_finite()),
    };
    let kind = if header.only_integers {
        "an integer"
    } else {
        "a finite number"
    };
    value.ok_or_else(|| format!("value '{word}' is not {kind}"))
}

/// Writes a vector of `length` values, as a dense matrix of one column.
///
/// # Errors
/// That the file cannot be written.
pub(crate) fn write_vector(
    path: &Path,
    length: usize,
    mut values: impl Iterator<Item = f64>,
) -> Result<(), OutputError> {
    output::write(path, |file| {
        writeln!(file, "%%MatrixMarket matrix array real general")?;
        writeln!(file, "{length} 1")?;
        values.try_for_each(|value| writeln!(file, "{value:e}"))
    })
}
