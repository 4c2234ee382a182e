//! Two conveyors together: what is asked by one is answered by the other.

use coarray::irregular::{Conveyor, ConveyorOptions, wait_any};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

use crate::streams::options;

/// Fetches these entries of tables of `each` entries, of which image `i` has the entry `k` as `mix(i, k)`.
fn gather(options: [ConveyorOptions; 2], each: u64, wanted: &[(usize, u64)]) -> Vec<u64> {
    let me = this_image() as u64;
    let mut questions = Conveyor::<[u64; 2]>::with_options(options[0]);
    let mut answers = Conveyor::<[u64; 2]>::beside_with(&questions, options[1]);
    let (mut asked, mut answered) = (questions.open(), answers.open());
    let mut values = vec![0; wanted.len()];
    let mut next = 0;
    loop {
        while let Some(&(image, index)) = wanted.get(next) {
            if asked.push(image, [index, next as u64]).is_err() {
                break;
            }
            next += 1;
        }
        if next == wanted.len() {
            asked.finish();
        }
        while asked.pull_if(|source, [index, place]| {
            assert!(index < each);
            answered.push(source, [mix(me, index), place]).is_ok()
        }) {}
        if asked.is_finished() {
            answered.finish();
        }
        while let Some((_, [value, place])) = answered.pull() {
            values[place as usize] = value;
        }
        if !wait_any(&mut [&mut asked, &mut answered]) {
            return values;
        }
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn everything_that_is_asked_is_answered(
        setting in Setting::anywhere(),
        forth in options(),
        back in options(),
        most in 0usize..1500,
        seed: u64,
    ) {
        setting.run_in(4 << 20, || {
            let (me, images) = (this_image() as u64, num_images());
            // Uneven: the first image asks nothing.
            let count = most * this_image() / images;
            let pick = |n: usize| mix(mix(seed, me), n as u64);
            let wanted: Vec<_> = (0..count).map(|n| (pick(n) as usize % images, pick(n) % 100)).collect();
            let values = gather([forth, back], 100, &wanted);
            let expected: Vec<_> = wanted.iter().map(|&(image, index)| mix(image as u64, index)).collect();
            assert_eq!(values, expected);
        });
    }
}
