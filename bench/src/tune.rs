//! `cobench tune`: finds the fastest algorithm of each collective operation, by size and number of images.

mod candidates;
mod table;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;

use crate::fabrics::built_in;
use crate::launcher::{by_launcher, is_between_nodes};
use crate::options::{Command, Fabric, MAX_IMAGES, Options, Takes};
use crate::runner::{self, Effort};
use crate::sample::{Rows, tell};
use crate::stopwatch::{Action, Stopwatch};
use crate::task::Task;
use candidates::{BARRIERS, CONTESTS, Contest, by_barrier};
use coarray_collectives::{Algorithm, Kind, TuningTable};
use coarray_runtime::{Barrier, Placement, Team};

/// The command.
pub const COMMAND: Command = Command {
    defaults: |options| options.images = vec![2, 4, 8],
    ..Command::new(
        "tune",
        &[
            Takes::ImageCounts(MAX_IMAGES),
            Takes::Fabric(&[
                Fabric::Processes,
                Fabric::Threads,
                Fabric::Mpi,
                Fabric::Shmem,
            ]),
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
    let fabric = options.fabric();
    built_in(&[fabric])?;
    let output = options.output.clone().unwrap_or_else(|| file(fabric));
    let (path, output) = (&output, output.display());
    // Before everything is measured in vain.
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    let effort = Effort::new(Task::Tune, options.quick);
    let placement = placement(fabric);
    let of = |contest: &Contest| contest.sizes.len() * candidates(contest.kind, placement).count();
    let rows_of_one = CONTESTS.iter().map(of).sum::<usize>() + Barrier::ALL.len();
    let bar = runner::progress(rows_of_one * options.images.len() * effort.rounds);
    let mut table = TuningTable::default();
    let counts: BTreeSet<usize> = options.images.iter().copied().collect();
    for images in counts {
        bar.set_message(format!("{images} images"));
        let mut rounds = vec![Rows::default(); effort.rounds];
        for rows in &mut rounds {
            let job = runner::job(Task::Tune, images, fabric, &[], effort)?;
            let mut job = by_launcher(job, fabric, images);
            if placement == Placement::Apart {
                job.env("COARRAY_SHARED_MEMORY", "0");
            }
            runner::measure(&mut job, effort, rows_of_one, |line| {
                bar.inc(1);
                rows.add(line);
            })?;
        }
        table::add_rules(&mut table, images, placement, &mut rounds);
    }
    bar.finish_and_clear();
    std::fs::write(path, table.text())
        .map_err(|error| format!("cannot write {output}: {error}"))?;
    println!("written to {output}");
    Ok(())
}

/// The file that jobs of this fabric look for.
fn file(fabric: Fabric) -> PathBuf {
    match placement(fabric) {
        Placement::Apart => format!("collectives.{}.toml", fabric.name()).into(),
        _ => "collectives.toml".into(),
    }
}

/// Between nodes, each image is measured on one of its own.
fn placement(fabric: Fabric) -> Placement {
    match is_between_nodes(fabric) {
        true => Placement::Apart,
        false => Placement::Node,
    }
}

/// The algorithms for this kind of operation; not those that are another one there, as reductions in place are, which need values in coarrays.
fn candidates(kind: Kind, placement: Placement) -> impl Iterator<Item = Algorithm> {
    let other = match placement {
        Placement::Apart => Algorithm::Eager,
        _ => Algorithm::Fabric,
    };
    let all = kind.algorithms().iter().copied();
    all.filter(move |&algorithm| match algorithm {
        Algorithm::InPlace => {
            placement == Placement::Node && ![Kind::Reduce, Kind::ReduceTo].contains(&kind)
        }
        algorithm => algorithm != other,
    })
}

/// Collective. Measures all algorithms and barriers, and prints the samples on image 0.
pub fn measure(stopwatch: &Stopwatch) {
    let placement = match Team::current().is_on_one_node() {
        true => Placement::Node,
        false => Placement::Apart,
    };
    for contest in CONTESTS {
        let algorithms: Vec<Algorithm> = candidates(contest.kind, placement).collect();
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
