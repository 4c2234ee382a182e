//! `cobench busy`: the cost of operations that wait on a machine with other users.
//!
//! Images and processes of Open MPI in turn run on two cores, beside programs that do nothing but compute ([`loops`]).
//! Every single operation is timed: on such a machine most are as fast as ever, and a few take as long as the others
//! keep the core. [`report`] has the targets.

pub mod job;
pub mod loops;
mod report;

use std::error::Error;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::options::{Command, Fabric, MAX_IMAGES, Options, Takes};
use crate::peer::Peer;
use crate::peers::{self, Installed};
use crate::report::machine::Machine;
use crate::runner::{self, Effort, watch};
use crate::sample::{Line, OWN, PEER};
use crate::statistics::Samples;
use crate::task::Task;
use loops::Loops;
use report::Finding;

/// All share this number of cores.
const CORES: usize = 2;

/// A job that runs longer has hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// One operation, with a number of images and a number of loops.
#[derive(Clone, Debug)]
struct Case {
    operation: &'static str,
    images: usize,
    loops: usize,
    own: Series,
    peer: Series,
}

/// All measurements of one side.
#[derive(Clone, Debug, Default)]
struct Series {
    /// Every single time.
    all: Samples,
    /// The mean of each round.
    means: Vec<f64>,
}

impl Series {
    fn add(&mut self, times: Vec<f64>) {
        let sum: f64 = times.iter().sum();
        self.means.push(sum / times.len() as f64);
        self.all.extend(times);
    }
}

/// The command.
pub const COMMAND: Command = Command {
    defaults: |options| options.images = vec![2, 3, 4, 8],
    ..Command::new(
        "busy",
        &[
            Takes::ImageCounts(MAX_IMAGES),
            Takes::Loops,
            Takes::Rounds,
            Takes::Json,
            Takes::Quick,
        ],
        run,
    )
};

/// Measures and prints.
///
/// # Errors
/// If a job of ours fails. What Open MPI does not achieve is only reported.
fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    share_few_cores()?;
    let effort = Effort::new(Task::Busy, options.quick);
    let rounds = options.rounds.unwrap_or(effort.rounds);
    let effort = Effort { rounds, ..effort };
    let mut peers = peers::find(&[Peer::Mpi]);
    for peer in &mut peers {
        peers::prepare(peer, peers::BUSY);
    }
    let mut cases = cases(options);
    let programs = rounds * options.loops.len() * options.images.len() * (1 + peers.len());
    let bar = runner::progress(programs * job::OPERATIONS.len());
    for _ in 0..rounds {
        for &loops in &options.loops {
            let beside = Loops::start(loops)?;
            for &images in &options.images {
                let mut take = |line: &str, what: &str| {
                    bar.inc(1);
                    let line = Line::parse(line).filter(|line| line.what == what);
                    let case = line.as_ref().and_then(|line| {
                        cases.iter_mut().find(|case| {
                            (case.operation, case.images, case.loops)
                                == (line.operation.as_str(), images, loops)
                        })
                    });
                    if let (Some(case), Some(line)) = (case, line) {
                        match what {
                            OWN => case.own.add(line.times),
                            _ => case.peer.add(line.times),
                        }
                    }
                };
                let mut own = runner::job(Task::Busy, images, Fabric::Processes, &[], effort)?;
                // The users of this comparison do not think of cores.
                own.env("COARRAY_BIND", "none");
                watch(&mut own, PATIENCE, |line| take(line, OWN)).map_err(|failure| {
                    format!("a job of {images} images beside {loops} loops failed: {failure}")
                })?;
                for peer in &mut peers {
                    run_peer(peer, images, effort, |line| take(line, PEER));
                }
            }
            beside.end();
        }
    }
    bar.finish_and_clear();
    let findings = findings(&cases);
    if options.json {
        report::json(&findings);
    } else {
        print!("{}", Machine::heading_of_all(rounds, &peers));
        report::table(&findings);
    }
    Ok(())
}

/// Keeps this process, and all that it starts, on few cores.
fn share_few_cores() -> rustix::io::Result<()> {
    let usable = sched_getaffinity(None)?;
    let mut few = CpuSet::new();
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| usable.is_set(core));
    cores.take(CORES).for_each(|core| few.set(core));
    sched_setaffinity(None, &few)
}

fn cases(options: &Options) -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in job::OPERATIONS {
        for &images in &options.images {
            for &loops in &options.loops {
                cases.push(Case {
                    operation,
                    images,
                    loops,
                    own: Series::default(),
                    peer: Series::default(),
                });
            }
        }
    }
    cases
}

/// A program that fails once is not run again.
fn run_peer(peer: &mut Installed, images: usize, effort: Effort, each: impl FnMut(&str)) {
    if !peer.has(peers::BUSY) {
        return;
    }
    let arguments = [effort.budget.as_millis().to_string()];
    if let Err(failure) = peer.run(peers::BUSY, images, &arguments, PATIENCE, each) {
        peers::give_up(peer, peers::BUSY, &failure);
    }
}

/// The measurements, and their targets.
fn findings(cases: &[Case]) -> Vec<Finding> {
    let measured = cases.iter().filter(|case| !case.own.means.is_empty());
    measured
        .map(|case| {
            let quiet = cases.iter().find(|other| {
                (other.operation, other.images, other.loops) == (case.operation, case.images, 0)
            });
            let quiet = quiet.filter(|quiet| !quiet.own.means.is_empty());
            let ratios = case.own.means.iter().zip(&case.peer.means);
            let ratios: Samples = ratios.map(|(own, peer)| own / peer).collect();
            Finding {
                operation: case.operation,
                images: case.images,
                loops: case.loops,
                median: case.own.all.median(),
                mean: case.own.means.iter().copied().collect::<Samples>().median(),
                p999: case.own.all.p999(),
                quiet: quiet.map(|quiet| quiet.own.all.median()),
                peer: (!case.peer.means.is_empty()).then(|| {
                    let means: Samples = case.peer.means.iter().copied().collect();
                    (means.median(), ratios.median())
                }),
            }
        })
        .collect()
}
