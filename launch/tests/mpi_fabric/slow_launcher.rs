//! A launcher that is slow to pass its input on: by a library that is loaded into it.

use std::process::Command;

/// Where [`build`] leaves the library.
pub const LIBRARY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/slow_write.so");

pub fn build() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi_fabric/slow_write.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o", LIBRARY, source]);
    assert!(compiler.status().unwrap().success());
}
