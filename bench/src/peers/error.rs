//! Why a peer cannot be measured.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a peer cannot be measured.
#[derive(Debug, Error)]
pub enum PeerError {
    /// It is not installed.
    #[error("there is no {program}; {advice}")]
    Missing {
        /// The program that was not found.
        program: &'static str,
        /// What to install.
        advice: &'static str,
    },
    /// Another implementation, which is started differently.
    #[error("{program} is not Open MPI's; {advice}")]
    Other {
        /// The program of another implementation.
        program: &'static str,
        /// What to install.
        advice: &'static str,
    },
    /// Its compiler refuses our program.
    #[error("cannot compile {program}: {reason}")]
    Compile {
        /// Our program.
        program: String,
        /// The compiler's message.
        reason: String,
    },
    /// The program cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}
