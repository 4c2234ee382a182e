//! `cobench tune`: finds the fastest algorithm of each collective operation, by size and number of images.

mod candidates;
mod table;

use std::collections::BTreeSet;
use std::error::Error;

use crate::options::{Command, Fabric, MAX_IMAGES, Options, Takes};
use crate::runner::{self, Effort};
use crate::sample::{Rows, tell};
use crate::stopwatch::{Action, Stopwatch};
use crate::task::Task;
use candidates::{BARRIERS, CONTESTS, Contest, by_barrier};
use coarray_collectives::{Algorithm, TuningTable};
use coarray_runtime::Barrier;

/// The command.
pub const COMMAND: Command = Command {
    defaults: |options| options.images = vec![2, 4, 8],
    ..Command::new(
        "tune",
        &[
            Takes::ImageCounts(MAX_IMAGES),
            Takes::Fabric(&[Fabric::Processes, Fabric::Threads]),
            Takes::Output,
            Takes::Quick,
        ],
        run,
    )
};

/// Measures, and writes the table.
///
/// # Errors
/// If a job fails, or the file cannot be written.
fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let output = options.output.display();
    // Before everything is measured in vain.
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&options.output)
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    let effort = Effort::new(Task::Tune, options.quick);
    let of = |contest: &Contest| contest.sizes.len() * contest.kind.algorithms().len();
    let rows_of_one = CONTESTS.iter().map(of).sum::<usize>() + Barrier::ALL.len();
    let bar = runner::progress(rows_of_one * options.images.len() * effort.rounds);
    let mut table = TuningTable::default();
    let counts: BTreeSet<usize> = options.images.iter().copied().collect();
    for images in counts {
        bar.set_message(format!("{images} images"));
        let mut rounds = vec![Rows::default(); effort.rounds];
        for rows in &mut rounds {
            let mut job = runner::job(Task::Tune, images, options.fabric(), &[], effort)?;
            runner::measure(&mut job, effort, rows_of_one, |line| {
                bar.inc(1);
                rows.add(line);
            })?;
        }
        table::add_rules(&mut table, images, &mut rounds);
    }
    bar.finish_and_clear();
    std::fs::write(&options.output, table.text())
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    println!("written to {output}");
    Ok(())
}

/// Collective. Measures all algorithms and barriers, and prints the samples on image 0.
pub fn measure(stopwatch: &Stopwatch) {
    for contest in CONTESTS {
        let algorithms = contest.kind.algorithms();
        for &bytes in contest.sizes {
            let prepare = |&algorithm| (contest.prepare)(algorithm, bytes);
            let names = algorithms.iter().copied().map(Algorithm::name);
            let actions = algorithms.iter().map(prepare).collect();
            compare(stopwatch, contest.kind.name(), bytes, names, actions);
        }
    }
    let names = Barrier::ALL.into_iter().map(Barrier::name);
    let actions = Barrier::ALL.into_iter().map(by_barrier).collect();
    compare(stopwatch, BARRIERS, 0, names, actions);
}

fn compare(
    stopwatch: &Stopwatch,
    operation: &str,
    bytes: usize,
    names: impl Iterator<Item = &'static str>,
    mut actions: Vec<Action>,
) {
    let times = stopwatch.compare(&mut actions);
    for (name, times) in names.zip(times) {
        tell(operation, bytes, name, times);
    }
}
