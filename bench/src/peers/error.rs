//! Why there is nothing to compare with.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a peer cannot be measured.
#[derive(Debug, Error)]
pub enum PeerError {
    /// It is not there.
    #[error("there is no {program}; {advice}")]
    Missing {
        /// What was looked for.
        program: &'static str,
        /// What to install.
        advice: &'static str,
    },
    /// Another implementation, which is started in another way.
    #[error("{program} is not Open MPI's; {advice}")]
    Other {
        /// What is something else.
        program: &'static str,
        /// What to install.
        advice: &'static str,
    },
    /// Its compiler refuses our program.
    #[error("cannot compile {program}: {reason}")]
    Compile {
        /// Our program.
        program: String,
        /// What the compiler says.
        reason: String,
    },
    /// The program has no place to be.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}
