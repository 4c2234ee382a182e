//! Every collective by each of its algorithms.

use coarray::collectives::{Algorithm, Collective, Kind, co_sum_reproducible};
use coarray::prelude::*;

use super::combining::Span;
use super::values;
use crate::check::Check;

pub fn all(check: &mut Check) {
    for kind in Kind::ALL {
        for &algorithm in kind.algorithms() {
            for length in [1, 100, 9000] {
                let what = format!("{} of {length} by {algorithm}", kind.name());
                try_one(check, &what, kind, algorithm, length);
            }
        }
    }
}

/// In teams, one of which has its images the other way round.
pub fn in_teams(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    Team::form_with_index(7, images - 1 - me).change(|| try_long(check));
    // Twice: the second team has the images of the first.
    for _ in 0..2 {
        Team::form(me as u64 % 2).change(|| try_long(check));
    }
}

fn try_long(check: &mut Check) {
    for kind in Kind::ALL {
        if kind.algorithms().contains(&Algorithm::Fabric) {
            let what = format!("{} in a team", kind.name());
            try_one(check, &what, kind, Algorithm::Fabric, 9000);
        }
    }
}

fn try_one(check: &mut Check, what: &str, kind: Kind, algorithm: Algorithm, length: usize) {
    let (me, images) = (this_image(), num_images());
    let root = length % images;
    let how = Collective::new().algorithm(algorithm);
    // This image's block of the values of all.
    let mine_of = |all: Vec<i64>| all[me * length..][..length].to_vec();
    let sums = |length: usize| -> Vec<i64> {
        let mut sums = vec![0; length];
        for image in 0..images {
            let values = values(image, length);
            sums.iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    let mut mine = values(me, length);
    match kind {
        Kind::Broadcast => {
            how.co_broadcast(&mut mine, root);
            check.same_items(what, &mine, &values(root, length));
        }
        Kind::Reduce => {
            how.co_sum(&mut mine);
            check.same_items(what, &mine, &sums(length));
            // The ring needs an operation that is commutative.
            if algorithm != Algorithm::Ring {
                let mut spans = vec![Span::of(me, me); length];
                how.co_reduce(&mut spans, Span::join);
                check.same_items(what, &spans, &vec![Span::of(0, images - 1); length]);
            }
        }
        Kind::ReduceTo => {
            how.co_sum_to(&mut mine, root);
            let expected = if me == root {
                sums(length)
            } else {
                values(me, length)
            };
            check.same_items(what, &mine, &expected);
        }
        Kind::Gather | Kind::Allgather => {
            let mut gathered = vec![0; length * images];
            match kind {
                Kind::Gather => how.co_gather(&mine, &mut gathered, root),
                _ => how.co_allgather(&mine, &mut gathered),
            }
            if me == root || kind == Kind::Allgather {
                let expected: Vec<i64> =
                    (0..images).flat_map(|from| values(from, length)).collect();
                check.same_items(what, &gathered, &expected);
            }
        }
        Kind::Scatter => {
            how.co_scatter(&values(me, length * images), &mut mine, root);
            check.same_items(what, &mine, &mine_of(values(root, length * images)));
        }
        Kind::Alltoall => {
            let mut received = vec![0; length * images];
            how.co_alltoall(&values(me, length * images), &mut received);
            for from in 0..images {
                let seen = &received[from * length..][..length];
                check.same_items(what, seen, &mine_of(values(from, length * images)));
            }
        }
        Kind::ReduceScatter => {
            how.co_reduce_scatter(&values(me, length * images), &mut mine, |a, b| a + b);
            check.same_items(what, &mine, &mine_of(sums(length * images)));
        }
        Kind::Scan => {
            let mut spans = vec![Span::of(me, me); length];
            how.co_scan(&mut spans, Span::join);
            check.same_items(what, &spans, &vec![Span::of(0, me); length]);
        }
        Kind::SumReproducible => {
            let mut numbers = vec![0.1 * (me + 1) as f64; length];
            how.co_sum_reproducible(&mut numbers);
            let mut expected = vec![0.1 * (me + 1) as f64; length];
            co_sum_reproducible(&mut expected);
            check.same_items(what, &numbers, &expected);
        }
        Kind::TotalReproducible => {
            let numbers = vec![0.5 * (me + 1) as f64; length];
            let total = how.co_total_reproducible(&numbers);
            let expected = 0.25 * (images * (images + 1) * length) as f64;
            check.same(what, total, expected);
        }
    }
}
