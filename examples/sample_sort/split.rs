//! Which keys go to which image.

use coarray::collectives::co_allgatherv;
use coarray::prelude::*;

/// How many samples an image sends on average, at least.
const SAMPLES: usize = 32;

/// A key and its place before the exchange. No two are equal, though keys may be: so equal keys, too, can be divided
/// among images.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Remote)]
#[repr(C)]
struct Place {
    key: u64,
    image: usize,
    index: usize,
}

/// Collective. This image's keys, which are sorted, in one part for each image. All images together have `total` keys.
///
/// Each sample stands for the same number of keys, so an image gets at most about twice the average.
pub(crate) fn parts(keys: &[u64], total: usize) -> Vec<&[u64]> {
    let (me, images) = (this_image(), num_images());
    let stride = total.div_ceil(images * images.max(SAMPLES));
    let sampled = (stride / 2..keys.len()).step_by(stride);
    let samples: Vec<Place> = sampled
        .map(|index| Place {
            key: keys[index],
            image: me,
            index,
        })
        .collect();
    let mut samples = co_allgatherv(&samples).concat();
    samples.sort_unstable();

    let starts = (0..=images).map(|image| match image {
        0 => 0,
        _ if image == images => keys.len(),
        _ => keys_before(samples[samples.len() * image / images], keys),
    });
    let starts: Vec<usize> = starts.collect();
    starts
        .windows(2)
        .map(|part| &keys[part[0]..part[1]])
        .collect()
}

/// How many of this image's keys come before a place.
fn keys_before(place: Place, keys: &[u64]) -> usize {
    match this_image().cmp(&place.image) {
        // Of equal keys, those of the images before come first.
        std::cmp::Ordering::Less => keys.partition_point(|&key| key <= place.key),
        std::cmp::Ordering::Equal => place.index,
        std::cmp::Ordering::Greater => keys.partition_point(|&key| key < place.key),
    }
}
