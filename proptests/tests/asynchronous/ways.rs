//! Ways to use asynchronous collectives that defeat a fixed number of slots, or a need for help from images that
//! compute.

use coarray::asynchronous::{
    Cofuture, CofutureSet, async_scope, co_broadcast_async, co_count_async, co_sum_async,
    co_sum_to_async,
};
use coarray::prelude::*;
use coarray_proptests::mix;

use crate::run;

#[test]
fn hundreds_are_under_way_with_roots_in_turn_and_waited_for_in_any_order() {
    for images in [2, 3, 5] {
        run(images, || {
            for order in 0..3 {
                let mut numbers: Vec<Option<Cofuture<usize>>> = (0..600)
                    .map(|number| {
                        let value = 1000 * number + this_image();
                        Some(co_broadcast_async(value, number % num_images()))
                    })
                    .collect();
                let mut indices: Vec<usize> = (0..600).collect();
                match order {
                    0 => indices.reverse(),
                    1 => indices.sort_by_key(|&index| mix(index as u64, this_image() as u64)),
                    // First all of one root, as seen from each image differently.
                    _ => indices.sort_by_key(|&index| (index + this_image()) % num_images()),
                }
                for index in indices {
                    let number = numbers[index].take().unwrap().wait();
                    assert_eq!(number, 1000 * index + index % num_images());
                }
            }
        });
    }
}

#[test]
fn an_image_far_ahead_is_never_held_up() {
    run(3, || {
        let go = Coarray::new(Coevent::new());
        if this_image() != 0 {
            go.wait();
        }
        let sums: Vec<_> = (0..2000).map(|number| co_sum_async(number)).collect();
        if this_image() == 0 {
            // The others have called none of them.
            (1..num_images()).for_each(|image| go.at(image).post());
        }
        for (number, sum) in sums.into_iter().enumerate() {
            assert_eq!(sum.wait(), 3 * number);
        }
    });
}

#[test]
fn an_image_waits_for_an_event_that_is_posted_after_many_more_collectives() {
    run(2, || {
        let done = Coarray::new(Coevent::new());
        let first = co_sum_async(1);
        if this_image() == 0 {
            // The other needs what this image contributed to the first, and nothing else.
            done.wait();
        }
        let others: Vec<_> = (0..300)
            .map(|root| co_broadcast_async(root, root % 2))
            .collect();
        if this_image() == 1 {
            assert_eq!(first.wait(), 2);
            done.at(0).post();
        } else {
            assert_eq!(first.wait(), 2);
        }
        let results = others.into_iter().map(Cofuture::wait);
        assert!(results.eq(0..300));
    });
}

#[test]
fn what_is_dropped_or_forgotten_holds_nobody_up_and_memory_is_used_again() {
    run(3, || {
        // Together many times the heap.
        for number in 0..400_u64 {
            let large = co_broadcast_async(vec![number; 10_000], number as usize % 3);
            if number % 3 == this_image() as u64 {
                drop(large);
            } else {
                assert_eq!(large.wait()[9999], number);
            }
            drop(co_sum_async([number; 100]));
            assert_eq!(co_count_async(true).wait(), 3);
        }
        std::mem::forget(co_sum_async(1));
        assert_eq!(co_sum_async(2).wait(), 6);
    });
}

#[test]
fn a_team_may_be_dropped_while_others_read_what_was_posted_there() {
    run(3, || {
        let go = Coarray::new(Coevent::new());
        for round in 0..100_u64 {
            let team = Team::form(7);
            let late = team.change(|| {
                // Image 0 needs nothing and leaves at once; the others come back to it later.
                let numbers = co_broadcast_async(vec![round; 100], 0);
                let sum = co_sum_async(round);
                (this_image() != 0).then_some((numbers, sum))
            });
            drop(team);
            if this_image() == 0 {
                // What takes memory must not take that of the records.
                let ragged: Vec<_> = (0..20)
                    .map(|_| co_broadcast_async([u64::MAX; 50], 0))
                    .collect();
                (1..3).for_each(|image| go.at(image).post());
                drop(ragged);
            } else {
                go.wait();
                (0..20).for_each(|_| drop(co_broadcast_async([0_u64; 50], 0)));
            }
            if let Some((numbers, sum)) = late {
                assert_eq!(numbers.wait(), vec![round; 100]);
                assert_eq!(sum.wait(), 3 * round);
            }
        }
    });
}

#[test]
fn sets_return_whatever_comes_first_and_scopes_let_collectives_pass() {
    run(3, || {
        let go = Coarray::new(Coevent::new());
        let mut set = CofutureSet::new();
        async_scope(|_| {
            if this_image() == 0 {
                // Image 0 contributes to the first only after the others have the second.
                set.push(co_broadcast_async(10, 0));
                set.push(co_broadcast_async(20, 1));
                (1..3).for_each(|_| go.wait());
            } else {
                set.push(co_broadcast_async(0, 0));
                set.push(co_broadcast_async(20, 1));
                go.at(0).post();
            }
        });
        let mut results = Vec::new();
        while let Some(result) = set.wait_any() {
            results.push(result);
        }
        results.sort_unstable();
        assert_eq!(results, [(0, 10), (1, 20)]);
        let sums: CofutureSet<usize> = (0..50).map(co_sum_async).collect();
        assert!(sums.wait_all().into_iter().eq((0..50).map(|sum| 3 * sum)));
    });
}

#[test]
fn a_set_returns_what_an_image_far_behind_has_no_part_in() {
    run(2, || {
        let go = Coarray::new(Coevent::new());
        if this_image() == 1 {
            go.wait();
        }
        let mut set: CofutureSet<i32> = [co_sum_async(1), co_sum_to_async(5, 1)].into();
        if this_image() == 0 {
            // The other has called nothing.
            assert_eq!(set.wait_any(), Some((1, 5)));
            go.at(1).post();
        }
        let rest = set.wait_all();
        assert_eq!(rest[0], 2);
    });
}

#[test]
fn a_closed_coarray_passes_through_a_collective() {
    run(3, || {
        let coarray = Coarray::new([this_image() as f64; 4]);
        let coarray = co_sum_async(coarray).wait();
        assert_eq!(*coarray, [3.0; 4]);
    });
}
