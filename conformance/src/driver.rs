//! Starting `conformance` on every fabric, and the table of the results.

pub mod broken;
pub mod fabric;
pub mod job;
pub mod options;
pub mod suite;
pub mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use coarray_fabric::system::broken_pipe::end_when_unread;

use crate::driver::options::{HELP, Options};

/// Exit code for a command line that cannot be understood.
const USAGE: u8 = 2;

/// Runs the program `conform` with these arguments.
#[must_use]
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    end_when_unread();
    let options = match Options::parse(arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("conform: {why}; --help tells more");
            return ExitCode::from(USAGE);
        }
    };
    let all_is_well = match options.broken {
        false => table::try_fabrics(&options),
        true => broken::try_faults(&options),
    };
    match all_is_well {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
