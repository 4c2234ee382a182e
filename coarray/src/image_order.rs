//! The images in an order that is another one on each image, so that they do not all begin with image 0.

use coarray_runtime::{num_images, this_image};

/// Local. The numbers of all images of the current team, from this image's own on: each image begins with itself, and no two are at the
/// same one if they go at the same pace.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// Everybody's number is written to everybody, and no image is written to by all at once:
/// ```
/// use coarray::prelude::*;
/// use coarray::images_from_me;
///
/// coarray::run(3, || {
///     let mut greetings = Coarray::<[usize]>::zeroed(num_images());
///     let open = greetings.open();
///     for image in images_from_me() {
///         open.at(image)[this_image()].put(this_image() + 10);
///     }
///     drop(open);
///     assert_eq!(greetings[..], [10, 11, 12]);
/// });
/// ```
///
/// # Source
/// Staggered all-to-all: S. Manninen and H. Richardson, *Collective operations with Fortran coarrays on Cray XC30*, PGAS 2013.
#[track_caller]
pub fn images_from_me() -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone {
    let (me, images) = (this_image(), num_images());
    (0..images).map(move |step| wrapped(me, step, images))
}

/// Local. The numbers of the other images of the current team, from the next one on, without this image.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::other_images;
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let letters = Coarray::new(Coevent::new());
///     for image in other_images() {
///         letters.at(image).post();
///     }
///     letters.wait_for(other_images().len() as u64);
///     if this_image() == 2 {
///         assert!(other_images().eq([3, 0, 1]));
///     }
/// });
/// ```
///
/// # Source
/// As [`images_from_me`].
#[track_caller]
pub fn other_images() -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone {
    let (me, images) = (this_image(), num_images());
    (0..images - 1).map(move |step| wrapped(me, step + 1, images))
}

/// Local. The numbers of all images of the current team in a random order, another one on each image and for each `seed`; the same
/// whenever the program runs. For images that go at different paces, of which some would follow each other otherwise.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray::images_shuffled;
/// use coarray::prelude::*;
///
/// coarray::run(5, || {
///     let order = images_shuffled(7);
///     assert_eq!(order, images_shuffled(7));
///     let mut sorted = order;
///     sorted.sort();
///     assert_eq!(sorted, [0, 1, 2, 3, 4]);
/// });
/// ```
///
/// # Source
/// The shuffle of R. Durstenfeld, *Algorithm 235*, CACM 7 (1964); the generator SplitMix64 of G. L. Steele, D. Lea and C. H. Flood,
/// OOPSLA 2014.
#[must_use]
#[track_caller]
pub fn images_shuffled(seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..num_images()).collect();
    let mut state = mixed(seed ^ mixed(this_image() as u64));
    for last in (1..order.len()).rev() {
        state = state.wrapping_add(GOLDEN);
        // The high half of a product: each place is as likely as another, but for one in 2^64 divided by the images.
        let place = (u128::from(mixed(state)) * (last as u128 + 1)) >> 64;
        order.swap(last, place as usize);
    }
    order
}

/// The image `step` images behind `me`; both are below `images`, so that nothing overflows.
fn wrapped(me: usize, step: usize, images: usize) -> usize {
    let image = me + step;
    if image < images {
        image
    } else {
        image - images
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
