//! What people and programs get to see.

pub mod json;
pub mod machine;
pub mod table;
pub mod units;

use crate::peers::Installed;
use crate::sample::Row;
use crate::statistics::Samples;

/// What a row says of a peer.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'rows> {
    /// The peer's name.
    pub peer: &'static str,
    /// What it was measured at: nanoseconds, or a rate.
    pub samples: &'rows Samples,
    /// How many times as fast `coarray` was, in each round.
    pub speedup: &'rows Samples,
}

/// What a row says of a peer, if the peer has the operation.
pub fn comparison<'rows>(row: &'rows Row, peer: &Installed) -> Option<Comparison<'rows>> {
    Some(Comparison {
        peer: peer.peer.name(),
        samples: row.of(peer.peer.name())?,
        speedup: row.of(&peer.peer.speedup())?,
    })
}

/// What a row says of all peers that have the operation.
pub fn comparisons<'rows, 'peers>(
    row: &'rows Row,
    peers: impl IntoIterator<Item = &'peers Installed>,
) -> Vec<Comparison<'rows>> {
    let found = peers.into_iter().filter_map(|peer| comparison(row, peer));
    found.collect()
}

/// The peer to beat.
pub fn best<'rows>(comparisons: &[Comparison<'rows>]) -> Option<Comparison<'rows>> {
    let speedup = |comparison: &Comparison<'_>| comparison.speedup.median();
    let best = |a: &&Comparison<'_>, b: &&Comparison<'_>| speedup(a).total_cmp(&speedup(b));
    comparisons.iter().min_by(best).copied()
}
