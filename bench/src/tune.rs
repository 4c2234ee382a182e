//! `cobench tune`: which algorithm of a collective operation is the fastest, by size and number of images.

mod candidates;
mod table;

use std::error::Error;

use crate::conductor::{self, Effort};
use crate::job::tell;
use crate::options::{Task, Tune};
use crate::sample::{Line, Rows};
use crate::stopwatch::{Action, Stopwatch};
use candidates::COLLECTIVES;
use table::Choice;

/// Measures, and writes the table.
///
/// # Errors
/// If a job fails, or the file cannot be written.
pub fn run(options: &Tune) -> Result<(), Box<dyn Error>> {
    let output = options.output.display();
    // Found out before everything is measured, and not after.
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&options.output)
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    let effort = Effort::new(options.quick);
    let rows_of_one: usize = COLLECTIVES
        .iter()
        .map(|collective| collective.sizes.len() * collective.candidates.len())
        .sum();
    let bar = conductor::progress(rows_of_one * options.images.len() * effort.rounds);
    let mut choices = Vec::new();
    for &images in &options.images {
        bar.set_message(format!("{images} images"));
        let mut rows = Rows::default();
        for _ in 0..effort.rounds {
            let mut job = conductor::job(Task::Tune, images, options.fabric, &[], effort)?;
            conductor::read_lines(&mut job, |line| {
                if let Some(line) = Line::parse(line) {
                    bar.inc(1);
                    rows.add(line);
                }
            })?;
        }
        choices.extend(rows.0.iter().filter_map(|row| Choice::new(row, images)));
    }
    bar.finish_and_clear();
    std::fs::write(&options.output, table::to_toml(&choices))
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    println!("{} choices written to {output}", choices.len());
    Ok(())
}

/// Collective. Measures all candidates of all collectives, and prints the samples on image 0.
pub fn measure(stopwatch: &Stopwatch) {
    for collective in COLLECTIVES {
        for &bytes in collective.sizes {
            let mut actions: Vec<Action> = collective
                .candidates
                .iter()
                .map(|candidate| (candidate.prepare)(bytes))
                .collect();
            let times = stopwatch.compare(&mut actions);
            for (candidate, times) in collective.candidates.iter().zip(times) {
                tell(collective.name, bytes, candidate.algorithm, times);
            }
        }
    }
}
