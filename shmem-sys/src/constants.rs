//! The constants of the library that was found, by the values in its headers.

use std::ffi::{c_int, c_long};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));

/// The program that starts jobs, `shmemrun` or `oshrun`, if it was beside the library's compiler when this crate was
/// built.
///
/// # Examples
/// ```
/// use std::process::Command;
///
/// if let Some(launcher) = shmem_sys::LAUNCHER {
///     let mut job = Command::new(launcher);
///     job.args(["-n", "2", "target/debug/examples/neighbours"]);
/// }
/// ```
pub const LAUNCHER: Option<&str> = option_env!("SHMEM_SYS_LAUNCHER");
