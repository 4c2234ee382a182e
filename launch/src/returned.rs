//! What `main` returns on an image. An error is told in the report of the job, in its own words.

use std::cell::Cell;
use std::fmt::Display;
use std::process::{ExitCode, Termination};

thread_local! {
    static ERROR: Cell<Option<String>> = const { Cell::new(None) };
}

/// What `main` has returned. Of a `Result` whose error can be displayed, the method of its own is called, of all else that of [`Told`].
#[derive(Debug)]
pub struct Returned<R>(pub R);

impl<T: Termination, E: Display> Returned<Result<T, E>> {
    /// Local. The exit code; the words of an error are kept for the report.
    pub fn told(self) -> ExitCode {
        match self.0 {
            Ok(value) => value.report(),
            Err(error) => {
                ERROR.set(Some(error.to_string()));
                ExitCode::FAILURE
            }
        }
    }
}

/// As `told` of a `Result`, of all that a `main` may return.
pub trait Told {
    /// Local. The exit code.
    fn told(self) -> ExitCode;
}

impl<R: Termination> Told for Returned<R> {
    fn told(self) -> ExitCode {
        self.0.report()
    }
}

/// Why the `main` of this image, which has just returned a failure, did so.
pub(crate) fn reason() -> String {
    let words = ERROR.take().map(|error| format!(": {error}"));
    format!(
        "returned a failure from its main function{}",
        words.unwrap_or_default()
    )
}
