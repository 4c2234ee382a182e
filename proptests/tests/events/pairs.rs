//! `sync_images` pairs calls in order, and orders what was done before.

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn neighbours_in_any_graph_meet_and_see_what_the_others_did(
        setting in Setting::anywhere(),
        seed: u64,
        rounds in 1u64..30,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let joined = |one: usize, other: usize, round: u64| {
                let (low, high) = (one.min(other), one.max(other));
                mix(seed ^ round, (low * 64 + high) as u64).is_multiple_of(2)
            };
            let steps = Coarray::<[Coatomic<u64>; 8]>::from_fn(|_| Coatomic::new(0));
            for round in 1..=rounds {
                let partners: Vec<usize> = (0..images)
                    .filter(|&other| joined(me, other, round))
                    .collect();
                for &partner in &partners {
                    steps.at(partner)[me].store(round);
                }
                sync_images(&partners);
                for &partner in &partners {
                    // It may be ahead by now, by as many rounds as go without this image.
                    assert!(steps[partner].load() >= round);
                }
            }
        });
    }
}

#[test]
fn one_image_meets_all_others() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut x = Coarray::<[usize; 8]>::zeroed();
            let x = x.open();
            for round in 0..50 {
                if this_image() == 0 {
                    for image in 1..num_images() {
                        x.at(image)[0].put(round);
                    }
                    let others: Vec<usize> = (1..num_images()).collect();
                    sync_images(&others);
                    sync_images(&others);
                } else {
                    sync_images(&[0]);
                    assert_eq!(x.here()[0].get(), round);
                    sync_images(&[0]);
                }
            }
        });
    }
}
