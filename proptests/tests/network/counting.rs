//! How many messages and one-sided operations go between nodes, by link.

use std::collections::BTreeMap;

use coarray::Launch;
use coarray::prelude::*;
use coarray_fabric::transport::simulated::{Carried, Traffic, take_traffic};

pub(super) const NODES: std::ops::RangeInclusive<usize> = 2..=8;

pub(super) fn print_row(name: &str, algorithm: &str, counts: &[u64]) {
    let counts: String = counts.iter().map(|count| format!("{count:6}")).collect();
    println!("{name:20} {algorithm:24}{counts}");
}

/// From which image to which.
pub(super) type Link = (usize, usize);

/// What was counted, by link.
pub(super) type Counts = BTreeMap<(Carried, Link), u64>;

/// What the operation that is its argument sends to others.
pub(super) type Count<'a> = &'a dyn Fn(&dyn Fn()) -> Traffic;

/// What goes between the images, as `body` counts it on each. It is counted several times, and the fewest are returned: on a busy
/// machine an image that waits for long sends a message that it does not send otherwise.
pub(super) fn counted_in(images: usize, body: impl Fn(Count<'_>) -> Traffic + Sync) -> Counts {
    let launch = Launch::new(images).simulated_nodes(images).heap(1 << 20);
    let run = launch.run(|| body(&|operation| besides(&|| {}, operation)));
    let by_image = run.unwrap_or_else(|failure| panic!("{images} images: {failure}"));
    let by_image = by_image.into_iter().enumerate();
    by_image
        .flat_map(|(from, counts)| {
            let link = move |((carried, to), count)| ((carried, (from, to)), count);
            counts.into_iter().map(link)
        })
        .collect()
}

/// What goes between the images of a collective operation besides its one barrier.
pub(super) fn counted(images: usize, operation: impl Fn() + Sync) -> Counts {
    counted_in(images, |_| besides(&sync_all, &operation))
}

/// What `operation` sends besides what `known` sends.
fn besides(known: &dyn Fn(), operation: &dyn Fn()) -> Traffic {
    let once = |operation: &dyn Fn()| {
        drop(take_traffic());
        // Each image counts from before any other begins until all have answered.
        sync_all();
        operation();
        sync_all();
        take_traffic()
    };
    let fewest = |operation: &dyn Fn()| {
        let [mut fewest, others @ ..] = [0; 4].map(|_| once(operation));
        for (key, count) in &mut fewest {
            let counts = others
                .iter()
                .map(|other| other.get(key).copied().unwrap_or(0));
            *count = counts.fold(*count, u64::min);
        }
        fewest
    };
    let (known, mut traffic) = (fewest(known), fewest(operation));
    for ((carried, to), known) in known {
        let mut take = |carried, known| {
            let count = traffic.entry((carried, to)).or_default();
            let rest = known - (*count).min(known);
            *count -= known - rest;
            rest
        };
        // A barrier in which images bring values sends messages in the place of signals.
        let rest = match (carried, take(carried, known)) {
            (Carried::Signal, rest) => take(Carried::Message, rest),
            (_, rest) => rest,
        };
        assert_eq!(rest, 0, "{carried:?} to image {to}");
    }
    traffic.retain(|_, count| *count > 0);
    traffic
}

pub(super) fn total(counts: &Counts, of: Carried) -> u64 {
    let counts = counts.iter().filter(|((carried, _), _)| *carried == of);
    counts.map(|(_, count)| count).sum()
}
