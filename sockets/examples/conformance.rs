//! The program `conformance` of the conformance suite, on this fabric: for `conform --fabrics own --conformance PROGRAM`.

use std::process::ExitCode;

fn main() -> ExitCode {
    coarray_sockets::launch(|| coarray_conformance::session::serve(std::env::args_os().skip(1)))
}
