//! Which algorithms there are to choose from.

use coarray::{co_broadcast, co_sum, sync_all};

use crate::operations::collectives::{ROOT, SIZES, broadcast, reduction};
use crate::stopwatch::Action;

/// A collective operation with several algorithms.
#[derive(Debug)]
pub struct Collective {
    /// Its name in the table.
    pub name: &'static str,
    /// The sizes in bytes at which they are compared; 0 alone for an operation that has none.
    pub sizes: &'static [usize],
    /// The algorithms.
    pub candidates: &'static [Candidate],
}

/// An algorithm of a collective operation.
#[derive(Debug)]
pub struct Candidate {
    /// Its name in the table.
    pub algorithm: &'static str,
    /// Collective. Gets it ready to run at one size.
    pub prepare: fn(bytes: usize) -> Action,
}

/// All of them. A new algorithm is a line here.
pub const COLLECTIVES: &[Collective] = &[
    Collective {
        name: "sync_all",
        sizes: &[0],
        candidates: &[Candidate {
            algorithm: "default",
            prepare: |_| Box::new(|times| (0..times).for_each(|_| sync_all())),
        }],
    },
    Collective {
        name: "co_sum",
        sizes: SIZES,
        candidates: &[Candidate {
            algorithm: "default",
            prepare: |bytes| reduction(bytes, |values| co_sum(values)),
        }],
    },
    Collective {
        name: "co_broadcast",
        sizes: SIZES,
        candidates: &[Candidate {
            algorithm: "default",
            prepare: |bytes| broadcast(bytes, |values| co_broadcast(values, ROOT)),
        }],
    },
];
