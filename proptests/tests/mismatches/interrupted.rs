//! A collective operation that a caught panic interrupts on one image is not taken for the next one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::{divisions, parse, report};

/// Lets image 0 try twice, where the first attempt panics on its own, and checks that the others never
/// get past their first attempt.
#[track_caller]
fn retry(operation: &str, attempt: impl Fn(bool) + Sync) {
    for images in [2, 3].into_iter().flat_map(divisions) {
        let came_out = AtomicBool::new(false);
        let report = report(images, operation, || {
            if this_image() == 0 {
                let interrupted = catch_unwind(AssertUnwindSafe(|| attempt(true)));
                assert!(interrupted.is_err());
            }
            attempt(false);
            came_out.store(true, Ordering::Relaxed);
            attempt(false);
        });
        assert!(
            !came_out.into_inner(),
            "half an operation was taken for a whole one, before: {report}"
        );
        assert!(
            parse(&report)
                .iter()
                .all(|(_, text)| text.starts_with(operation)),
            "{report}"
        );
    }
}

#[test]
fn a_reduction_that_panicked_on_one_image_is_not_taken_for_the_next() {
    // Combined by reduce_scatter_allgather, the values pass in more than one meeting, and the panic comes between them.
    retry(
        "co_reduce of 1000 x u64 by reduce_scatter_allgather at ",
        |panics| {
            let mut values = vec![1u64; 1000];
            let join = |a, b| if panics { panic!("once") } else { a + b };
            let by_shares = Collective::new().algorithm(Algorithm::ReduceScatterAllgather);
            by_shares.co_reduce(&mut values, join);
            assert!(
                values.iter().all(|&value| value == num_images() as u64),
                "wrong sums"
            );
        },
    );
}

#[test]
fn a_creation_that_panicked_on_one_image_is_not_taken_for_the_next() {
    retry(
        "creation of a coarray of [Coatomic<u32>; 3] at ",
        |panics| {
            let counters = Coarray::<[Coatomic<u32>; 3]>::from_fn(|_| {
                if panics {
                    panic!("once")
                } else {
                    Coatomic::new(5)
                }
            });
            assert_eq!(counters.at(0)[2].load(), 5, "never made");
        },
    );
}
