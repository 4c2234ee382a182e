//! Collectives that take values and return the results.

use coarray::collectives::{
    co_broadcast_of, co_exscan, co_exscan_of, co_max_loc, co_max_loc_of, co_min_loc, co_min_loc_of,
    co_scan, co_scan_of,
};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

use crate::lengths;

/// Whether this image calls the form that changes its argument, in the call of this number.
fn in_place(seed: u64, call: u64) -> bool {
    mix(mix(seed, call), this_image() as u64).is_multiple_of(2)
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn values_go_in_and_the_results_of_all_images_come_out(
        setting in Setting::anywhere(),
        length in lengths(size_of::<u64>()),
        root: prop::sample::Index,
        seed: u64,
    ) {
        let (images, root) = (setting.images, root.index(setting.images));
        // Few different ones, so that extremes are on several images.
        let value = |image: usize, index: usize| mix(mix(seed, image as u64), index as u64) % 9;
        let of = |image: usize| Vec::from_iter((0..length).map(|index| value(image, index)));
        let all: Vec<Vec<u64>> = (0..images).map(of).collect();
        let joined = |up_to: usize, join: fn(u64, u64) -> u64| {
            let at = |index: usize| all[..up_to].iter().map(|values| values[index]).reduce(join);
            Vec::from_iter((0..length).map(|index| at(index).unwrap_or(0)))
        };
        setting.run(|| {
            let me = this_image();
            let mine = || all[me].clone();
            /// The result of one of both forms of an operation.
            macro_rules! either {
                ($call:expr, $values:ident => $changes:expr, $returns:expr) => {
                    if in_place(seed, $call) {
                        let mut $values = mine();
                        $changes;
                        $values
                    } else {
                        let $values = mine();
                        $returns
                    }
                };
            }
            let sums = either!(1, values => co_sum(&mut values), co_sum_of(values));
            assert_eq!(sums, joined(images, |a, b| a + b));
            let least = either!(2, values => co_min(&mut values), co_min_of(values));
            assert_eq!(least, joined(images, u64::min));
            let most = either!(3, values => co_max(&mut values), co_max_of(values));
            assert_eq!(most, joined(images, u64::max));
            let (xor, add) = (|a, b| a ^ b, |a, b| a + b);
            let bits = either!(4, values => co_reduce(&mut values, xor), co_reduce_of(values, xor));
            assert_eq!(bits, joined(images, |a, b| a ^ b));
            let roots = either!(5, values => co_broadcast(&mut values, root), co_broadcast_of(values, root));
            assert_eq!(roots, all[root]);
            let up_to = either!(6, values => co_scan(&mut values, add), co_scan_of(values, add));
            assert_eq!(up_to, joined(me + 1, |a, b| a + b));
            let before = either!(7, values => co_exscan(&mut values, 0, add), co_exscan_of(values, 0, add));
            assert_eq!(before, joined(me, |a, b| a + b));

            let places = vec![me as u16; length];
            for (call, is_max) in [(8, false), (9, true)] {
                let (mut values, mut found) = (mine(), places.clone());
                match (in_place(seed, call), is_max) {
                    (true, false) => co_min_loc(&mut values, &mut found),
                    (true, true) => co_max_loc(&mut values, &mut found),
                    (false, false) => (values, found) = co_min_loc_of(values, found),
                    (false, true) => (values, found) = co_max_loc_of(values, found),
                }
                assert_eq!(values, if is_max { &most } else { &least }.clone());
                let first = |index: usize| all.iter().position(|of| of[index] == values[index]);
                let first = (0..length).map(|index| first(index).unwrap() as u16);
                assert!(found.iter().copied().eq(first), "{found:?}");
            }

            // A value by itself is combined in the order of the images, too.
            assert_eq!(co_reduce_of(me, |_, last| last), images - 1);
        });
    }
}
