//! The programs in other languages that the chapter "Coming from elsewhere" translates print the same as their
//! translations.
//!
//! They need Open MPI and gfortran with OpenCoarrays; a test without its compiler is skipped, with a line that says so.

use std::path::{Path, PathBuf};
use std::process::Command;

fn is_installed(command: &str) -> bool {
    let found = Command::new(command).arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: there is no {command}");
    }
    is_there
}

/// Compiles a program of `programs/originals` into `folder`.
fn compiled(compiler: &str, source: &str, folder: &Path) -> PathBuf {
    let program = folder.join("original");
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("programs/originals")
        .join(source);
    let output = Command::new(compiler)
        .arg("-o")
        .args([&program, &source])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    program
}

/// What `program` prints under Open MPI.
fn printed(program: &Path, processes: usize) -> String {
    let output = Command::new("mpirun")
        .args(["-n", &processes.to_string(), "--oversubscribe"])
        .arg(program)
        .envs([
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            // With this component, Open MPI 4.1 crashes in some one-sided operations.
            ("OMPI_MCA_osc", "^rdma"),
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_fortran_program_prints_the_same() {
    if !is_installed("caf") || !is_installed("mpirun") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("caf", "rule30.f90", folder.path());
    for images in [1, 2, 3] {
        assert_eq!(
            printed(&program, images),
            "generation 100: 103 cells are 1\n"
        );
    }
}

#[test]
fn the_mpi_program_prints_the_same() {
    let version = Command::new("mpicc").arg("--showme:version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no mpicc of Open MPI");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("mpicc", "histogram.c", folder.path());
    for ranks in [1, 2, 3] {
        assert_eq!(
            printed(&program, ranks),
            "60000 numbers, 238 in the fullest of 1000 bins\n"
        );
    }
}
