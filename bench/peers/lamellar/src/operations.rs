//! Single operations, printed as lines `OPERATION BYTES peer NS NS ...`.

use lamellar::LamellarWorld;

use crate::timing::Stopwatch;
use crate::{collectives, launch, report, transfers, updates};

/// What is measured and how: the command line.
pub struct Plan<'world> {
    /// All PEs.
    pub world: &'world LamellarWorld,
    /// Times operations.
    pub stopwatch: Stopwatch<'world>,
    only: &'world [String],
}

impl Plan<'_> {
    /// Whether this operation is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// The PE whose memory PE 0 works on: its neighbour, or itself if it is alone.
    pub fn target(&self) -> usize {
        1.min(self.world.num_pes() - 1)
    }

    /// What is fast must be right before.
    pub fn expect(&self, holds: bool, otherwise: &str) {
        if !holds {
            eprintln!("lamellar: {otherwise}");
            launch::abandon();
        }
    }
}

/// Measures what the command line asks for: `MILLISECONDS MICROSECONDS [OPERATION ...]`.
pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let number = |text: &String| text.parse::<f64>().ok();
    let [milliseconds, microseconds, only @ ..] = arguments else {
        report::fail(
            world,
            "usage: operations MILLISECONDS MICROSECONDS [OPERATION ...]",
        );
    };
    let (Some(budget), Some(batch)) = (number(milliseconds), number(microseconds)) else {
        report::fail(world, "MILLISECONDS and MICROSECONDS must be numbers");
    };
    if world.my_pe() == 0 {
        println!("# Lamellar 0.8.1 (shared memory)");
    }
    let plan = Plan {
        world,
        stopwatch: Stopwatch::new(world, budget * 1e6, batch * 1e3),
        only,
    };
    transfers::measure(&plan);
    updates::measure(&plan);
    collectives::measure(&plan);
}
