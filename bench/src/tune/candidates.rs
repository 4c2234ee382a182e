//! What there is to choose from.

use coarray::{Algorithm, Collective, sync_all};
use coarray_fabric::{Barrier, Kind, Team};

use crate::operations::collectives::{ROOT, SIZES, broadcast, reduction};
use crate::stopwatch::Action;

/// A kind of operation among whose algorithms the fastest is to be found.
#[derive(Debug)]
pub struct Contest {
    /// The kind.
    pub kind: Kind,
    /// The sizes in bytes at which its algorithms are compared, ascending.
    pub sizes: &'static [usize],
    /// Collective. Gets an operation of the kind ready to run with one algorithm at one size.
    pub prepare: fn(algorithm: Algorithm, bytes: usize) -> Action,
}

/// All of them. A new kind is a line here.
pub const CONTESTS: &[Contest] = &[
    Contest {
        kind: Kind::Broadcast,
        sizes: SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            broadcast(bytes, move |values| by.co_broadcast(values, ROOT))
        },
    },
    Contest {
        kind: Kind::Reduce,
        sizes: SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            reduction(bytes, move |values| by.co_sum(values))
        },
    },
];

/// What the samples of barriers are filed under, as in the table.
pub const BARRIERS: &str = "sync_all";

/// `sync_all` by one barrier, ready to run.
pub fn by_barrier(barrier: Barrier) -> Action {
    Box::new(move |times| {
        let team = Team::current();
        let before = team.barrier();
        team.set_barrier(barrier);
        (0..times).for_each(|_| sync_all());
        team.set_barrier(before);
    })
}
