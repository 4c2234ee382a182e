//! What an image knows of the terminal that its output ends up on.
//!
//! The output of an image process goes through a pipe to the supervisor, so the image cannot ask
//! its own streams: the supervisor tells it in `COARRAY_TERMINAL`.

use std::io::{self, IsTerminal};

use rustix::fs::FileType;

use crate::processes;

/// Holds `COLUMNSxROWS`.
pub(crate) const VARIABLE: &str = "COARRAY_TERMINAL";

/// The size assumed of terminals that do not know theirs.
const CLASSIC: (u16, u16) = (80, 24);

/// Local. Columns and rows of the terminal that shows the job's standard error; `None` if none does.
///
/// Progress bars and the like ask this instead of their own stream, which is never a terminal in an
/// image process.
///
/// # Examples
/// ```
/// use coarray_launch::terminal_size;
///
/// /// A bar for so many per cent, as wide as the terminal, or none where nobody would see it.
/// fn bar(done: usize) -> Option<String> {
///     let (columns, _rows) = terminal_size()?;
///     Some("#".repeat(usize::from(columns) * done / 100))
/// }
///
/// assert_eq!(bar(50).is_some(), terminal_size().is_some());
/// ```
///
/// # Source
/// Its own.
#[must_use]
pub fn terminal_size() -> Option<(u16, u16)> {
    // Whatever it is that reads a file, no terminal shows it.
    let is_relayed = || {
        let status = rustix::fs::fstat(io::stderr()).ok()?;
        Some(FileType::from_raw_mode(status.st_mode) == FileType::Fifo)
    };
    if processes::is_handed_over() && is_relayed() == Some(true) {
        parse(&std::env::var(VARIABLE).ok()?)
    } else {
        own_terminal()
    }
}

/// What to tell the images.
pub(crate) fn description() -> Option<String> {
    own_terminal().map(|(columns, rows)| format!("{columns}x{rows}"))
}

/// Which of our own output streams, standard output and standard error, are terminals.
pub(crate) fn own() -> [bool; 2] {
    [io::stdout().is_terminal(), io::stderr().is_terminal()]
}

fn own_terminal() -> Option<(u16, u16)> {
    let stream = io::stderr();
    if !stream.is_terminal() {
        return None;
    }
    match rustix::termios::tcgetwinsize(&stream) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Some((size.ws_col, size.ws_row)),
        _ => Some(CLASSIC),
    }
}

fn parse(text: &str) -> Option<(u16, u16)> {
    let (columns, rows) = text.split_once('x')?;
    Some((columns.parse().ok()?, rows.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_columns_by_rows() {
        assert_eq!(parse("120x40"), Some((120, 40)));
        for wrong in ["", "120", "x", "120x", "ax40", "99999x1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
