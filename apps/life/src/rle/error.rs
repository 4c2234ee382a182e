//! What can be wrong with a pattern.

use std::io;
use std::path::PathBuf;

use super::Pattern;

/// Why a text is not a pattern, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct RleError {
    /// The line of the fault, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with the text of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no header, or there are cells before it.
    #[error("a header such as `x = 3, y = 3, rule = B3/S23` must come before the cells")]
    MissingHeader,
    /// The header is not of the form `x = 3, y = 3, rule = B3/S23`.
    #[error("malformed header: it has the form `x = 3, y = 3, rule = B3/S23`")]
    MalformedHeader,
    /// The rule is not Life's.
    #[error("unknown rule {0:?}: only B3/S23 is known")]
    UnknownRule(String),
    /// A character that means nothing among the cells.
    #[error("unexpected character {0:?}: only counts, `b`, `o`, `$` and `!` are known")]
    UnexpectedCharacter(char),
    /// A row has more cells than the header's x.
    #[error("the row has more than x = {width} cells")]
    RowTooLong {
        /// The header's x.
        width: usize,
    },
    /// There are more rows than the header's y.
    #[error("there are more than y = {height} rows")]
    TooManyRows {
        /// The header's y.
        height: usize,
    },
    /// A count of zero.
    #[error("a count of zero")]
    ZeroCount,
    /// A count, or a size in the header, above [`Pattern::MAX_SIDE`].
    #[error("a number above {}", Pattern::MAX_SIDE)]
    NumberTooLarge,
    /// A count right before the `!`.
    #[error("a count before the `!` that counts nothing")]
    CountWithoutTag,
    /// The text ends before the pattern does.
    #[error("the pattern does not end with `!`")]
    MissingEnd,
}

/// Why no pattern could be read from a file. It prints as one line that begins with the path.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{}: cannot read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is not UTF-8 text.
    #[error("{}:{line}: not UTF-8 text", .path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The first line that is not text, counted from 1.
        line: usize,
    },
    /// The file is text, but not a pattern.
    #[error("{}:{}: {}", .path.display(), .error.line, .error.fault)]
    NotPattern {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: RleError,
    },
}
