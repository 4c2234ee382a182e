//! Collective operations of all kinds one after the other, without a barrier more than they have.

use coarray::prelude::*;
use coarray_proptests::{Setting, bits, config};
use proptest::prelude::*;

use crate::expected;
use crate::values::{Digits, input};

/// One collective operation: which, on how many elements, and from which values.
type Step = (usize, usize, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![3 => 0usize..100, 1 => 2000usize..4000, 1 => 0usize..50_000];
    prop::collection::vec((0usize..9, length, any::<u64>()), 1..25)
}

/// Does a step, and compares with what the values of all images should have become.
fn check((step, length, seed): Step, kept: &mut Coarray<[u64]>) {
    let numbers = |image: usize| -> Vec<u64> {
        (0..length)
            .map(|index| input(seed, image, index) >> 4)
            .collect()
    };
    let all: Vec<Vec<u64>> = (0..num_images()).map(numbers).collect();
    let mut mine = all[this_image()].clone();
    let root = seed as usize % num_images();
    match step {
        0 => {
            co_sum(&mut mine);
            assert_eq!(mine, expected(&all, |a, b| a + b));
        }
        1 => {
            co_min(&mut mine);
            assert_eq!(mine, expected(&all, u64::min));
        }
        2 => {
            co_max(&mut mine);
            assert_eq!(mine, expected(&all, u64::max));
        }
        3 => {
            co_broadcast(&mut mine, root);
            assert_eq!(mine, all[root]);
        }
        4 => {
            let digits = |numbers: &Vec<u64>| -> Vec<Digits> {
                numbers.iter().map(|&seed| Digits::new(seed)).collect()
            };
            let mut mine = digits(&mine);
            co_reduce(&mut mine, Digits::then);
            let all: Vec<Vec<Digits>> = all.iter().map(digits).collect();
            assert_eq!(bits(&mine), bits(&expected(&all, Digits::then)));
        }
        5 => sync_all(),
        6 => {
            kept.fill(seed ^ this_image() as u64);
            let open = kept.open();
            open.at((root + this_image()) % num_images())[0].put(this_image() as u64);
            drop(open);
            let putter = (this_image() + num_images() - root) % num_images();
            assert_eq!(
                (kept[0], kept[1]),
                (putter as u64, seed ^ this_image() as u64)
            );
        }
        7 => {
            let mut fresh = Coarray::<[u64]>::from_fn(length % 1000, |index| mine[index]);
            co_max(&mut fresh);
            assert_eq!(*fresh, expected(&all, u64::max)[..length % 1000]);
        }
        _ => {
            kept.fill(seed ^ this_image() as u64);
            let published = kept.publish();
            assert_eq!(published.at(root)[1].get(), seed ^ root as u64);
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn operations_of_all_kinds_follow_each_other_without_more_barriers(
        setting in Setting::anywhere(),
        steps in steps(),
    ) {
        setting.run(|| {
            let mut kept = Coarray::<[u64]>::zeroed(2);
            steps.iter().for_each(|&step| check(step, &mut kept));
        });
    }
}
