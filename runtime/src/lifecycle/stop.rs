//! The end of the program from within a function of it.

use std::panic;

use crate::image::Image;
use crate::job::backtrace::__rust_begin_short_backtrace;
use crate::job::unwinding::{Stop, can_unwind};
use crate::lifecycle::failure::exit_code;

/// Local. Ends the program on this image, from within any function, as a return from `main` with the exit code `code` does.
///
/// With code 0 the image has stopped, as one that has come to the end of `main`: the others go on, and reach its memory. With any other
/// code (1 if it is a multiple of 256) the job ends, with this exit code and a report, or goes on without this image if it
/// [keeps going](crate::Settings::keep_going).
///
/// The image unwinds, which a program must not catch. Guards do not end their phases then: end these before. A closure of `run` or
/// `Launch::run` owes a result, so that a call there is reported and ends the job.
///
/// # Panics
/// On a thread that is not an image; in a destructor during a panic, and in a program whose panics abort.
///
/// # Examples
/// ```no_run
/// use coarray::prelude::*;
///
/// fn work(steps: u32) {
///     if steps == 0 {
///         coarray::stop(0); // nothing to do
///     }
/// }
///
/// #[coarray::main]
/// fn main() {
///     work(std::env::args().len() as u32 - 1);
/// }
/// ```
///
/// A closure owes a result:
/// ```
/// let failure = coarray_launch::Launch::new(2).run(|| coarray_runtime::stop(3)).unwrap_err();
/// assert!(failure.code == 3 && failure.to_string().contains("called stop(3) in a closure"));
/// ```
///
/// # Source
/// Fortran 2018 `stop`, clause 11.4.
#[track_caller]
pub fn stop(code: i32) -> ! {
    // Says so on a thread that is none.
    drop(Image::current());
    assert!(
        can_unwind(),
        "stop({code}) unwinds the image, which is not possible here: let `main` return"
    );
    let code = match code {
        0 => 0,
        code => exit_code(code),
    };
    panic::resume_unwind(Box::new(Stop { code }))
}

/// Runs the program of an image.
///
/// # Errors
/// The exit code with which it was [stopped](stop).
pub fn until_stopped<R>(program: fn() -> R) -> Result<R, u8> {
    // What a backtrace shows begins within the frames of `catch_unwind`.
    panic::catch_unwind(|| __rust_begin_short_backtrace(program)).map_err(|payload| {
        match payload.downcast_ref() {
            Some(&Stop { code }) => code,
            None => panic::resume_unwind(payload),
        }
    })
}
