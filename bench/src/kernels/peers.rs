//! The kernels in `cobench peers`: on coarrays and on every peer, in turn.

use std::error::Error;
use std::time::Duration;

use super::list::{KERNELS, Kernel};
use super::outcome::{Outcome, measure, understand};
use super::{ROUNDS, own, report};
use crate::conductor;
use crate::gallery::Gallery;
use crate::options::Micro;
use crate::peers::{self, Installed};
use crate::report::machine::Machine;
use crate::report::{comparisons, json, table};
use crate::sample::{OWN, Row, Rows};

/// A kernel that is run more than once.
#[derive(Debug)]
struct Runs {
    kernel: &'static Kernel,
    parameters: &'static str,
    outcomes: Vec<Outcome>,
    /// Rates, and how many times as fast `coarray` was as each peer.
    row: Row,
}

/// Runs kernels, and prints what they and those of the peers say.
///
/// # Errors
/// If one of our own is missing, cannot be run, or computes something wrong.
pub fn report(options: &Micro, peers: &mut [Installed]) -> Result<(), Box<dyn Error>> {
    let is_wanted = |kernel: &&Kernel| options.kernels.iter().any(|name| name == kernel.name);
    let all = KERNELS.iter().filter(is_wanted).map(|kernel| Runs {
        kernel,
        parameters: kernel.parameters(options.quick),
        outcomes: Vec::new(),
        row: Row::new(kernel.name, 0),
    });
    let mut all: Vec<Runs> = all.collect();
    if all.is_empty() {
        return Ok(());
    }
    let rounds = if options.quick { 1 } else { ROUNDS };
    let machine = Machine {
        images: options.images,
        fabric: options.fabric,
        rounds,
    };
    let gallery = Gallery::wanted(options.plot.as_deref(), &machine)?;
    run(options, peers, rounds, &mut all)?;
    if options.json {
        for runs in &all {
            println!("{}", json_line(runs, options.images, peers));
        }
    } else {
        print_table(&all, &machine, peers);
    }
    if let Some(gallery) = gallery {
        gallery.kernels(&Rows(all.into_iter().map(|runs| runs.row).collect()))?;
    }
    Ok(())
}

fn run(
    options: &Micro,
    peers: &mut [Installed],
    rounds: usize,
    all: &mut [Runs],
) -> Result<(), Box<dyn Error>> {
    for peer in &mut *peers {
        for runs in &*all {
            peers::prepare(peer, runs.kernel.name);
        }
    }
    let bar = conductor::progress(rounds * all.len() * (1 + peers.len()));
    for _ in 0..rounds {
        for runs in &mut *all {
            let name = runs.kernel.name;
            bar.set_message(name);
            let mut program = own(runs.kernel, runs.parameters, options.images, options.fabric)?;
            let own = measure(&mut program)?;
            runs.row.add(OWN.into(), [own.rate]);
            bar.inc(1);
            for peer in &mut *peers {
                if peer.has(name) {
                    match peers_turn(peer, runs, options.images) {
                        Ok(rate) => {
                            runs.row.add(peer.peer.name().into(), [rate]);
                            runs.row.add(peer.peer.speedup(), [own.rate / rate]);
                        }
                        Err(reason) => bar.suspend(|| peers::give_up(peer, name, &*reason)),
                    }
                }
                bar.inc(1);
            }
            runs.outcomes.push(own);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// The rate of a peer's program.
fn peers_turn(peer: &mut Installed, runs: &Runs, processes: usize) -> Result<f64, Box<dyn Error>> {
    /// None of ours takes a tenth of this.
    const PATIENCE: Duration = Duration::from_secs(120);
    let name = runs.kernel.name;
    let words = runs.parameters.split_whitespace().map(str::to_owned);
    let arguments: Vec<String> = words.collect();
    let mut printed = String::new();
    peer.run(name, processes, &arguments, PATIENCE, |line| {
        printed += line;
        printed.push('\n');
    })?;
    let program = format!("{name} of {}", peer.peer.name());
    Ok(understand(&printed, program)?.rate)
}

fn unit(runs: &Runs) -> &str {
    runs.outcomes.first().map_or("", |outcome| &outcome.unit)
}

fn print_table(all: &[Runs], machine: &Machine, peers: &[Installed]) {
    print!("{}", machine.heading(peers));
    let cells = |row: &Row| {
        let runs = all.iter().find(|runs| runs.kernel.name == row.operation)?;
        let rate = report::number(row.of(OWN)?.median());
        let words = [runs.kernel.name, runs.parameters, unit(runs), &rate];
        Some(words.map(str::to_owned).to_vec())
    };
    let left = table::Left {
        titles: ["kernel", "parameters", "rate in", "coarray"]
            .map(str::to_owned)
            .into(),
        cells: &cells,
        naming: 2,
        number: report::number,
    };
    let rows = Rows(all.iter().map(|runs| runs.row.clone()).collect());
    table::print(&left, &rows, peers);
}

fn json_line(runs: &Runs, images: usize, peers: &[Installed]) -> String {
    let row = report::Row {
        kernel: runs.kernel.name,
        parameters: runs.parameters,
        outcomes: &runs.outcomes,
    };
    let mut line = report::json_line(&row, images);
    // The peers come before the end of the object.
    line.pop();
    json::add_peers(&mut line, &comparisons(&runs.row, peers), |comparison| {
        format!(r#""rate":{:.6}"#, comparison.samples.median())
    });
    line + "}"
}
