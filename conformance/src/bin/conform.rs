//! Tries the clauses on every fabric that is there; see `coarray_conformance::driver`.

use std::process::ExitCode;

fn main() -> ExitCode {
    coarray_conformance::driver::run(std::env::args_os().skip(1))
}
