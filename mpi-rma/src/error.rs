//! Errors, and how codes of MPI become values.

use std::ffi::{c_char, c_int};

use mpi::ffi;

use crate::constants;

/// Why an operation on a window failed.
///
/// # Example
/// ```
/// use mpi_rma::{Error, Window};
///
/// # fn main() -> Result<(), mpi_rma::Error> {
/// let universe = mpi::initialize().unwrap();
/// let window = Window::allocate(&universe, &universe.world(), 8)?;
/// let refused = window.put(0, 8, &[1_u8]).unwrap_err();
/// assert_eq!(refused, Error::Range { rank: 0, offset: 8, bytes: 1, length: 8 });
/// window.free()
/// # }
/// ```
///
/// # Source
/// Error codes and classes, MPI 3.1 section 8.4; the checks of places are this crate's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A function of MPI returned an error.
    #[error("{function} failed: {text} (code {code})")]
    Mpi {
        /// The function.
        function: &'static str,
        /// The code that it returned.
        code: i32,
        /// The text of `MPI_Error_string`.
        text: String,
    },
    /// The window could not be made on a process.
    #[error("the window could not be made on process {rank} (code {code})")]
    Elsewhere {
        /// The process.
        rank: i32,
        /// The code that MPI returned there, or -1 if its length or its memory did not suit.
        code: i32,
    },
    /// There is no such process in the window's group.
    #[error("there is no process {rank} in a window of {size} processes")]
    Rank {
        /// The process asked for.
        rank: i32,
        /// How many processes the window has.
        size: i32,
    },
    /// The place is not inside the window's memory.
    #[error("{bytes} bytes at {offset} are outside of the {length} bytes of process {rank}")]
    Range {
        /// The process whose memory it is.
        rank: i32,
        /// Where the place begins.
        offset: usize,
        /// How long it is.
        bytes: usize,
        /// How long the memory is.
        length: usize,
    },
    /// The place is not a multiple of the element's alignment.
    #[error("offset {offset} is no multiple of the alignment, {alignment}")]
    Alignment {
        /// Where the place begins.
        offset: usize,
        /// The element's alignment.
        alignment: usize,
    },
    /// One request cannot move this many elements: use several, or the blocking form.
    #[error("{count} elements are more than one request can move")]
    Count {
        /// How many elements there are.
        count: usize,
    },
    /// The communicator has two groups; windows are for communicators that have one.
    #[error("a window needs a communicator of one group")]
    Intercommunicator,
    /// MPI was not initialised for calls from this thread: ask for `Threading::Multiple`.
    #[error("MPI was initialised for calls of its main thread only")]
    Thread,
    /// The machine's memory is not coherent with what MPI writes.
    #[error("the window has separate public and private memory, which is not supported")]
    SeparateMemory,
}

/// Turns the code that `function` returned into a result.
#[inline]
pub(crate) fn check(function: &'static str, code: c_int) -> Result<(), Error> {
    if code == 0 {
        return Ok(());
    }
    Err(mpi_error(function, code))
}

#[cold]
pub(crate) fn mpi_error(function: &'static str, code: c_int) -> Error {
    let text = error_text(code);
    Error::Mpi {
        function,
        code,
        text,
    }
}

/// Local. MPI's text about one of its error codes.
///
/// # Example
/// ```
/// # let universe = mpi::initialize().unwrap();
/// assert!(!mpi_rma::error_text(1).is_empty());
/// ```
///
/// # Source
/// `MPI_Error_string`, MPI 3.1 section 8.3.
#[must_use]
pub fn error_text(code: i32) -> String {
    let mut text = vec![0_u8; constants::max_error_string() + 1];
    let mut length = 0;
    // SAFETY: the text has room for the longest message and more.
    let result =
        unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length) };
    if result != 0 {
        return "unknown error".into();
    }
    text.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&text).trim().to_owned()
}
