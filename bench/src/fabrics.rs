//! `cobench fabrics`: operations on the fabrics of clusters, beside their references: the same operations on
//! `processes` where images access each other's memory directly, and the same calls in C where they do not.
//!
//! [`comparison`] lists the pairs. All programs take turns in every round, and ratios are taken within a round, before
//! the speed of the machine changes. Every second round runs backwards: a program gets the pages that the one before it
//! freed, and the speed of its copies depends on which program that was.

mod comparison;
mod report;

use std::error::Error;
use std::{io, process};

use indicatif::ProgressBar;

use crate::launcher::by_launcher;
use crate::operations;
use crate::options::{Command, Fabric, Options, Takes};
use crate::peer::Peer;
use crate::peers::{self, Installed};
use crate::report::machine::Machine;
use crate::runner::{self, Effort};
use crate::sample::{Line, RATIO, Rows};
use crate::task::Task;
use comparison::{Comparison, Measured, Program, comparisons, programs};

/// The command.
pub const COMMAND: Command = Command {
    defaults: |options| options.fabrics = vec![Fabric::Mpi, Fabric::Shmem],
    ..Command::new(
        "fabrics",
        &[
            Takes::Images,
            Takes::Fabrics(&[Fabric::Processes, Fabric::Mpi, Fabric::Shmem]),
            Takes::Rounds,
            Takes::Only(operations::names),
            Takes::Json,
            Takes::Quick,
        ],
        run,
    )
};

/// Measures and prints.
///
/// # Errors
/// If no fabric is left, or a job fails. What is not installed is only reported.
fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let images = options.image_count();
    let wanted = |comparison: &Comparison| options.wants(comparison.operation);
    let fabrics = built_in(&options.fabrics)?;
    let compared = fabrics.into_iter().flat_map(comparisons).filter(wanted);
    let compared: Vec<Comparison> = compared.collect();
    if compared.is_empty() {
        return Err("these fabrics have none of these operations".into());
    }
    let effort = Effort::new(Task::Alone(images), options.quick);
    let rounds = options.rounds.unwrap_or(effort.rounds);
    let effort = Effort { rounds, ..effort };
    let mut series = programs(&compared)
        .into_iter()
        .map(|(program, measured)| Series::new(program, measured))
        .collect::<Vec<_>>();
    let mut peers = peers_of(&series);
    let ratios = measure(&compared, &mut series, &mut peers, images, effort)?;
    let findings = findings(&compared, &series, &ratios);
    if options.json {
        report::json(&findings, images);
    } else {
        let machine = Machine {
            images,
            fabric: Fabric::Processes,
            rounds,
        };
        print!("{}", machine.heading(&peers));
        report::table(&findings);
    }
    Ok(())
}

/// The fabrics of which this program was built; reports how to get the others.
pub fn built_in(fabrics: &[Fabric]) -> Result<Vec<Fabric>, &'static str> {
    let is_built_in = |fabric: &Fabric| match fabric {
        Fabric::Processes | Fabric::Threads => true,
        Fabric::Mpi => cfg!(feature = "mpi"),
        Fabric::Shmem => cfg!(feature = "shmem"),
    };
    let (there, others): (Vec<Fabric>, Vec<Fabric>) =
        fabrics.iter().partition(|fabric| is_built_in(fabric));
    for fabric in others {
        let name = fabric.name();
        eprintln!(
            "cobench: {name} is skipped: this cobench has been built without it; \
             build it with cargo build --release -p coarray-bench --features {name}"
        );
    }
    if there.is_empty() {
        return Err("no fabric is left to measure");
    }
    Ok(there)
}

/// This program as a job on a fabric that measures operations alone.
fn job(
    fabric: Fabric,
    is_direct: bool,
    images: usize,
    only: &[String],
    effort: Effort,
) -> io::Result<process::Command> {
    let own = runner::job(Task::Alone(images), images, fabric, only, effort)?;
    let mut command = by_launcher(own, fabric, images);
    command.env("COARRAY_SHARED_MEMORY", if is_direct { "1" } else { "0" });
    Ok(command)
}

/// A program, and its measurements.
struct Series {
    program: Program,
    measured: Vec<Measured>,
    /// In the latest round.
    latest: Rows,
    /// In all rounds.
    all: Rows,
}

/// The key of the times of a series.
const TIME: &str = "time";

impl Series {
    fn new(program: Program, measured: Vec<Measured>) -> Self {
        Self {
            program,
            measured,
            latest: Rows::default(),
            all: Rows::default(),
        }
    }

    fn rows_of_one(&self) -> usize {
        self.measured.iter().map(|&(_, rows)| rows).sum()
    }

    fn names(&self) -> Vec<String> {
        let names = self.measured.iter().map(|&(name, _)| name.to_owned());
        names.collect()
    }

    fn add(&mut self, line: Line) {
        for rows in [&mut self.latest, &mut self.all] {
            let row = rows.row(&line.operation, line.bytes);
            row.add(TIME.to_owned(), line.times.iter().copied());
        }
    }
}

/// The peers among the programs, ready to run.
fn peers_of(series: &[Series]) -> Vec<Installed> {
    let peer = |series: &Series| match series.program {
        Program::C(peer) => Some(peer),
        Program::Coarray { .. } => None,
    };
    let peers: Vec<Peer> = series.iter().filter_map(peer).collect();
    let mut peers = peers::find(&peers);
    for peer in &mut peers {
        peers::prepare(peer, peers::OPERATIONS);
    }
    peers
}

/// Runs all programs, round by round. Returns the ratios of each comparison, one for each size and round.
fn measure(
    compared: &[Comparison],
    series: &mut [Series],
    peers: &mut [Installed],
    images: usize,
    effort: Effort,
) -> Result<Vec<Rows>, Box<dyn Error>> {
    let mut ratios = vec![Rows::default(); compared.len()];
    let rows_of_round: usize = series.iter().map(Series::rows_of_one).sum();
    let bar = runner::progress(rows_of_round * effort.rounds);
    for _ in 0..effort.rounds {
        for one in series.iter_mut() {
            one.latest = Rows::default();
            match one.program {
                Program::Coarray { fabric, is_direct } => {
                    let mut job = job(fabric, is_direct, images, &one.names(), effort)?;
                    let rows = one.rows_of_one();
                    let outcome = runner::measure(&mut job, effort, rows, |line| {
                        bar.inc(1);
                        one.add(line);
                    });
                    outcome.map_err(|error| in_job(fabric, is_direct, &error))?;
                }
                Program::C(peer) => {
                    let is_it = |other: &&mut Installed| other.peer == peer;
                    if let Some(installed) = peers.iter_mut().find(is_it) {
                        run_peer(one, installed, images, effort, &bar);
                    }
                }
            }
        }
        for (comparison, ratios) in compared.iter().zip(&mut ratios) {
            add_ratios(comparison, series, ratios);
        }
        series.reverse();
    }
    bar.finish_and_clear();
    Ok(ratios)
}

/// A program that fails once is not run again.
fn run_peer(
    series: &mut Series,
    peer: &mut Installed,
    images: usize,
    effort: Effort,
    bar: &ProgressBar,
) {
    if !peer.has(peers::OPERATIONS) {
        return;
    }
    let (only, rows) = (series.names(), series.rows_of_one());
    let outcome = peer.measure(images, effort, &only, rows, |line| {
        bar.inc(1);
        series.add(line);
    });
    if let Err(failure) = outcome {
        bar.suspend(|| peers::give_up(peer, peers::OPERATIONS, &failure));
    }
}

fn in_job(fabric: Fabric, is_direct: bool, error: &str) -> String {
    let name = fabric.name();
    let setting = if is_direct { "1" } else { "0" };
    format!("COARRAY_FABRIC={name} COARRAY_SHARED_MEMORY={setting}: {error}")
}

/// The series of a program, which is in the list.
fn series_of(series: &[Series], program: Program) -> &Series {
    let found = series.iter().find(|series| series.program == program);
    found.expect("each program of a comparison has a series")
}

/// Adds the ratios of the latest round.
fn add_ratios(comparison: &Comparison, series: &[Series], ratios: &mut Rows) {
    let reference = &series_of(series, comparison.reference).latest;
    for row in &series_of(series, comparison.subject()).latest.0 {
        if row.operation != comparison.operation {
            continue;
        }
        let there = reference.get(comparison.counterpart, row.bytes);
        if let (Some(own), Some(there)) = (row.of(TIME), there.and_then(|there| there.of(TIME))) {
            let ratio = own.median() / there.median();
            ratios
                .row(&row.operation, row.bytes)
                .add(RATIO.to_owned(), [ratio]);
        }
    }
}

/// The result of a comparison at one size.
struct Finding<'a> {
    comparison: &'a Comparison,
    bytes: usize,
    /// Nanoseconds.
    time: f64,
    reference: f64,
    /// The ratio, the median over rounds.
    ratio: f64,
}

impl Finding<'_> {
    /// The target of the ratio, if there is one.
    fn limit(&self) -> Option<f64> {
        (self.comparison.limit)(self.bytes)
    }

    fn is_met(&self) -> Option<bool> {
        self.limit().map(|limit| self.ratio <= limit)
    }
}

/// All comparisons that were measured on both sides.
fn findings<'a>(
    compared: &'a [Comparison],
    series: &[Series],
    ratios: &[Rows],
) -> Vec<Finding<'a>> {
    let mut findings = Vec::new();
    for (comparison, ratios) in compared.iter().zip(ratios) {
        let median = |program, name, bytes| {
            let row = series_of(series, program).all.get(name, bytes)?;
            row.of(TIME).map(|times| times.median())
        };
        let finding = |row: &crate::sample::Row| {
            Some(Finding {
                comparison,
                bytes: row.bytes,
                time: median(comparison.subject(), comparison.operation, row.bytes)?,
                reference: median(comparison.reference, comparison.counterpart, row.bytes)?,
                ratio: row.of(RATIO)?.median(),
            })
        };
        findings.extend(ratios.0.iter().filter_map(finding));
    }
    findings
}
