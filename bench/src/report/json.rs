//! Results for programs: a JSON object a line.

use std::fmt::Write as _;

use super::{Comparison, best, comparisons};
use crate::peers::Installed;
use crate::sample::{OWN, RATIO, RAW, Row};

/// An operation. One without a size has `"bytes":0`; with peers, those that have the operation follow.
pub fn operation(row: &Row, images: usize, peers: &[Installed]) -> Option<String> {
    let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
    let mut line = format!(
        r#"{{"op":"{}","bytes":{},"images":{images},"ns":{:.2},"min":{:.2},"p99":{:.2},"raw_ns":{:.2},"raw_min":{:.2},"ratio":{:.6}"#,
        row.operation,
        row.bytes,
        own.median(),
        own.min(),
        own.p99(),
        raw.median(),
        raw.min(),
        ratio.median(),
    );
    let comparisons = comparisons(row, peers);
    add_peers(&mut line, &comparisons, |comparison| {
        let samples = comparison.samples;
        format!(r#""ns":{:.2},"min":{:.2}"#, samples.median(), samples.min())
    });
    line.push('}');
    Some(line)
}

/// The peers' part of a line; `numbers` are those of one of them.
pub fn add_peers(
    line: &mut String,
    comparisons: &[Comparison<'_>],
    numbers: impl Fn(&Comparison<'_>) -> String,
) {
    let Some(best) = best(comparisons) else {
        return;
    };
    let peer = |comparison: &Comparison<'_>| {
        let ratio = comparison.speedup.median();
        let numbers = numbers(comparison);
        format!(r#""{}":{{{numbers},"ratio":{ratio:.6}}}"#, comparison.peer)
    };
    let peers: Vec<String> = comparisons.iter().map(peer).collect();
    let _ = write!(
        line,
        r#","peers":{{{}}},"best_peer":"{}","best_ratio":{:.6}"#,
        peers.join(","),
        best.peer,
        best.speedup.median(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Samples;

    #[test]
    fn a_row_is_one_object() {
        let mut row = Row::new("sync_all", 0);
        row.add(OWN.into(), [100.0, 110.0, 150.0]);
        row.add(RAW.into(), [55.0, 50.0, 60.0]);
        row.add(RATIO.into(), [2.0, 1.9, 2.5]);
        assert_eq!(
            operation(&row, 2, &[]).unwrap(),
            r#"{"op":"sync_all","bytes":0,"images":2,"ns":110.00,"min":100.00,"p99":150.00,"raw_ns":55.00,"raw_min":50.00,"ratio":2.000000}"#
        );
    }

    #[test]
    fn the_best_peer_is_the_one_to_beat() {
        let samples = |number| Samples::from_iter([number]);
        let (slow, fast, two, three) = (samples(300.0), samples(200.0), samples(2.0), samples(3.0));
        let comparison = |peer, samples, speedup| Comparison {
            peer,
            samples,
            speedup,
        };
        let comparisons = [
            comparison("mpi", &slow, &three),
            comparison("caf", &fast, &two),
        ];
        let mut line = String::new();
        add_peers(&mut line, &comparisons, |one| {
            format!(r#""ns":{}"#, one.samples.min())
        });
        assert_eq!(
            line,
            r#","peers":{"mpi":{"ns":300,"ratio":3.000000},"caf":{"ns":200,"ratio":2.000000}},"best_peer":"caf","best_ratio":2.000000"#
        );
    }
}
