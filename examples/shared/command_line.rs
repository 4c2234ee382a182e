//! What all examples do with their command lines: they follow them, print help, or refuse.

// No program has options of every kind.
#![allow(dead_code)]

#[path = "arguments.rs"]
pub(crate) mod arguments;
#[path = "memory.rs"]
pub(crate) mod memory;

use std::fmt::Display;

use arguments::{ArgumentError, Arguments};
use coarray::{error_stop_with, this_image};

/// Follows the program's command line: `follow_option` gets each option in turn, and asks for its value if it has one.
/// Returns whether there is anything to do: not after `--help`, for which image 0 prints `help`.
///
/// A command line that cannot be followed ends the job.
pub(crate) fn follow<E: Display + From<ArgumentError>>(
    program: &'static str,
    help: &str,
    mut follow_option: impl FnMut(&str, &mut Arguments) -> Result<(), E>,
) -> bool {
    let mut arguments = Arguments::new(program, std::env::args_os().skip(1));
    let error = loop {
        match arguments.next() {
            Ok(None) => return true,
            Ok(Some(option)) if option == "--help" || option == "-h" => {
                if this_image() == 0 {
                    println!("{help}");
                }
                return false;
            }
            Ok(Some(option)) => {
                if let Err(error) = follow_option(&option, &mut arguments) {
                    break error;
                }
            }
            Err(error) => break error.into(),
        }
    };
    refuse(program, error)
}

/// Ends the job because of what its user asked for: before anything is computed, as far as that can be known.
pub(crate) fn refuse(program: &str, why: impl Display) -> ! {
    error_stop_with(2, format_args!("{program}: {why}"))
}

/// Ends the job because of what came in between, such as a disk that is full.
pub(crate) fn fail(program: &str, why: impl Display) -> ! {
    error_stop_with(1, format_args!("{program}: {why}"))
}
