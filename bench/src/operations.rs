//! The operations of `cobench micro`.

mod atomics;
pub mod blocks;
mod bulk;
pub mod collectives;
mod column;
mod events;
mod files;
mod halos;
mod lists;
mod memory;
mod mutex;
mod pairs;
mod regions;
mod scalar;
mod updates;
mod waiting;

use std::rc::Rc;

use crate::baseline::Barrier;
use crate::launch;
use crate::stopwatch::Action;

/// An operation that is measured.
#[derive(Debug)]
pub struct Operation {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// The sizes in bytes at which it is measured; 0 alone for an operation that has none.
    pub sizes: &'static [usize],
    /// Collective. Prepares everything to run it at one size.
    pub prepare: fn(bytes: usize, barrier: &Rc<Barrier>) -> Trial,
}

/// An operation that is ready to run, and its bound.
pub struct Trial {
    /// The operation.
    pub own: Action,
    /// The parts whose times add up to the bound.
    pub bound: Vec<Part>,
}

/// A part of a bound.
pub struct Part {
    /// How often it is needed, such as one and a half times.
    pub times: f64,
    /// Does it.
    pub action: Action,
}

impl Part {
    fn new(times: f64, action: impl FnMut(usize) + 'static) -> Self {
        Self {
            times,
            action: Box::new(action),
        }
    }
}

/// An observation whose numbers are not the time of an operation and its bound.
#[derive(Debug)]
pub struct Observation {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// Collective. The numbers in place of the operation's time and of the bound's, at least once; on image 0.
    pub observe: fn() -> Vec<[f64; 2]>,
}

/// All observations, which follow the operations.
pub const OBSERVATIONS: &[Observation] = &[waiting::WAITING, waiting::WAITING_FOR_VALUE];

/// The names of all that `cobench micro` measures, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    let operations = OPERATIONS.iter().map(|operation| operation.name);
    let observations = OBSERVATIONS.iter().map(|observation| observation.name);
    operations
        .chain(observations)
        .chain([launch::NAME])
        .collect()
}

/// How many rows of a job this name has.
pub fn rows_of(name: &str) -> usize {
    let operation = OPERATIONS.iter().find(|operation| operation.name == name);
    operation.map_or(1, |operation| operation.sizes.len())
}

/// All operations, in the order of the tables. A new one is a line here.
pub const OPERATIONS: &[Operation] = &[
    scalar::PUT,
    scalar::PUT_QUIET,
    scalar::GET,
    bulk::BULK_PUT,
    bulk::BULK_GET,
    column::COLUMN_PUT,
    column::COLUMN_GET,
    regions::REGION_2D_PUT,
    regions::REGION_2D_GET,
    regions::REGION_3D_PUT,
    regions::REGION_3D_GET,
    lists::LIST_GATHER,
    lists::LIST_SCATTER,
    lists::LIST_ADD,
    lists::LOOP_GATHER,
    lists::LOOP_SCATTER,
    lists::LOOP_ADD,
    atomics::FETCH_ADD,
    atomics::COMPARE_EXCHANGE,
    updates::GUPS,
    updates::GUPS_ATOMIC,
    events::EVENT_PINGPONG,
    events::VALUE_PINGPONG,
    events::EVENT_RING,
    events::NOTIFY_PINGPONG,
    mutex::MUTEX,
    collectives::SYNC_ALL,
    pairs::SYNC_PAIR,
    memory::ALLOC,
    memory::OPEN,
    halos::HALO,
    halos::HALO_FACES,
    files::WRITE_NPY,
    collectives::CO_SUM,
    collectives::CO_SUM_SYMMETRIC,
    collectives::CO_SUM_ASYNC,
    collectives::CO_SUM_REPRODUCIBLE,
    collectives::CO_TOTAL_REPRODUCIBLE,
    collectives::CO_SUM_TO,
    collectives::CO_SUM_TO_SYMMETRIC,
    collectives::CO_SCAN,
    collectives::CO_SCAN_SYMMETRIC,
    collectives::CO_BROADCAST,
    collectives::CO_BROADCAST_SYMMETRIC,
    blocks::CO_GATHER,
    blocks::CO_GATHER_SYMMETRIC,
    blocks::CO_ALLGATHER,
    blocks::CO_ALLGATHER_SYMMETRIC,
    blocks::CO_SCATTER,
    blocks::CO_SCATTER_SYMMETRIC,
    blocks::CO_ALLTOALL,
    blocks::CO_ALLTOALL_SYMMETRIC,
    blocks::CO_REDUCE_SCATTER,
    blocks::CO_REDUCE_SCATTER_SYMMETRIC,
];
