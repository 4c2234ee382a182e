//! Teams against the arithmetic of who joins whom: indices, collectives, coarrays that come and go in nested and
//! crossing teams, and corefs of all of them.

mod coarrays;
mod divisions;
mod orders;
mod refused;

use coarray_proptests::mix;

/// The number of the team that `image` of the parent joins, one of so many, as chance will have it.
fn choice(seed: u64, image: usize, teams: u64) -> u64 {
    mix(seed, image as u64) % teams
}

/// The images, of so many, that join the same team as `image`, in order.
fn companions(seed: u64, images: usize, image: usize, teams: u64) -> Vec<usize> {
    let mine = choice(seed, image, teams);
    (0..images)
        .filter(|&other| choice(seed, other, teams) == mine)
        .collect()
}
