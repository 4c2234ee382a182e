//! Streams of random numbers.

use std::collections::BTreeSet;

use coarray::collectives::co_allgatherv;
use coarray::prelude::*;
use coarray::random::{Rng, random_init, random_stream};
use coarray_proptests::Setting;

/// Enough numbers that streams which overlap have some in common.
const LENGTH: usize = 2000;

fn numbers(random: &mut impl Rng) -> Vec<u64> {
    (0..LENGTH).map(|_| random.next_u64()).collect()
}

#[test]
fn generators_are_the_same_or_distinct_on_images_and_in_runs_as_they_are_asked_to_be() {
    for setting in Setting::everywhere() {
        let run = |repeatable, image_distinct| {
            setting.run(|| {
                let mine = numbers(&mut random_init(repeatable, image_distinct));
                // In a team, too.
                let in_team = Team::form(this_image() % 2)
                    .change(|| numbers(&mut random_init(true, image_distinct)));
                assert!(!repeatable || in_team == mine);
                co_allgatherv(&mine)
            })
        };
        for (repeatable, image_distinct) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let all = run(repeatable, image_distinct);
            let images = &all[0];
            let distinct: BTreeSet<u64> = images.iter().flatten().copied().collect();
            let streams = if image_distinct { images.len() } else { 1 };
            assert_eq!(
                distinct.len(),
                streams * LENGTH,
                "{repeatable} {image_distinct}"
            );
            assert_eq!(all == run(repeatable, image_distinct), repeatable);
        }
    }
}

#[test]
fn a_stream_depends_on_its_seed_and_its_index_only() {
    let alone: Vec<_> = (0..9)
        .map(|index| numbers(&mut random_stream(3, index)))
        .collect();
    let distinct: BTreeSet<u64> = alone.iter().flatten().copied().collect();
    assert_eq!(distinct.len(), 9 * LENGTH);
    assert_ne!(alone[4], numbers(&mut random_stream(4, 4)));
    for setting in Setting::everywhere() {
        setting.run(|| {
            for index in (this_image()..9).step_by(num_images()) {
                assert_eq!(numbers(&mut random_stream(3, index as u64)), alone[index]);
            }
        });
    }
}
