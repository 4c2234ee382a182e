//! Reports for people and programs.

pub mod json;
pub mod machine;
pub mod table;
pub mod units;

use crate::peers::Installed;
use crate::sample::Row;
use crate::statistics::Samples;

/// A row beside one peer.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'rows> {
    /// The peer's name.
    pub peer: &'static str,
    /// The peer's samples: nanoseconds, or rates.
    pub samples: &'rows Samples,
    /// How many times as fast `coarray` was, in each round.
    pub speedup: &'rows Samples,
}

/// A row beside `peer`, if the peer has the operation.
pub fn comparison<'rows>(row: &'rows Row, peer: &Installed) -> Option<Comparison<'rows>> {
    Some(Comparison {
        peer: peer.peer.name(),
        samples: row.of(peer.peer.name())?,
        speedup: row.of(&peer.peer.speedup())?,
    })
}

/// A row beside all peers that have the operation.
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
