//! Atomic operations in flight that are leaked, unwound, or left when their coarray goes: no memory is changed that is gone, and none beside.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::Launch;
use coarray::events::Coevents;
use coarray::prelude::*;

use crate::text;
use crate::wakers::{panics, with_waker};

/// Jobs in which places are direct, in which operations wait in queues, and in which puts overtake each other.
fn everywhere(body: impl Fn() + Sync) {
    Launch::new(2).run(&body).unwrap();
    Launch::new(2).direct(false).run(&body).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(2).simulated_nodes(2).run(&body).unwrap();
}

#[test]
fn what_is_leaked_is_complete_before_the_memory_goes_to_others() {
    everywhere(|| {
        for round in 0..20_u64 {
            let coatomics = Coarray::<[Coatomic<u64>]>::from_fn(50, |_| Coatomic::new(0));
            let there = coatomics.at(1 - this_image());
            for item in 0..50 {
                there[item].add_async(u64::MAX);
                forget(there[item].swap_async(u64::MAX));
                drop(there[item].fetch_or_async(u64::MAX));
            }
            there.xor_at_async(&[7; 9], &[u64::MAX; 9]);
            there.max_at_async(&[9, 49], &[u64::MAX; 2]);
            drop(coatomics);
            // In the same place, if anything changed it still.
            let mut next = Coarray::<[u64]>::from_fn(50, |_| round);
            assert!(next.iter().all(|&value| value == round));
            drop(next.open());
            assert!(next.iter().all(|&value| value == round));
        }
    });
}

#[test]
fn a_plain_value_is_the_owners_again_when_the_phase_ends() {
    everywhere(|| {
        let mut x = Coarray::new([0_u32; 4]);
        for round in 1..20 {
            {
                let open = x.open();
                let place = open.at(1 - this_image())[2].as_atomic();
                place.add_async(2);
                forget(place.fetch_add_async(3));
            }
            let own = &mut *x;
            assert_eq!(*own, [0, 0, 5 * round, 0]);
        }
    });
}

fn stop(_: i64) {
    panic!("in the middle");
}

#[test]
fn a_panic_between_operations_loses_none_of_them() {
    everywhere(|| {
        let sum = Coarray::new(Coatomic::new(0_i64));
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let begun = sum.at(0).fetch_add_async(1);
            sum.at(0).add_async(1);
            begun.map(stop).wait();
        }));
        assert_eq!(text(&*panic.unwrap_err()), "in the middle");
        sync_all();
        assert_eq!(sum.at(0).load(), 4);
        sync_all();
    });
}

#[test]
fn a_waker_that_panics_stops_no_list() {
    let job = Launch::new(2).direct(false);
    job.run(|| {
        let coatomics = Coarray::<[Coatomic<f64>]>::from_fn(9, |_| Coatomic::new(0.0));
        let mut puts = Coarray::<[u64; 2]>::zeroed();
        {
            let puts = puts.open();
            let image = 1 - this_image();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                with_waker(puts.at(image), panics, || {
                    coatomics
                        .at(image)
                        .add_at(&[0, 5, 5, 8], &[1.0, 2.0, 3.0, 4.0]);
                });
            }));
            assert_eq!(text(&*outcome.unwrap_err()), "the waker panics");
        }
        let values: Vec<f64> = coatomics.iter().map(Coatomic::load).collect();
        assert_eq!(values, [1.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 4.0]);
        sync_all();
    })
    .unwrap();
}

#[test]
fn mistakes_change_nothing() {
    everywhere(|| {
        let coatomics = Coarray::<[Coatomic<u32>]>::from_fn(5, |_| Coatomic::new(1));
        let there = coatomics.at(1 - this_image());
        let message = |list: &dyn Fn()| {
            let panic = catch_unwind(AssertUnwindSafe(list)).unwrap_err();
            text(&*panic).to_owned()
        };
        let image = 1 - this_image();
        assert_eq!(
            message(&|| there.add_at(&[0, 4, 5], &[1; 3])),
            format!(
                "index 5 at position 2 of a list is out of bounds of a coref with extent 5 on image {image}"
            )
        );
        assert_eq!(
            message(&|| there[1..3].or_at_async(&[0, usize::MAX], &[1; 2])),
            format!(
                "index {} at position 1 of a list is out of bounds of a coref with extent 2 on image {image}",
                usize::MAX
            )
        );
        assert_eq!(
            message(&|| there.min_at(&[0], &[])),
            "a list of 1 indices does not fit 0 values: there is one value for each index"
        );
        there.add_at(&[], &[]);
        there[2..2].xor_at_async(&[], &[]);
        assert!(message(&|| there[2..2].add_at(&[0], &[1])).contains("extent 0"));
        sync_all();
        assert!(coatomics.iter().all(|coatomic| coatomic.load() == 1));
        let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
        assert!(message(&|| _ = events[..0].wait_any()).contains("no events"));
        sync_all();
    });
}
