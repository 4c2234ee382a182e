//! Random calls, of which some are begun and completed later: each image does so in an order of its own, and may
//! forget one.

use coarray::prelude::*;
use coarray_proptests::{config, mix};
use proptest::prelude::*;

use crate::division::Division;
use crate::random::{Call, RawCall};

/// Makes the calls; `seed` says which are begun only, and with the image when these are completed.
fn make(calls: &[Call], seed: u64) {
    let mut pending = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let chance = mix(seed, number as u64);
        if chance.is_multiple_of(3) {
            call.check();
        } else {
            pending.push(call.begin());
        }
        let own = mix(chance, this_image() as u64);
        if !pending.is_empty() && own.is_multiple_of(2) {
            let complete = pending.swap_remove((own >> 8) as usize % pending.len());
            // One in sixteen is forgotten.
            if own & 0xf0 != 0 {
                complete();
            }
        }
    }
    while !pending.is_empty() {
        let own = mix(pending.len() as u64, this_image() as u64);
        pending.swap_remove(own as usize % pending.len())();
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn calls_that_are_under_way_and_calls_that_wait_do_not_disturb_each_other(
        division in Division::any(1),
        calls in prop::collection::vec(RawCall::any(), 1..40),
        is_divided: bool,
        seed: u64,
    ) {
        let images = division.images;
        let part = |image: usize| if is_divided { mix(seed, image as u64) % 2 } else { 0 };
        let calls_of = |number| -> Vec<Call> {
            let size = (0..images).filter(|&image| part(image) == number).count();
            let calls = calls.iter().skip(number as usize);
            if size == 0 { Vec::new() } else { calls.map(|call| call.by(size)).collect() }
        };
        let calls_of_both = [calls_of(0), calls_of(1)];
        let outcome = division.launch().heap(64 << 20).run(|| {
            let number = part(this_image());
            let calls = &calls_of_both[number as usize];
            match is_divided {
                true => Team::form(number).change(|| make(calls, seed)),
                false => make(calls, seed),
            }
        });
        prop_assert!(outcome.is_ok(), "{:?}", outcome.err());
    }
}
