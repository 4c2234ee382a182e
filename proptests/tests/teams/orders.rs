//! All images in orders that differ among images, against remainders and sets.

use std::collections::HashSet;

use coarray::prelude::*;
use coarray::{images_from_me, images_shuffled, other_images};
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

use crate::choice;

fn compare(seed: u64) {
    let (me, images) = (this_image(), num_images());
    let expected: Vec<usize> = (me..me + images).map(|number| number % images).collect();
    assert!(images_from_me().eq(expected.iter().copied()));
    assert!(other_images().eq(expected[1..].iter().copied()));
    assert_eq!(
        (images_from_me().len(), other_images().len()),
        (images, images - 1)
    );
    assert!(images_from_me().rev().eq(expected.iter().rev().copied()));
    let shuffled = images_shuffled(seed);
    let mut sorted = shuffled.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..images));
    assert_eq!(shuffled, images_shuffled(seed));
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn every_image_comes_once_in_every_order(images in 1usize..17, seed: u64) {
        Setting::of(images).run(|| {
            compare(seed);
            Team::form(choice(seed, this_image(), 3)).change(|| compare(!seed));
        });
    }
}

/// Orders of 20 images are so many that two of 200 are the same once in 10^14 times; each place has each image about as often.
#[test]
fn shuffled_orders_differ_among_images_and_seeds_and_favour_nobody() {
    const IMAGES: usize = 20;
    const SEEDS: u64 = 400;
    let orders = Setting::of(IMAGES).run(|| (0..SEEDS).map(images_shuffled).collect::<Vec<_>>());
    let orders: Vec<Vec<usize>> = orders.into_iter().flatten().collect();
    assert_eq!(orders.iter().collect::<HashSet<_>>().len(), orders.len());
    for place in 0..IMAGES {
        let mut counts = [0; IMAGES];
        orders.iter().for_each(|order| counts[order[place]] += 1);
        // 8000 throws of a die with 20 sides: 400 of each, and 160 more or less is more than 8 standard deviations.
        assert!(
            counts.iter().all(|count| (240..560).contains(count)),
            "{place}: {counts:?}"
        );
    }
}
