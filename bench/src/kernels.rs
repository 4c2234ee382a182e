//! `cobench kernels`: whole programs, the Parallel Research Kernels and RandomAccess, on coarrays.
//!
//! The programs are in `bench/kernels/` and lie beside this one when they have been built. What is here works for any
//! program that takes the same parameters and prints the same lines, in whatever language: which kernels there
//! are ([`list`]), and how one is run and understood ([`outcome`]).

pub mod list;
pub mod outcome;
pub mod peers;
mod report;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use crate::conductor;
use crate::options::{Fabric, Kernels};
use crate::report::machine::Machine;
use list::{KERNELS, Kernel};
use outcome::{KernelError, Outcome, measure};

/// How often each kernel is run, in turn with the others.
const ROUNDS: usize = 5;

/// Runs kernels and prints what they say.
///
/// # Errors
/// If one is missing, cannot be run, or computes something wrong.
pub fn run(options: &Kernels) -> Result<(), Box<dyn Error>> {
    let rounds = if options.quick { 1 } else { ROUNDS };
    let wanted: Vec<&Kernel> = KERNELS
        .iter()
        .filter(|kernel| options.only.is_empty() || options.only.iter().any(|n| n == kernel.name))
        .collect();
    let bar = conductor::progress(rounds * wanted.len());
    let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); wanted.len()];
    for _ in 0..rounds {
        for (kernel, outcomes) in wanted.iter().zip(&mut outcomes) {
            bar.set_message(kernel.name);
            let parameters = kernel.parameters(options.quick);
            let mut program = own(kernel, parameters, options.images, options.fabric)?;
            outcomes.push(measure(&mut program)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let rows = wanted.iter().zip(&outcomes);
    let rows: Vec<report::Row> = rows
        .map(|(kernel, outcomes)| report::Row {
            kernel: kernel.name,
            parameters: kernel.parameters(options.quick),
            outcomes,
        })
        .collect();
    if options.json {
        report::json(&rows, options.images);
    } else {
        let machine = Machine {
            images: options.images,
            fabric: options.fabric,
            rounds,
        };
        report::table(&rows, &machine);
    }
    Ok(())
}

/// The command that runs a kernel on coarrays.
///
/// # Errors
/// If it has not been built.
pub fn own(
    kernel: &Kernel,
    parameters: &str,
    images: usize,
    fabric: Fabric,
) -> Result<Command, KernelError> {
    let program = beside(kernel.program).map_err(|source| KernelError::Run {
        program: kernel.program.to_owned(),
        source,
    })?;
    if !program.exists() {
        return Err(KernelError::Missing(program));
    }
    let mut command = Command::new(program);
    command.args(parameters.split_whitespace());
    conductor::as_job(&mut command, images, fabric);
    Ok(command)
}

/// A program in the folder where this one is.
fn beside(program: &str) -> std::io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(program))
}
