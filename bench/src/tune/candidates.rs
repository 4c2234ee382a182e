//! The candidates of `cobench tune`.

use std::ops::Add;

use coarray::collectives::{Algorithm, Collective};
use coarray::{num_images, sync_all};
use coarray_collectives::Kind;
use coarray_runtime::{Barrier, Team};

use crate::operations::blocks::{exchange, gathering, scattered_reduction, scattering};
use crate::operations::collectives::{
    ROOT, SIZES, broadcast, is_root, reduction, rounded, scan, total,
};
use crate::stopwatch::Action;

/// A kind of operation, whose fastest algorithm is wanted.
#[derive(Debug)]
pub struct Contest {
    /// The kind.
    pub kind: Kind,
    /// The sizes in bytes at which its algorithms are compared, ascending.
    pub sizes: &'static [usize],
    /// Collective. Prepares an operation of the kind with one algorithm at one size.
    pub prepare: fn(algorithm: Algorithm, bytes: usize) -> Action,
}

/// Sizes of one image's block, of which there is one for each image.
const BLOCK_SIZES: &[usize] = SIZES.split_at(10).0;

/// Sizes of the blocks of all images together.
const TOTAL_SIZES: &[usize] = SIZES.split_at(2).1;

/// One of each kind. The choice depends on the size.
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
            reduction(bytes, true, move |values| by.co_sum(values))
        },
    },
    Contest {
        kind: Kind::ReduceTo,
        sizes: SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            reduction(bytes, is_root(), move |values| by.co_sum_to(values, ROOT))
        },
    },
    Contest {
        kind: Kind::Gather,
        sizes: BLOCK_SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            gathering(bytes, is_root(), move |values, gathered| {
                by.co_gather(values, gathered, ROOT)
            })
        },
    },
    Contest {
        kind: Kind::Allgather,
        sizes: BLOCK_SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            gathering(bytes, true, move |values, gathered| {
                by.co_allgather(values, gathered)
            })
        },
    },
    Contest {
        kind: Kind::Scatter,
        sizes: BLOCK_SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            scattering(bytes, move |parts, mine| by.co_scatter(parts, mine, ROOT))
        },
    },
    Contest {
        kind: Kind::Alltoall,
        sizes: TOTAL_SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            exchange(share(bytes), move |sent, received| {
                by.co_alltoall(sent, received)
            })
        },
    },
    Contest {
        kind: Kind::ReduceScatter,
        sizes: TOTAL_SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            scattered_reduction(share(bytes), move |values, mine| {
                by.co_reduce_scatter(values, mine, Add::add)
            })
        },
    },
    Contest {
        kind: Kind::Scan,
        sizes: SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            scan(bytes, move |values| by.co_scan(values, Add::add))
        },
    },
    Contest {
        kind: Kind::SumReproducible,
        sizes: SIZES,
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            rounded(bytes, move |values| by.co_sum_reproducible(values))
        },
    },
    Contest {
        kind: Kind::TotalReproducible,
        sizes: &[8],
        prepare: |algorithm, bytes| {
            let by = Collective::new().algorithm(algorithm);
            total(bytes, move |values| by.co_total_reproducible(values))
        },
    },
];

/// The bytes of a block if those of all images are `bytes`: at least one number.
fn share(bytes: usize) -> usize {
    let number = size_of::<f64>();
    (bytes / num_images() / number).max(1) * number
}

/// The name of barriers in samples, as in the table.
pub const BARRIERS: &str = "sync_all";

/// `sync_all` by one barrier, ready to run.
pub fn by_barrier(barrier: Barrier) -> Action {
    Box::new(move |times| {
        let team = Team::current();
        let before = team.barrier_algorithm();
        // SAFETY: no collective operation is in progress.
        unsafe { team.set_barrier_algorithm(barrier) };
        (0..times).for_each(|_| sync_all());
        // SAFETY: no collective operation is in progress.
        unsafe { team.set_barrier_algorithm(before) };
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_contest_of_each_kind() {
        let kinds: Vec<Kind> = CONTESTS.iter().map(|contest| contest.kind).collect();
        assert_eq!(kinds, Kind::ALL);
        for Contest { kind, sizes, .. } in CONTESTS {
            assert!(sizes.is_sorted() && !sizes.is_empty(), "{kind:?}");
        }
        assert_eq!(BLOCK_SIZES.last(), Some(&(512 << 10)));
        assert_eq!(TOTAL_SIZES.first(), Some(&128));
    }
}
