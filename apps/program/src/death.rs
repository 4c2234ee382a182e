//! The sudden death of an image, for others to survive.

use std::process::Command;

use coarray::error_stop_with;
use coarray::failure::fail_image;

/// Kills this image as a defect of the machine would: it has no chance to say anything. An image that is a
/// thread cannot be killed alone, and only fails.
pub fn die() -> ! {
    if std::env::var("COARRAY_FABRIC").is_ok_and(|fabric| fabric == "threads") {
        fail_image();
    }
    let me = std::process::id().to_string();
    let killed = Command::new("kill").args(["-KILL", &me]).status();
    error_stop_with(
        1,
        format_args!("this image survived kill -KILL: {killed:?}"),
    )
}
