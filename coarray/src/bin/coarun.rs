//! `coarun -n N PROG ARGS...` starts a coarray program on N images. `coarun --help` says the rest.

use std::process::ExitCode;

fn main() -> ExitCode {
    coarray::__private::coarun()
}
