//! Finds an installed OpenSHMEM library, asks its headers for their constants, and tells cargo how to link.

mod installation;
mod probe;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use installation::Installation;

const HELP: &str = "\
Install an OpenSHMEM library (on Debian and Ubuntu: `apt install openmpi-bin libopenmpi-dev`, which needs no more), \
or name one that is installed:
  SHMEMCC=/path/of/shmemcc  the compiler wrapper of the library, or
  SHMEM_DIR=/path           the folder that has its bin/, include/ and lib/.";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-check-cfg=cfg(shmem_signals, shmem_progress)");
    // Not `PATH`, which differs from one shell, editor or wrapper to the next: all that depends on this crate would be built again.
    for variable in [
        "SHMEM_DIR",
        "SHMEMCC",
        "PKG_CONFIG",
        "PKG_CONFIG_PATH",
        "CC",
    ] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match configure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("shmem-sys: {why}\n{HELP}");
            ExitCode::FAILURE
        }
    }
}

fn configure() -> Result<(), String> {
    let found = Installation::find()?;
    let out = env::var("OUT_DIR").map_err(|_| "cargo sets no OUT_DIR".to_string())?;
    let out = Path::new(&out);
    probe::write_constants(&found, out)?;
    if probe::has_signals(&found, out) {
        println!("cargo::rustc-cfg=shmem_signals");
    }
    if probe::has_progress(&found, out) {
        println!("cargo::rustc-cfg=shmem_progress");
    }

    for folder in &found.library_folders {
        println!("cargo::rustc-link-search=native={folder}");
    }
    for library in &found.libraries {
        println!("cargo::rustc-link-lib={library}");
    }
    println!(
        "cargo::metadata=library_folders={}",
        found.library_folders.join(":")
    );
    if let Some(launcher) = found.launcher() {
        println!("cargo::rustc-env=SHMEM_SYS_LAUNCHER={launcher}");
        // The library may be another one then.
        println!("cargo::rerun-if-changed={launcher}");
    }
    Ok(())
}
