//! Images that are connected by TCP: a small fabric for `coarray`, without a library below it.
//!
//! It is the example of [`coarray_fabric::write_a_fabric`], which goes through its files. It is complete: the conformance suite
//! passes on it. It is not fast: a put or a message is a system call here and one there.
//!
//! A program that calls [`launch`] in its `main` starts `COARRAY_IMAGES` processes of itself, as many as there are cores by default.
//! These find each other by the variable `COARRAY_SOCKETS`. Connections carry a key that only the processes of a job know, but are not
//! encrypted: use it in a network that you trust.

mod cluster;
mod connection;
mod fabric;
mod frame;
mod hub;
mod memory;
mod service;
mod start;

use std::process::{ExitCode, Termination};
use std::sync::atomic::{AtomicBool, Ordering};

use coarray_launch::own_fabric::launch_on;

use crate::cluster::Member;
use crate::start::{Invitation, refuse, start};

/// Collective. Runs `body` on every image of this program.
///
/// # Errors
/// The exit code is not 0 if an image fails or is killed; a line on stderr names it.
///
/// # Examples
/// ```no_run
/// use coarray::prelude::*;
///
/// fn main() -> std::process::ExitCode {
///     coarray_sockets::launch(|| println!("image {} of {}", this_image(), num_images()))
/// }
/// ```
///
/// # Source
/// Its own.
#[must_use = "the exit code of the job, which `main` is to return"]
pub fn launch<R: Termination>(body: fn() -> R) -> ExitCode {
    static LAUNCHED: AtomicBool = AtomicBool::new(false);
    if LAUNCHED.swap(true, Ordering::Relaxed) {
        return refuse("a program can call launch only once");
    }
    let member = match Invitation::from_environment() {
        Ok(None) => return start(),
        Ok(Some(invitation)) => Member::join(&invitation),
        Err(error) => Err(error),
    };
    match member {
        // SAFETY: the process that started this one gave it a number of its own, and all come here once.
        // Images of one node are on one machine. The operations of the fabric are as `Fabric` says, one by one in `fabric.rs`.
        Ok(member) => unsafe { launch_on(&member, body) },
        Err(error) => refuse(error),
    }
}
