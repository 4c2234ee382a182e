//! `cobench micro` and the operations of `cobench peers`: beside the hardware and the peers.

use std::error::Error;

use indicatif::ProgressBar;

use crate::launch;
use crate::operations;
use crate::options::{Command, Fabric, Options, Takes};
use crate::peer::Peer;
use crate::peers::{self, Installed};
use crate::plots::Plots;
use crate::report::machine::Machine;
use crate::report::{json, table};
use crate::runner::{self, Effort, Failure};
use crate::sample::{Line, OWN, RATIO, RAW, Row, Rows};
use crate::statistics::Samples;
use crate::task::Task;

/// The command.
pub const COMMAND: Command = Command::new(
    "micro",
    &[
        Takes::Images,
        Takes::Fabric(&[Fabric::Processes, Fabric::Threads]),
        Takes::Only(operations::names),
        Takes::Peers,
        Takes::Json,
        Takes::Plot,
        Takes::Quick,
    ],
    |options| report(options, &mut peers::find(&options.peers)),
);

/// Measures operations, prints and plots them.
///
/// # Errors
/// If a job fails, or a plot cannot be written. What a peer does not achieve is only reported.
pub fn report(options: &Options, peers: &mut [Installed]) -> Result<(), Box<dyn Error>> {
    let mut wanted = operations::names();
    wanted.retain(|name| options.wants(name));
    if wanted.is_empty() {
        return Ok(());
    }
    let effort = Effort::new(Task::Micro, options.quick);
    let machine = Machine {
        images: options.image_count(),
        fabric: options.fabric(),
        rounds: effort.rounds,
    };
    let plots = Plots::wanted(options, &machine.line())?;
    let rows = Measurement::new(options, &wanted, effort).run(peers)?;
    if options.json {
        for row in &rows.0 {
            if let Some(line) = json::operation(row, options.image_count(), peers) {
                println!("{line}");
            }
        }
    } else {
        print!("{}", machine.heading(peers));
        let (left, lines) = table::operations(&rows, peers.is_empty());
        table::print(&left, &lines, peers);
    }
    if let Some(plots) = plots {
        plots.operations(&rows)?;
    }
    Ok(())
}

/// The end of the names of collectives whose values lie in coarrays. Beside them stands what a peer offers under the name without it: those
/// that have symmetric memory use it anyway.
const SYMMETRIC: &str = "_symmetric";

/// What peers are to measure beside these operations.
fn asked_of_peers(operations: &[String]) -> Vec<String> {
    let mut asked: Vec<String> = operations
        .iter()
        .map(|name| name.strip_suffix(SYMMETRIC).unwrap_or(name).to_owned())
        .collect();
    asked.sort();
    asked.dedup();
    asked
}

/// Operations that are being measured.
struct Measurement {
    images: usize,
    fabric: Fabric,
    effort: Effort,
    /// The operations that a job measures.
    inside: Vec<String>,
    with_launch: bool,
    /// How many rows a job has.
    rows_of_one: usize,
    rows: Rows,
    bar: ProgressBar,
    ended: usize,
}

impl Measurement {
    fn new(options: &Options, wanted: &[&str], effort: Effort) -> Self {
        let (launches, inside): (Vec<&str>, Vec<&str>) =
            wanted.iter().partition(|&&name| name == launch::NAME);
        Self {
            images: options.image_count(),
            fabric: options.fabric(),
            effort,
            with_launch: !launches.is_empty(),
            rows_of_one: inside.iter().map(|name| operations::rows_of(name)).sum(),
            inside: inside.into_iter().map(str::to_owned).collect(),
            rows: Rows::default(),
            bar: ProgressBar::hidden(),
            ended: 0,
        }
    }

    fn run(mut self, peers: &mut [Installed]) -> Result<Rows, Box<dyn Error>> {
        for peer in &mut *peers {
            if !self.inside.is_empty() {
                peers::prepare(peer, peers::OPERATIONS);
            }
            if self.with_launch {
                peers::prepare(peer, peers::EMPTY);
            }
        }
        let programs = self.effort.rounds * (1 + peers.len());
        self.bar = runner::progress(self.rows_of_one * programs);
        for _ in 0..self.effort.rounds {
            if !self.inside.is_empty() {
                self.round(peers)?;
            }
            if self.with_launch {
                self.launches(peers)?;
            }
        }
        self.bar.finish_and_clear();
        Ok(self.rows)
    }

    fn round(&mut self, peers: &mut [Installed]) -> Result<(), Box<dyn Error>> {
        let Self { images, fabric, .. } = *self;
        let mut job = runner::job(Task::Micro, images, fabric, &self.inside, self.effort)?;
        let mut own = Rows::default();
        runner::measure(&mut job, self.effort, self.rows_of_one, |line| {
            if line.what == OWN {
                self.bar.inc(1);
                own.add(line.clone());
            }
            self.rows.add(line);
        })?;
        self.end_program();
        let asked = asked_of_peers(&self.inside);
        for peer in peers {
            if peer.has(peers::OPERATIONS) {
                let name = peer.peer;
                let add = |line: Line| {
                    let symmetric = format!("{}{SYMMETRIC}", line.operation);
                    for operation in [&line.operation, &symmetric] {
                        if let Some(own) = own.row(operation, line.bytes).of(OWN) {
                            self.bar.inc(1);
                            let row = self.rows.row(operation, line.bytes);
                            add_peer(row, name, line.times.clone(), Some(own));
                        }
                    }
                };
                let rows = self.rows_of_one;
                let outcome = peer.measure(images, self.effort, &asked, rows, add);
                self.check(peer, peers::OPERATIONS, outcome.err());
            }
            self.end_program();
        }
        Ok(())
    }

    /// Jobs that do nothing. Ours run more often than those of peers, which take longer and vary less.
    fn launches(&mut self, peers: &mut [Installed]) -> Result<(), Box<dyn Error>> {
        const TIMES: usize = 3;
        let Self { images, fabric, .. } = *self;
        let mut all = Samples::default();
        for _ in 0..TIMES {
            let own = launch::own(images, fabric, self.effort)
                .map_err(|failure| format!("a job that does nothing failed: {failure}"))?;
            let raw = launch::raw(images)?;
            let row = self.rows.row(launch::NAME, 0);
            for (what, number) in [(OWN, own), (RAW, raw), (RATIO, own / raw)] {
                row.add(what.into(), [number]);
            }
            all.extend([own]);
        }
        for peer in peers.iter_mut().filter(|peer| peer.has(peers::EMPTY)) {
            match peer.run(peers::EMPTY, images, &[], launch::PATIENCE, |_| ()) {
                Ok(time) => {
                    let row = self.rows.row(launch::NAME, 0);
                    add_peer(row, peer.peer, vec![launch::nanoseconds(time)], Some(&all));
                }
                Err(failure) => self.check(peer, peers::EMPTY, Some(failure)),
            }
        }
        Ok(())
    }

    /// A program that fails once is not run again.
    fn check(&self, peer: &mut Installed, program: &str, failure: Option<Failure>) {
        if let Some(failure) = failure {
            self.bar.suspend(|| peers::give_up(peer, program, &failure));
        }
    }

    fn end_program(&mut self) {
        self.ended += 1;
        // A peer may not have all operations.
        self.bar
            .set_position((self.ended * self.rows_of_one) as u64);
    }
}

/// Adds a peer's samples of one round, and the speedup over them in that round, for the reason given at [`RATIO`].
fn add_peer(row: &mut Row, peer: Peer, times: Vec<f64>, own: Option<&Samples>) {
    let median = Samples::from_iter(times.iter().copied()).median();
    row.add(peer.name().to_owned(), times);
    row.add(peer.speedup(), own.map(|own| median / own.median()));
}
