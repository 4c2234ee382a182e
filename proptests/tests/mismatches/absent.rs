//! Asynchronous collectives to which an image never contributes, however they are waited for.

use coarray::asynchronous::{CofutureSet, co_broadcast_async, co_sum_async};
use coarray::prelude::*;

use crate::{divisions, report};

#[test]
fn whoever_asks_for_an_image_that_has_ended_is_told() {
    for images in [2, 3].into_iter().flat_map(divisions) {
        let report = report(images, "asking in vain", || {
            if this_image() == 0 {
                let sum = co_sum_async(1);
                while !sum.is_ready() {
                    std::thread::yield_now();
                }
            }
        });
        let start = "coarray: image 0 cannot complete co_sum_async of i32 at ";
        assert!(report.starts_with(start), "{report}");
        assert!(report.contains("tests/mismatches/absent.rs:"), "{report}");
        assert!(
            report.ends_with(" has come to the end of the program"),
            "{report}"
        );
    }
}

#[test]
fn an_image_that_ends_after_it_has_contributed_is_not_missed() {
    for images in [2, 3].into_iter().flat_map(divisions) {
        let outcome = crate::watched(images, "asking late", || {
            let sum = co_sum_async(1);
            if this_image() == 0 {
                while coarray::failure::stopped_images().len() + 1 < num_images() {
                    std::thread::yield_now();
                }
                while !sum.is_ready() {
                    std::thread::yield_now();
                }
                assert_eq!(sum.wait(), num_images() as i32);
            }
        });
        assert_eq!(outcome, Ok(()), "{images:?}");
    }
}

#[test]
fn whoever_waits_for_any_of_several_that_never_come_is_told() {
    for images in [2, 3].into_iter().flat_map(divisions) {
        let report = report(images, "waiting for any", || match this_image() {
            0 => {
                let mut sums: CofutureSet<i32> = (0..6).map(co_sum_async).collect();
                sums.wait_any();
            }
            _ => sync_all(),
        });
        let lines = [
            "coarray: deadlock: no image can go on",
            "  image 0 is in wait_any at ",
            ", for co_sum_async of i32 at ",
            " or any of 2 more, waiting for image 1",
            "  image 1 is in sync_all at ",
        ];
        for line in lines {
            assert!(report.contains(line), "{line}: {report}");
        }
    }
}

#[test]
fn whichever_comes_first_is_taken() {
    for images in [3, 4].into_iter().flat_map(divisions) {
        let outcome = crate::watched(images, "one of several", || {
            let event = Coarray::new(Coevent::new());
            let last = num_images() - 1;
            let mut sent: CofutureSet<usize> = (1..num_images())
                .map(|image| co_broadcast_async(10 * image, image))
                .collect();
            if this_image() == 0 {
                for _ in 1..num_images() {
                    let (index, value) = sent.wait_any().unwrap();
                    assert_eq!(value, 10 * (index + 1));
                    event.at(last).post();
                }
            } else if this_image() == last {
                event.wait_for(last as u64);
            }
        });
        assert_eq!(outcome, Ok(()), "{images:?}");
    }
}
