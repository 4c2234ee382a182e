//! Tries the clauses on the images of this job; see `coarray_conformance::session`.

use std::process::ExitCode;

#[coarray::main]
fn main() -> ExitCode {
    coarray_conformance::session::serve(std::env::args_os().skip(1))
}
