//! What the tests of several crates share.
//!
//! * [`programs`] starts programs that `cargo test` builds, as their users do, and reads what they say.
//! * [`End`] is how a process ended that was started by [`run`].
//! * [`launcher`] makes the command lines of MPI's and OpenSHMEM's launchers.
//! * [`harness`] is for test binaries that are also the program under test.

pub mod harness;
pub mod launcher;
mod process;
pub mod programs;

pub use process::{End, end_of, run, run_with_input, script, unread};
