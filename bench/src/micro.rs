//! `cobench micro` and `cobench peers`: single operations, beside the hardware and the peers.

use std::error::Error;

use crate::conductor::{self, Effort};
use crate::operations::{OBSERVATIONS, OPERATIONS};
use crate::options::{Micro, Task};
use crate::peers::{Installed, Peer};
use crate::report::{self, Machine};
use crate::sample::{Line, OWN, PEER, Row, Rows};
use crate::statistics::Samples;

/// Measures and prints.
///
/// # Errors
/// If a job or a peer's program fails.
pub fn run(options: &Micro) -> Result<(), Box<dyn Error>> {
    let effort = Effort::new(Task::Micro, options.quick);
    let mut peers = Vec::new();
    for &peer in &options.peers {
        match Installed::find(peer) {
            Ok(installed) => peers.push(installed),
            Err(missing) => eprintln!("cobench: {} is skipped: {missing}", peer.name()),
        }
    }
    let rows_of_one = OPERATIONS
        .iter()
        .filter(|operation| is_wanted(operation.name, &options.only))
        .map(|operation| operation.sizes.len())
        .sum::<usize>()
        + OBSERVATIONS
            .iter()
            .filter(|observation| is_wanted(observation.name, &options.only))
            .count();
    let programs = effort.rounds * (1 + peers.len());
    let bar = conductor::progress(rows_of_one * programs);
    let mut ended = 0;
    let mut end_program = || {
        ended += 1;
        // A peer need not know all operations.
        bar.set_position((ended * rows_of_one) as u64);
    };

    let mut rows = Rows::default();
    for _ in 0..effort.rounds {
        let (images, fabric) = (options.images, options.fabric);
        let mut job = conductor::job(Task::Micro, images, fabric, &options.only, effort)?;
        let mut own = Rows::default();
        conductor::read_lines(&mut job, |line| {
            if let Some(line) = Line::parse(line) {
                bar.inc(u64::from(line.what == OWN));
                if line.what == OWN {
                    own.add(line.clone());
                }
                rows.add(line);
            }
        })?;
        end_program();
        for peer in &mut peers {
            let mut program = peer.program(images, &options.only, effort.budget);
            conductor::read_lines(&mut program, |line| {
                if let Some(line) = Line::parse(line).filter(|line| line.what == PEER) {
                    bar.inc(1);
                    let own = own.row(&line.operation, line.bytes);
                    add_peer(rows.row(&line.operation, line.bytes), peer.peer, line, own);
                } else if let Some(title) = line.strip_prefix("# ") {
                    peer.title = title.to_owned();
                }
            })?;
            end_program();
        }
    }
    bar.finish_and_clear();
    if options.json {
        report::json(&rows, options.images, &peers);
    } else {
        let machine = Machine {
            images: options.images,
            fabric: options.fabric,
            rounds: effort.rounds,
        };
        report::table(&rows, &machine, &peers);
    }
    Ok(())
}

/// Adds a peer's samples of one round, and the speedup over them in that round, for the reason given at [`RATIO`].
///
/// [`RATIO`]: crate::sample::RATIO
fn add_peer(row: &mut Row, peer: Peer, line: Line, own: &Row) {
    let times = Samples::from_iter(line.times.iter().copied());
    let speedup = own.of(OWN).map(|own| times.median() / own.median());
    row.add(peer.name().to_owned(), line.times);
    row.add(peer.speedup().to_owned(), speedup);
}

/// Whether the operation is among `only`, or `only` names none.
pub fn is_wanted(operation: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == operation)
}
