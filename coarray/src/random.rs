//! Random numbers, with the feature `random`: streams that do not overlap, one for each image or for each item of the whole problem.
//!
//! The generator is ChaCha with eight rounds, of the crate `chacha20`. It is split by numbers: each seed has 2⁶⁴ streams, which share no
//! numbers. The crate `rand`, from version 0.10 on, draws numbers of all kinds from it.
//!
//! # Examples
//! Points whose place does not depend on how many images there are:
//! ```
//! use coarray::prelude::*;
//! use coarray::random::{Rng, random_stream};
//!
//! let totals = [1, 3, 4].map(|images| {
//!     let totals = coarray::run(images, || {
//!         let mine = (this_image()..12).step_by(num_images()); // the points of this image
//!         let within = mine.filter(|&point| {
//!             let mut random = random_stream(7, point as u64);
//!             let mut coordinate = || f64::from(random.next_u32()) / 2_f64.powi(32);
//!             coordinate().hypot(coordinate()) < 1.0
//!         });
//!         co_sum_of(within.count())
//!     });
//!     totals[0]
//! });
//! assert!(totals.iter().all(|&total| total == totals[0]));
//! ```
//!
//! # Source
//! D. J. Bernstein, *ChaCha, a variant of Salsa20*, 2008; J. Salmon and others, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011,
//! for streams by counters.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::Team;
use crate::collectives::co_broadcast_of;

pub use chacha20::ChaCha8Rng;
pub use chacha20::rand_core::{Rng, SeedableRng};

/// The seed of what is to be the same in every run.
const REPEATABLE: u64 = 0;

/// Collective. A generator for this image: a `repeatable` one gives the same numbers in every run, and one that is `image_distinct`
/// others than on every other image of the job. Otherwise all images of the current team have the same numbers.
///
/// The numbers of an image depend on its number in the job, in whichever team. If the generator is repeatable, images do not wait for
/// each other; otherwise all get a seed from the first one.
///
/// # Panics
/// On a thread that is not an image.
///
/// If it is not repeatable, the job ends with a report if images are in different operations or have failed.
///
/// # Examples
/// ```
/// use coarray::collectives::co_allgatherv;
/// use coarray::prelude::*;
/// use coarray::random::{Rng, random_init};
///
/// coarray::run(3, || {
///     let drawn = |repeatable, image_distinct| {
///         let mut random = random_init(repeatable, image_distinct);
///         co_allgatherv(&random.next_u64()).concat()
///     };
///     let [same, other] = [true, false].map(|repeatable| drawn(repeatable, false));
///     assert!(same[0] == same[1] && same[1] == same[2]);
///     assert!(other[0] == other[1] && other[1] == other[2]);
///     let distinct = drawn(true, true);
///     assert!(distinct[0] != distinct[1] && distinct[1] != distinct[2]);
///     assert_eq!(distinct, drawn(true, true)); // again, and in the next run
/// });
/// ```
///
/// # Source
/// Fortran 2018 `random_init`, clause 16.9.155.
#[must_use]
#[track_caller]
pub fn random_init(repeatable: bool, image_distinct: bool) -> ChaCha8Rng {
    let seed = match repeatable {
        true => REPEATABLE,
        // The standard library has its keys from the operating system.
        false => co_broadcast_of(RandomState::new().hash_one(0), 0),
    };
    // Stream 0 is that of all images.
    let stream = match image_distinct {
        true => 1 + Team::initial().this_image() as u64,
        false => 0,
    };
    random_stream(seed, stream)
}

/// Local. Stream number `index` of a seed: the same numbers on every image, in every run, and on any number of images.
///
/// Two streams of a seed have no numbers of the generator in common. To number them by the items of the whole problem, and not by
/// images, makes results that do not depend on how many images there are.
///
/// # Examples
/// ```
/// use coarray::random::{Rng, random_stream};
///
/// let [mut one, mut other] = [5, 6].map(|index| random_stream(1, index));
/// let first = one.next_u64();
/// assert_ne!(first, other.next_u64());
/// assert_eq!(first, random_stream(1, 5).next_u64());
/// ```
///
/// # Source
/// As [the module](self).
#[must_use]
pub fn random_stream(seed: u64, index: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(index);
    random
}
