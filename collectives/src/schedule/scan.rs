//! Scans: from each image to the next, or by doubling distances.

use crate::Algorithm;
use crate::schedule::layout::Layout;
use crate::schedule::step::{Schedule, Then};

/// How many regions an algorithm uses.
pub(crate) fn regions(algorithm: Algorithm, images: usize) -> usize {
    match algorithm {
        // One for each round.
        Algorithm::RecursiveDoubling => (images.next_power_of_two().ilog2() as usize).max(1),
        _ => 1,
    }
}

/// The most pieces of a chain.
const PIECES: usize = 8;

/// The pieces in which `length` elements pass along a chain, one behind the other: an image works on one while the next image works on
/// the piece before.
pub(crate) fn pieces(length: usize) -> Layout {
    let most = length.div_ceil(PIECES).max(1);
    Layout::windows(length.div_ceil(most).max(1), most, length)
}

/// The schedule of a scan of so many blocks; of one, but for [`Algorithm::Chain`].
pub(crate) fn scan(algorithm: Algorithm, images: usize, me: usize, blocks: usize) -> Schedule {
    match algorithm {
        Algorithm::Chain => chain(images, me, blocks),
        _ => recursive_doubling(images, me),
    }
}

/// An image combines the results of the images before it with its own values, and passes that on.
fn chain(images: usize, me: usize, blocks: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let is_last = me + 1 == images;
    for block in 0..blocks {
        if me > 0 {
            let then = prepend(!is_last);
            schedule.receive(me - 1, block + 1, block..block + 1, 0, then);
        }
        if !is_last {
            schedule.pass(me + 1, block..block + 1, 0);
        }
    }
    schedule
}

/// Each image has the combination of a run of images that ends with itself. In each round it combines this with the run of the
/// image that is the length of a run before it, which doubles the length (Hillis and Steele 1986).
fn recursive_doubling(images: usize, me: usize) -> Schedule {
    let mut schedule = Schedule::new();
    let (mut round, mut run) = (0, 1);
    while run < images {
        if me + run < images {
            schedule.pass(me + run, 0..1, round);
        }
        if me >= run {
            let then = prepend(me + 2 * run < images);
            schedule.receive(me - run, round + 1, 0..1, round, then);
        }
        run *= 2;
        round += 1;
    }
    schedule
}

fn prepend(is_received: bool) -> Then {
    if is_received {
        Then::Prepend
    } else {
        Then::PrependLast
    }
}
