//! `cobench scale`: how whole programs gain by more images, on a problem that stays the same (strong scaling) and on one
//! that grows with the images (weak scaling).
//!
//! The programs are the kernels and the Game of Life ([`life`]). All numbers of images take turns in every round, and
//! speedups are taken within a round, before the machine is another.

pub mod life;
mod report;
pub mod workload;

use std::error::Error;

use crate::conductor;
use crate::kernels::outcome::{Outcome, measure};
use crate::options::Scale;
use crate::statistics::Samples;
use workload::{Scaling, Workload};

/// How often everything is run, in turn.
const ROUNDS: usize = 3;

/// What came of a program on some number of images.
#[derive(Clone, Debug)]
pub struct Row {
    pub workload: Workload,
    pub scaling: Scaling,
    pub images: usize,
    pub parameters: String,
    /// One of each round.
    outcomes: Vec<Outcome>,
    /// How many times the rate of one image, in each round.
    speedups: Samples,
}

impl Row {
    /// The middle one of all rounds.
    pub fn rate(&self) -> f64 {
        self.samples(|outcome| outcome.rate).median()
    }

    /// What the rate is of.
    pub fn unit(&self) -> &str {
        self.outcomes.first().map_or("", |outcome| &outcome.unit)
    }

    /// Time of an iteration, in nanoseconds.
    pub fn time(&self) -> f64 {
        self.samples(|outcome| outcome.seconds * 1e9).median()
    }

    /// How many times the rate of one image.
    pub fn speedup(&self) -> f64 {
        self.speedups.median()
    }

    /// How much of the speedup that so many images could have.
    pub fn efficiency(&self) -> f64 {
        self.speedup() / self.images as f64
    }

    fn samples(&self, value: fn(&Outcome) -> f64) -> Samples {
        self.outcomes.iter().map(value).collect()
    }
}

/// Measures and prints.
///
/// # Errors
/// If a program is missing, fails or computes something wrong, or a plot cannot be written.
pub fn run(options: &Scale) -> Result<(), Box<dyn Error>> {
    let rounds = if options.quick { 1 } else { ROUNDS };
    let mut rows = rows(options);
    let bar = conductor::progress(rounds * rows.len());
    for _ in 0..rounds {
        for row in &mut rows {
            bar.set_message(row.workload.name());
            let mut program = row
                .workload
                .program(&row.parameters, row.images, options.fabric)?;
            row.outcomes.push(measure(&mut program)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    compare(&mut rows);
    if options.json {
        report::json(&rows);
    } else {
        report::table(&rows, options, rounds);
    }
    if let Some(folder) = &options.plot {
        report::plots(&rows, options, rounds, folder)?;
    }
    Ok(())
}

/// What is to be run: each program, scaled in both ways, on numbers of images that begin with 1.
fn rows(options: &Scale) -> Vec<Row> {
    let is_wanted = |workload: &Workload| {
        options.only.is_empty() || options.only.iter().any(|name| name == workload.name())
    };
    let mut rows = Vec::new();
    for workload in Workload::all().filter(is_wanted) {
        for scaling in Scaling::ALL {
            for images in counts(options.images) {
                let growth = match scaling {
                    Scaling::Strong => 1,
                    Scaling::Weak => images,
                };
                rows.push(Row {
                    workload,
                    scaling,
                    images,
                    parameters: workload.parameters(options.quick, growth),
                    outcomes: Vec::new(),
                    speedups: Samples::default(),
                });
            }
        }
    }
    rows
}

/// 1, 2, 4 and so on, and the last one.
fn counts(last: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1_usize), |images| images.checked_mul(2));
    powers
        .take_while(move |&images| images < last)
        .chain([last])
}

/// Compares each row with that of one image, which comes first.
fn compare(rows: &mut [Row]) {
    let mut alone: Vec<f64> = Vec::new();
    for row in rows {
        let rates = row.outcomes.iter().map(|outcome| outcome.rate);
        if row.images == 1 {
            alone = rates.clone().collect();
        }
        row.speedups = rates
            .zip(&alone)
            .map(|(rate, alone)| rate / alone)
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_images_double_up_to_the_last() {
        let all = |last| counts(last).collect::<Vec<_>>();
        assert_eq!(all(1), [1]);
        assert_eq!(all(4), [1, 2, 4]);
        assert_eq!(all(7), [1, 2, 4, 7]);
    }

    #[test]
    fn speedups_are_taken_within_a_round() {
        let outcome = |rate| Outcome {
            rate,
            unit: "MB/s".into(),
            seconds: 1.0,
        };
        let row = |images, rates: [f64; 3]| Row {
            workload: Workload::Life,
            scaling: Scaling::Strong,
            images,
            parameters: String::new(),
            outcomes: rates.map(outcome).to_vec(),
            speedups: Samples::default(),
        };
        // The machine is twice as fast in the second round, and slow in the middle of the third.
        let mut rows = [row(1, [10.0, 20.0, 10.0]), row(4, [30.0, 60.0, 5.0])];
        compare(&mut rows);
        assert_eq!((rows[0].speedup(), rows[1].speedup()), (1.0, 3.0));
        assert_eq!(rows[1].efficiency(), 0.75);
        assert_eq!(rows[1].rate(), 30.0);
    }
}
