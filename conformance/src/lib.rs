//! Numbered clauses of what the coarray library promises, tested on every fabric.
//!
//! A [`Clause`] is one sentence and a test of it. The program `conformance` is a coarray program that tries the
//! clauses on the images it was started with. The program `conform` starts it on each fabric, with several numbers of
//! images, and prints a table. `README.md` says how to run them and how to add a clause.

pub mod check;
pub mod clause;
pub mod clauses;
pub mod driver;
pub mod end;
pub mod parcel;
pub mod patience;
pub mod request;
pub mod ring;
pub mod session;

pub use check::Check;
pub use clause::{Clause, OwnJob, Section, Trial};
pub use end::End;
