//! The number of messages of algorithms in which not every message is simulated, because all images do the same.

use coarray_collectives::{Algorithm, Kind};

use crate::model::collective::Collective;
use crate::model::network::Tally;

/// The messages of a collective operation; none if they are counted one by one.
pub fn tally(collective: &Collective, images: usize) -> Option<Tally> {
    let count = images as u64;
    let all_to_all = Tally {
        messages: count * (count - 1),
        signals: 0,
        most: count - 1,
    };
    let rounds = u64::from(count.next_power_of_two().ilog2());
    match (collective.kind, collective.algorithm) {
        (Kind::Reduce, Algorithm::Flat)
        | (Kind::Allgather, Algorithm::Flat | Algorithm::Ring)
        | (Kind::Alltoall, _)
        | (Kind::ReduceScatter, Algorithm::Flat | Algorithm::Ring) => Some(all_to_all),
        (Kind::Scan, Algorithm::Flat) => Some(Tally {
            messages: count * (count - 1) / 2,
            ..all_to_all
        }),
        (Kind::Allgather, Algorithm::RecursiveDoubling) => Some(Tally {
            messages: count * rounds,
            signals: 0,
            most: rounds,
        }),
        (Kind::Reduce, Algorithm::RecursiveDoubling) if images.is_power_of_two() => Some(Tally {
            messages: count * rounds,
            signals: 0,
            most: rounds,
        }),
        (Kind::Reduce, Algorithm::Ring) => Some(around_twice(collective, images)),
        (Kind::Reduce, Algorithm::ReduceScatterAllgather) => Some(shared(collective, images, true)),
        (Kind::ReduceTo, Algorithm::ReduceScatterAllgather) => {
            Some(shared(collective, images, false))
        }
        (Kind::Broadcast, Algorithm::ScatterAllgather) => Some(dealt(collective, images)),
        _ => None,
    }
}

/// Which slices have elements.
fn filled(collective: &Collective, images: usize) -> Vec<bool> {
    let has_elements = |image| collective.slice(images, image) > 0;
    (0..images).map(has_elements).collect()
}

fn count(filled: &[bool]) -> u64 {
    filled.iter().filter(|filled| **filled).count() as u64
}

/// Every slice goes around but for one image, twice; an image sends and receives all slices but one in each pass.
fn around_twice(collective: &Collective, images: usize) -> Tally {
    let filled = filled(collective, images);
    let (some, others) = (count(&filled), images as u64 - 1);
    let left_out = |image: usize| {
        let next = |further: usize| u64::from(filled[(image + further) % images]);
        next(1) + next(2)
    };
    let fewest = (0..images).map(left_out).min().unwrap_or_default();
    Tally {
        messages: 2 * others * some,
        signals: 2 * others * (images as u64 - some),
        most: if images == 1 { 0 } else { 2 * some - fewest },
    }
}

/// Every image sends every other its values of that image's slice, and gets the results from there; or only image 0
/// does.
fn shared(collective: &Collective, images: usize, for_all: bool) -> Tally {
    let filled = filled(collective, images);
    let (some, others) = (count(&filled), images as u64 - 1);
    let of_others = |image: usize| some - u64::from(filled[image]);
    let whole = |image: usize| others * u64::from(filled[image]);
    let is_first = |image: usize| u64::from(image == 0);
    let most = |image: usize| {
        let (sent, received) = match for_all {
            true => (
                of_others(image) + whole(image),
                whole(image) + of_others(image),
            ),
            false => (
                of_others(image) + u64::from(filled[image]) * (1 - is_first(image)),
                whole(image) + is_first(image) * of_others(0),
            ),
        };
        sent.max(received)
    };
    Tally {
        messages: others * some + if for_all { others * some } else { of_others(0) },
        signals: 0,
        most: (0..images).map(most).max().unwrap_or_default(),
    }
}

/// Image 0 sends each image its slice, and all slices but one to image 1, which forwards them; every image receives
/// every slice once.
fn dealt(collective: &Collective, images: usize) -> Tally {
    let filled = filled(collective, images);
    let (some, others) = (count(&filled), images as u64 - 1);
    let is_filled = |image: usize| u64::from(filled[image % images]);
    let root = 2 * some - is_filled(0) - is_filled(1);
    Tally {
        messages: others * some,
        signals: others * (images as u64 - some),
        most: if images == 1 { 0 } else { root.max(some) },
    }
}
