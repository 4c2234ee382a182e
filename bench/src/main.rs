//! `cobench`: how fast `coarray` is, beside the bare hardware and beside its peers.
//!
//! The program that the user starts only conducts: it starts itself again as a job of images, once a round,
//! and the peers' programs in between, reads the samples that they print ([`sample`]), and reports. What is measured
//! is a list ([`operations`]); how, is in [`stopwatch`]; what the hardware could do, in [`raw`].

mod busy;
mod conductor;
mod engines;
mod gallery;
mod job;
mod kernels;
mod launch;
mod micro;
mod model;
mod operations;
mod options;
mod peers;
mod plot;
mod raw;
mod report;
mod sample;
mod scale;
mod statistics;
mod stopwatch;
mod tune;

use std::process::ExitCode;

use options::{Command, help};

/// Exit code for a command line that cannot be followed.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let command = match options::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("cobench: {error}");
            return ExitCode::from(USAGE);
        }
    };
    let outcome = match command {
        Command::Help => {
            println!("{}", help());
            Ok(())
        }
        Command::Job(_) => return coarray::launch(job::run),
        Command::Nothing => Ok(()),
        Command::Loop(parent) => busy::loops::compute(parent).map_err(Into::into),
        Command::Micro(options) => micro::run(&options),
        Command::Peers(options) => peers::run(&options),
        Command::Engines(options) => engines::run(&options),
        Command::Busy(options) => busy::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Scale(options) => scale::run(&options),
        Command::Model(options) => model::run(&options),
        Command::Kernels(options) => kernels::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cobench: {error}");
            ExitCode::FAILURE
        }
    }
}
