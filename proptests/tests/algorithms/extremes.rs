//! Floats that are no numbers, equal but not the same, or rounded.

use coarray::Launch;
use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::prelude::*;
use coarray_proptests::{bits, mix};

use crate::MOST_IMAGES;

/// Runs `body` with every algorithm that gives all images the result.
#[track_caller]
fn by_all(images: usize, body: impl Fn(Algorithm) + Sync) {
    let outcome = Launch::new(images).images_per_node(3).run(|| {
        let all = Kind::Reduce.algorithms().iter();
        all.for_each(|&algorithm| body(algorithm));
    });
    if let Err(failure) = outcome {
        panic!("{images} images: {failure}");
    }
}

#[test]
fn an_image_that_has_no_number_makes_the_extremes_no_number() {
    for images in 1..=MOST_IMAGES {
        by_all(images, |algorithm| {
            // Element `i` is no number on image `i`; the one after all is one everywhere.
            let mine = |index| {
                if index == this_image() {
                    f32::NAN
                } else {
                    index as f32
                }
            };
            let values: Vec<f32> = (0..=images).map(mine).collect();
            let (mut least, mut most) = (values.clone(), values);
            let how = Collective::new().algorithm(algorithm);
            how.co_min(&mut least);
            how.co_max(&mut most);
            for extremes in [least, most] {
                let (numbers, last) = extremes.split_at(images);
                assert!(
                    numbers.iter().all(|value| value.is_nan()),
                    "{algorithm}: {numbers:?}"
                );
                assert_eq!(last, [images as f32], "{algorithm}");
            }
        });
    }
}

#[test]
fn of_two_zeros_the_extreme_is_that_of_the_first_image() {
    for images in 1..=MOST_IMAGES {
        by_all(images, |algorithm| {
            if algorithm == Algorithm::Ring {
                return; // It begins with any image.
            }
            // Two elements for each image, of which it alone has the one with the other sign.
            let sign = |index: usize| {
                let negative = (index / 2 == this_image()) == index.is_multiple_of(2);
                if negative { -0.0 } else { 0.0f64 }
            };
            let values: Vec<f64> = (0..2 * images).map(sign).collect();
            let first = |index: usize| (index / 2 == 0) == index.is_multiple_of(2);
            let how = Collective::new().algorithm(algorithm);
            let (mut least, mut most) = (values.clone(), values);
            how.co_min(&mut least);
            how.co_max(&mut most);
            for extremes in [least, most] {
                let signs = extremes.iter().map(|value| value.is_sign_negative());
                assert!(
                    signs.eq((0..2 * images).map(first)),
                    "{algorithm}: {extremes:?}"
                );
            }
        });
    }
}

#[test]
fn sums_that_are_rounded_are_the_same_bits_on_all_images() {
    for images in 1..=MOST_IMAGES {
        for length in [1, 19, 3000] {
            by_all(images, |algorithm| {
                let term = |index: usize| {
                    let random = mix(index as u64, this_image() as u64);
                    // Magnitudes from 2^-30 to 2^33, so that every addition is rounded.
                    (random as f64) * 2f64.powi((random % 64) as i32 - 94)
                };
                let mut sums: Vec<f64> = (0..length).map(term).collect();
                Collective::new().algorithm(algorithm).co_sum(&mut sums);
                let mut of_first: Vec<u64> = sums.iter().map(|sum| sum.to_bits()).collect();
                co_broadcast(&mut of_first, 0);
                assert_eq!(bits(&sums), bits(&of_first), "{algorithm} {length}");
            });
        }
    }
}
