//! `cobench model`: predictions of barriers and collective operations on a network, for more images than anyone has.
//!
//! Every image has a clock, and messages advance the clocks by the rules of LogGP ([`machine`]). The model leaves out
//! the topology of the network, messages that hinder each other, the memory system, the additions of reductions, and
//! images that share cores.

mod alltoall;
mod barrier;
mod collective;
mod machine;
mod measured;
mod network;
mod report;
mod scheduled;
mod tally;
#[cfg(test)]
mod tests;

use std::error::Error;

use coarray_collectives::{Algorithm, Kind};
use coarray_runtime::Barrier;

pub use collective::{ELEMENT, KINDS};
pub use machine::LogGp;
use network::{Network, Tally};

use crate::options::{Command, MAX_IMAGES, MAX_PREDICTED, Options, Takes};
use crate::plots::Plots;
use crate::runner;

/// The name under which barriers are listed.
pub const BARRIERS: &str = "sync_all";

/// The subject of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// `sync_all` by a barrier.
    Barrier(Barrier),
    /// A collective operation by an algorithm.
    Collective(Kind, Algorithm),
}

impl Subject {
    /// All subjects, those for the same purpose one after the other.
    pub fn all() -> impl Iterator<Item = Self> {
        let barriers = Barrier::ALL.into_iter().map(Self::Barrier);
        let of_kind = |kind: Kind| {
            // Values are posted or in place on one machine only, and what a fabric's own collectives send is not known here.
            let others = [Algorithm::Eager, Algorithm::Fabric, Algorithm::InPlace];
            let algorithms = kind.algorithms().iter();
            let sending = algorithms.filter(move |algorithm| !others.contains(algorithm));
            sending.map(move |&algorithm| Self::Collective(kind, algorithm))
        };
        barriers.chain(KINDS.into_iter().flat_map(of_kind))
    }

    /// The operation.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Barrier(_) => BARRIERS,
            Self::Collective(kind, _) => kind.name(),
        }
    }

    /// The algorithm.
    pub fn algorithm(self) -> &'static str {
        match self {
            Self::Barrier(barrier) => barrier.name(),
            Self::Collective(_, algorithm) => algorithm.name(),
        }
    }
}

/// The size of the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of one image's values, or of one block where an image has one for each.
    pub bytes: u64,
    /// Images on a node, for the hierarchical algorithm.
    pub per_node: usize,
}

/// A prediction.
#[derive(Clone, Copy, Debug)]
pub struct Prediction {
    pub subject: Subject,
    pub images: usize,
    /// In nanoseconds.
    pub time: f64,
    pub tally: Tally,
}

/// Predicts `subject` for a number of images.
pub fn predict(machine: LogGp, subject: Subject, images: usize, extent: Extent) -> Prediction {
    let mut network = Network::new(machine, images);
    let short_cut = simulate(&mut network, subject, extent);
    let tally = match short_cut {
        Some(tally) if !network.is_exhaustive => tally,
        _ => network.tally(),
    };
    Prediction {
        subject,
        images,
        time: network.time(),
        tally,
    }
}

/// Sends the messages of `subject`. Returns their number where it is known without sending all of them.
fn simulate(network: &mut Network, subject: Subject, extent: Extent) -> Option<Tally> {
    let images = network.images();
    match subject {
        Subject::Barrier(barrier) => {
            barrier::pass(network, barrier);
            barrier::tally(barrier, images)
        }
        Subject::Collective(kind, algorithm) => {
            let collective = collective::Collective {
                kind,
                algorithm,
                elements: extent.bytes.div_ceil(ELEMENT),
                per_node: extent.per_node,
            };
            collective.run(network);
            tally::tally(&collective, images)
        }
    }
}

/// The fastest prediction, the first of several, among those for the same purpose and number of images.
pub fn fastest<'a>(predictions: impl Iterator<Item = &'a Prediction>) -> Option<&'a Prediction> {
    predictions.min_by(|one, other| one.time.total_cmp(&other.time))
}

/// The command.
pub const COMMAND: Command = Command {
    defaults: |options| options.images = Vec::new(),
    check,
    ..Command::new(
        "model",
        &[
            Takes::ImageCounts(MAX_PREDICTED),
            Takes::Only(names),
            Takes::Network,
            Takes::Measured,
            Takes::Json,
            Takes::Plot,
            Takes::Quick,
        ],
        run,
    )
};

/// The library's name of an operation whose kind has another name.
const ALIAS: (&str, &str) = ("co_sum", "co_reduce");

fn names() -> Vec<&'static str> {
    let kinds = KINDS.iter().map(|kind| kind.name());
    [BARRIERS]
        .into_iter()
        .chain(kinds)
        .chain([ALIAS.0])
        .collect()
}

fn wants(options: &Options, operation: &str) -> bool {
    options.wants(operation) || (operation == ALIAS.1 && options.wants(ALIAS.0))
}

/// What is measured cannot have more images than a job, and has no plot.
fn check(options: &Options) -> Result<(), String> {
    let most = options.images.iter().max().copied().unwrap_or(0);
    if options.measured && most > MAX_IMAGES {
        let expected = format!("with --measured a number from 1 to {MAX_IMAGES}");
        return Err(format!("--images {most}: expected {expected}"));
    }
    if options.measured && options.plot.is_some() {
        return Err("--measured and --plot exclude each other".into());
    }
    Ok(())
}

/// Instructive numbers of images, where the user names none.
fn image_counts(options: &Options) -> Vec<usize> {
    let powers = |step| (5..=20).step_by(step).map(|power| 1 << power).collect();
    match (options.quick, &options.plot) {
        (true, _) => vec![32, 1024],
        (false, Some(_)) => powers(1),
        (false, None) => powers(3),
    }
}

/// Predicts and prints, by the options' network or this machine.
fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.measured {
        return measured::run(options);
    }
    let mut options = options.clone();
    if options.images.is_empty() {
        options.images = image_counts(&options);
    }
    let plots = Plots::wanted(&options, &report::heading(&options))?;
    let network = options.network;
    let machine = LogGp {
        latency: network.latency,
        overhead: network.overhead,
        gap: network.gap,
        per_byte: network.gap_per_byte,
    };
    let extent = Extent {
        bytes: network.bytes,
        per_node: network.per_node,
    };
    let is_wanted = |subject: &Subject| wants(&options, subject.operation());
    let subjects: Vec<Subject> = Subject::all().filter(is_wanted).collect();
    let bar = runner::progress(subjects.len() * options.images.len());
    let mut predictions = Vec::new();
    for &subject in &subjects {
        for &images in &options.images {
            predictions.push(predict(machine, subject, images, extent));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if options.json {
        report::json(&predictions, &options);
    } else {
        report::table(&predictions, &options);
    }
    if let Some(plots) = plots {
        report::draw(&predictions, &plots)?;
    }
    Ok(())
}
