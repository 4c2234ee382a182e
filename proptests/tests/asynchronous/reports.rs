//! What is said when images call different asynchronous collectives, or not all of them.

use coarray::Launch;
use coarray::asynchronous::{
    co_all_async, co_allgather_async, co_alltoall_async, co_alltoallv_async, co_broadcast_async,
    co_gather_async, co_max_async, co_reduce_async, co_scatterv_async, co_sum_async,
};
use coarray::failure::{fail_image, failed_images};
use coarray::prelude::*;

use crate::watched;

#[track_caller]
fn report(images: usize, case: &str, body: impl Fn() + Sync) -> String {
    let launch = Launch::new(images).heap(1 << 20);
    match watched(launch, case, body) {
        Ok(()) => panic!("{case}: nobody noticed"),
        Err(failure) => failure.to_string(),
    }
}

/// A report names both images and both lines.
#[track_caller]
fn assert_disagree(report: &str, calls: [&str; 2]) {
    assert!(
        report.contains(" are in different collective operations\n"),
        "{report}"
    );
    for call in calls {
        let said =
            |line: &str| line.contains(&format!(": {call} at ")) && line.contains("reports.rs:");
        assert!(report.lines().any(said), "{call}: {report}");
    }
}

#[test]
fn other_operations_types_lengths_and_roots_are_disagreements() {
    let on_0 = || this_image() == 0;
    type Case<'a> = (&'a str, &'a str, Box<dyn Fn() + Sync>);
    let cases: [Case; 6] = [
        (
            "co_sum_async of i32",
            "co_max_async of i32",
            Box::new(move || {
                let result = if on_0() {
                    co_sum_async(1)
                } else {
                    co_max_async(1)
                };
                result.wait();
            }),
        ),
        (
            "co_sum_async of i32",
            "co_sum_async of u32",
            Box::new(move || {
                if on_0() {
                    co_sum_async(1_i32).wait();
                } else {
                    co_sum_async(1_u32).wait();
                }
            }),
        ),
        (
            "co_allgather_async of 2 x f64",
            "co_allgather_async of 3 x f64",
            Box::new(move || {
                co_allgather_async(vec![0.5; if on_0() { 2 } else { 3 }]).wait();
            }),
        ),
        (
            "co_gather_async of u8 to image 0",
            "co_gather_async of u8 to image 1",
            Box::new(move || {
                co_gather_async(1_u8, usize::from(!on_0())).wait();
            }),
        ),
        (
            "co_broadcast_async of u8 from image 0",
            "co_broadcast_async of u8 from image 9",
            Box::new(move || {
                co_broadcast_async(1_u8, if on_0() { 0 } else { 9 }).wait();
            }),
        ),
        (
            "co_all_async",
            "co_scatterv_async of char from image 0",
            Box::new(move || {
                if on_0() {
                    co_all_async(true).wait();
                } else {
                    co_scatterv_async::<char>(vec![], 0).wait();
                }
            }),
        ),
    ];
    for (one, other, body) in cases {
        assert_disagree(&report(2, one, body), [one, other]);
    }
}

#[test]
fn roots_that_need_nobody_are_found_to_disagree_later() {
    let report = report(2, "roots", || {
        for _ in 0..200 {
            drop(co_broadcast_async(1, this_image()));
            sync_all();
        }
    });
    assert_disagree(
        &report,
        [
            "co_broadcast_async of i32 from image 0",
            "co_broadcast_async of i32 from image 1",
        ],
    );
}

#[test]
fn a_root_that_is_no_image_is_named_when_all_agree_on_it() {
    for images in [1, 3] {
        let text = report(images, "a root", || {
            co_broadcast_async([1, 2], 7).wait();
        });
        let said = format!("co_broadcast_async from image 7, but there are {images} images");
        assert!(text.contains(&said), "{text}");
        let text = report(images, "a root", || {
            co_gather_async(1, 7).wait();
        });
        assert!(text.contains("co_gather_async to image 7, but "), "{text}");
    }
}

#[test]
fn lengths_that_cannot_be_divided_are_refused_at_the_call() {
    let text = report(3, "reduce_scatter_allgather", || {
        drop(co_alltoall_async([1; 4]))
    });
    let said = "co_alltoall_async of 4 values: 3 images cannot get equal shares of them";
    assert!(text.contains(said), "{text}");
    let text = report(2, "parts", || drop(co_alltoallv_async::<u8>(vec![vec![]])));
    assert!(
        text.contains("co_alltoallv_async of 1 parts, but there are 2 images"),
        "{text}"
    );
}

#[test]
fn values_that_the_heap_has_no_room_for_end_the_job_with_the_sizes() {
    let text = report(2, "memory", || {
        co_sum_async(vec![1_u64; 1 << 20]).wait();
    });
    let said = "cannot allocate 8.0 MiB for values of an asynchronous collective: image ";
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_collective_that_others_never_call_is_a_deadlock() {
    let text = report(3, "a deadlock", || {
        let sum = co_sum_async(0.5);
        if this_image() == 0 {
            sum.wait();
            co_sum_async([1; 2]).wait();
        } else {
            sync_all();
        }
    });
    let starts =
        "coarray: deadlock: no image can go on\n  image 0 is in co_sum_async of 2 x i32 at ";
    assert!(text.starts_with(starts), "{text}");
    let first = text.lines().nth(1).unwrap();
    assert!(first.ends_with(", waiting for image 1"), "{text}");
}

#[test]
fn a_failed_image_is_missed_only_where_it_did_not_contribute() {
    let launch = || Launch::new(3).heap(1 << 20).keep_going(true);
    let fine = watched(launch(), "a survivor", || {
        let sum = co_sum_async(1);
        if this_image() == 2 {
            fail_image();
        }
        assert_eq!(sum.wait(), 3);
        // Until it is gone, it might still come and want what the others give.
        while failed_images().is_empty() {
            std::thread::yield_now();
        }
        // These do without image 2, for as long as they like.
        let roots = [0, 1].map(|root| co_broadcast_async(vec![root; 1000], root));
        assert_eq!(roots.map(|root| root.wait()[0]), [0, 1]);
        for number in 0..500 {
            let values = co_broadcast_async(vec![number; 3000], number % 2);
            assert_eq!(values.wait()[0], number);
        }
    });
    assert!(fine.is_ok(), "{fine:?}");
    for polls in [true, false] {
        let missed = watched(launch(), "a missing image", || {
            if this_image() == 2 {
                fail_image();
            }
            let sum = co_sum_async(1);
            while polls && !sum.is_ready() {
                std::thread::yield_now();
            }
            sum.wait();
        });
        let text = missed.unwrap_err().to_string();
        assert!(
            text.contains("cannot complete co_sum_async of i32 at "),
            "{text}"
        );
        assert!(text.contains("image 2 has failed"), "{text}");
    }
}

#[test]
fn a_panicking_operator_ends_the_job_with_its_message() {
    let text = report(2, "an operator", || {
        co_reduce_async(1, |a: i32, b| {
            a.checked_div(b - 1).expect("no such quotient")
        })
        .wait();
    });
    assert!(text.contains("no such quotient"), "{text}");
}
