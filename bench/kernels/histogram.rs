//! The histogram of *bale*: how fast the images together add to counters at random places, which are divided among them.
//!
//! ```text
//! counters[index mod images of the image][index / images] += 1        for as many random numbers, a part on each image
//! ```
//!
//! Each image conveys its numbers to the images that have the counters, which add to them in plain local memory.
//!
//! Afterwards, and not timed, each image takes all off again one by one by atomic operations: every counter must be 0.

use coarray::irregular::Conveyor;
use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};
use program::random;

const PROGRAM: Program = Program {
    name: "bale-histogram",
    about: "Histogram of bale on coarrays: additions to counters at random",
    parameters: &[
        Parameter::new("UPDATES", "additions of all images together", (1, 1 << 32)),
        Parameter::new("COUNTERS", "counters on each image", (1, 1 << 31)),
    ],
};

#[coarray::main]
fn main() {
    let Some([updates, counters]) = PROGRAM.arguments() else {
        return;
    };
    describe(&PROGRAM, &[updates, counters]);
    let (verdict, seconds) = run(updates, counters);
    conclude(verdict, (updates as f64 / 1e6, "Mupdates/s"), 1, seconds);
}

/// Where the counters are to which this image adds.
fn places(updates: usize, counters: usize) -> Vec<(u32, u32)> {
    let images = num_images();
    let place = |number: usize| {
        let index = random::bits(1, number as u64) as usize % (images * counters);
        ((index % images) as u32, (index / images) as u32)
    };
    share(updates, images, this_image()).map(place).collect()
}

/// Collective. Adds to new counters; returns whether all was counted, and the time.
fn run(updates: usize, counters: usize) -> (Result<(), Wrong>, f64) {
    let mut counts = Coarray::<[u64]>::zeroed(counters);
    let places = places(updates, counters);
    let mut conveyor = Conveyor::<u32>::new();
    let clock = Clock::start();
    let own = &mut counts[..];
    let items = places.iter().map(|&(image, index)| (image as usize, index));
    conveyor.convey_slices(items, |_, indices| {
        indices.iter().for_each(|&index| own[index as usize] += 1);
    });
    let seconds = clock.seconds();
    (validate(&mut counts, &places), seconds)
}

/// Collective. Takes off what was added, and counts the counters that are not 0 then.
fn validate(counts: &mut Coarray<[u64]>, places: &[(u32, u32)]) -> Result<(), Wrong> {
    let open = counts.open();
    for &(image, index) in places {
        open.at(image as usize)[index as usize].as_atomic().sub(1);
    }
    drop(open);
    let mut wrong = counts.iter().filter(|&&count| count != 0).count();
    co_sum(&mut wrong);
    check("the number of wrong counters", wrong as f64, 0.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        assert_eq!(run(1000, 7).0, Ok(()));
        let mut counts = Coarray::<[u64]>::zeroed(7);
        assert!(validate(&mut counts, &[(0, 3)]).is_err());
    }
}
