//! `cobench`: how fast `coarray` is, beside the bare hardware and beside its peers.
//!
//! The program that the user starts measures nothing itself: it starts itself again as a job of images, once a round, and
//! the peers' programs in between ([`runner`]), reads the samples that they print ([`sample`]), and reports. What is
//! measured is a list ([`operations`]); how, is in [`stopwatch`]; what the hardware could do, in [`baseline`].

mod baseline;
mod busy;
mod fabrics;
mod help;
mod job;
mod kernels;
mod launch;
mod launcher;
mod micro;
mod model;
mod operations;
mod options;
mod peer;
mod peers;
mod plots;
mod report;
mod runner;
mod sample;
mod statistics;
mod stopwatch;
mod task;
mod tune;

use std::error::Error;
use std::process::ExitCode;

use coarray_fabric::system::broken_pipe::end_when_unread;
use options::{Command, Options};

/// What users can ask for. A new command is a line here, and a paragraph of the help text.
const COMMANDS: [Command; 7] = [
    micro::COMMAND,
    kernels::PEERS,
    kernels::COMMAND,
    fabrics::COMMAND,
    busy::COMMAND,
    tune::COMMAND,
    model::COMMAND,
];

/// Exit code for a command line that cannot be followed.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // `cobench` starts itself with these words.
    let outcome = match words.next().as_deref().and_then(|word| word.to_str()) {
        Some(task::JOB) => return coarray::launch(job::run),
        Some(task::NOTHING) => Ok(()),
        Some(task::LOOP) => busy::loops::compute(words.next()).map_err(Into::into),
        _ => {
            end_when_unread();
            match options::parse(std::env::args_os().skip(1), &COMMANDS) {
                Ok(request) => follow(request),
                Err(error) => {
                    eprintln!("cobench: {error}");
                    return ExitCode::from(USAGE);
                }
            }
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cobench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn follow(request: Option<(Command, Options)>) -> Result<(), Box<dyn Error>> {
    let Some((command, options)) = request else {
        println!("{}", help::text());
        return Ok(());
    };
    (command.run)(&options)
}
