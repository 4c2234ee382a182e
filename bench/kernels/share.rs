//! Dividing rows, columns or words among images.

use std::ops::Range;

/// Which of `total` things are those of image `index` of `images`. No image has more than one more than another.
///
/// # Examples
/// ```
/// assert_eq!(prk::share(10, 3, 0), 0..4);
/// assert_eq!(prk::share(10, 3, 1), 4..7);
/// assert_eq!(prk::share(10, 3, 2), 7..10);
/// ```
pub fn share(total: usize, images: usize, index: usize) -> Range<usize> {
    let start = |index: usize| (total * index).div_ceil(images);
    start(index)..start(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_shared_evenly() {
        for total in 0..40 {
            for images in 1..9 {
                let shares: Vec<_> = (0..images).map(|i| share(total, images, i)).collect();
                assert_eq!((shares[0].start, shares[images - 1].end), (0, total));
                assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(shares.iter().all(|share| {
                    (total / images..=total.div_ceil(images)).contains(&share.len())
                }));
                // So that a coarray for the first share has room for all.
                assert!(shares.iter().all(|share| share.len() <= shares[0].len()));
            }
        }
    }
}
