//! Calls that differ, of operations that bring together or deal out what images have, by every algorithm.

use coarray::collectives::{
    Algorithm, Collective, Kind, co_alltoall, co_alltoallv, co_gather, co_reduce_scatter,
    co_scatter, co_scatterv,
};
use coarray::prelude::*;

use crate::algorithms::{by, differ, differ_by_all, differ_from, refusals};

/// How many images share the parts here: any number, as what is wrong comes first.
fn all(length: usize) -> usize {
    num_images() * length
}

fn gather(how: Collective, length: usize, root: usize) {
    let mut gathered = vec![0u32; if this_image() == root { all(length) } else { 0 }];
    how.co_gather(&vec![1u32; length], &mut gathered, root);
}

fn scatter(how: Collective, length: usize, root: usize) {
    let parts = vec![0u32; if this_image() == root { all(length) } else { 0 }];
    how.co_scatter(&parts, &mut vec![1u32; length], root);
}

fn allgather(how: Collective, length: usize) {
    how.co_allgather(&vec![1u32; length], &mut vec![0u32; all(length)]);
}

fn alltoall(how: Collective, length: usize) {
    how.co_alltoall(&vec![1u32; all(length)], &mut vec![0u32; all(length)]);
}

#[test]
fn parts_of_different_lengths_are_told_apart() {
    differ_by_all(
        Kind::Gather,
        [
            "co_gather of 5 x u32 to image 1",
            "co_gather of 6 x u32 to image 1",
        ],
        |how| gather(how, 5, 1),
        |how| gather(how, 6, 1),
    );
    differ_by_all(
        Kind::Scatter,
        [
            "co_scatter of 5 x u32 from image 1",
            "co_scatter of 0 x u32 from image 1",
        ],
        |how| scatter(how, 5, 1),
        |how| scatter(how, 0, 1),
    );
    differ_by_all(
        Kind::Allgather,
        ["co_allgather of 7 x u32", "co_allgather of 8000 x u32"],
        |how| allgather(how, 7),
        |how| allgather(how, 8000),
    );
}

#[test]
fn parts_to_exchange_of_different_lengths_are_told_apart() {
    for kind in [Kind::Alltoall, Kind::ReduceScatter] {
        for &algorithm in kind.algorithms() {
            let how = Collective::new().algorithm(algorithm);
            let call = |length| match kind {
                Kind::Alltoall => alltoall(how, length),
                _ => how.co_reduce_scatter(
                    &vec![1u32; all(length)],
                    &mut vec![0u32; length],
                    |a, b| a + b,
                ),
            };
            let name = match kind {
                Kind::Alltoall => "co_alltoall of ",
                _ => "co_reduce_scatter of ",
            };
            differ([name, name], || call(3), || call(4));
        }
    }
}

#[test]
fn parts_of_different_types_are_told_apart() {
    differ_by_all(
        Kind::Allgather,
        ["co_allgather of 2 x u32", "co_allgather of 2 x f32"],
        |how| allgather(how, 2),
        |how| how.co_allgather(&[1f32; 2], &mut vec![0.0; all(2)]),
    );
    differ_by_all(
        Kind::Scan,
        ["co_scan of 9 x u8", "co_scan of 9 x bool"],
        |how| how.co_scan(&mut [1u8; 9], |a, b| a ^ b),
        |how| how.co_scan(&mut [true; 9], |a, b| a ^ b),
    );
}

#[test]
fn different_roots_are_told_apart() {
    differ_by_all(
        Kind::Gather,
        [
            "co_gather of 5 x u32 to image 0",
            "co_gather of 5 x u32 to image 1",
        ],
        |how| gather(how, 5, 0),
        |how| gather(how, 5, 1),
    );
    differ_by_all(
        Kind::Scatter,
        [
            "co_scatter of 5 x u32 from image 0",
            "co_scatter of 5 x u32 from image 44",
        ],
        |how| scatter(how, 5, 0),
        |how| scatter(how, 5, 44),
    );
    differ_by_all(
        Kind::Gather,
        ["co_gatherv of u8 to image 0", "co_gatherv of u8 to image 1"],
        |how| _ = how.co_gatherv(&[1u8; 3], 0),
        |how| _ = how.co_gatherv(&[1u8; 4], 1),
    );
    differ_by_all(
        Kind::Scatter,
        [
            "co_scatterv of u8 from image 0",
            "co_scatterv of u8 from image 99",
        ],
        |how| _ = how.co_scatterv(&vec![vec![1u8; 3]; all(1)], 0),
        |how| _ = how.co_scatterv(&vec![vec![1u8; 3]; all(1)], 99),
    );
}

#[test]
fn different_operations_are_told_apart() {
    differ_by_all(
        Kind::Scan,
        ["co_scan of 3 x u8", "co_exscan of 3 x u8"],
        |how| how.co_scan(&mut [1u8; 3], |a, b| a ^ b),
        |how| how.co_exscan(&mut [1u8; 3], 0, |a, b| a ^ b),
    );
    differ_by_all(
        Kind::Allgather,
        ["co_allgather of 3 x u32", "co_allgatherv of u32"],
        |how| allgather(how, 3),
        |how| _ = how.co_allgatherv(&[1u32; 3]),
    );
    for &algorithm in Kind::Alltoall.algorithms() {
        let how = Collective::new().algorithm(algorithm);
        let words = by("co_alltoallv of u32", algorithm);
        let rows = || vec![vec![1u32; 3]; all(1)];
        differ(
            ["co_alltoall of ", &words],
            || alltoall(how, 3),
            || _ = how.co_alltoallv(&rows()),
        );
    }
}

#[test]
fn all_are_told_apart_from_a_barrier() {
    let words = "sync_all at ";
    let barrier = || sync_all();
    differ_from(
        Kind::Gather,
        "co_gather of 2 x u32 to image 1",
        words,
        |how| gather(how, 2, 1),
        barrier,
    );
    differ_from(
        Kind::Scatter,
        "co_scatter of 2 x u32 from image 1",
        words,
        |how| scatter(how, 2, 1),
        barrier,
    );
    differ_from(
        Kind::Allgather,
        "co_allgather of 2 x u32",
        words,
        |how| allgather(how, 2),
        barrier,
    );
    differ_from(
        Kind::Scan,
        "co_scan of 2 x u32",
        words,
        |how| how.co_scan(&mut [1u32; 2], |a, b| a ^ b),
        barrier,
    );
}

#[test]
fn different_algorithms_are_told_apart() {
    for kind in [Kind::Gather, Kind::Scatter, Kind::Allgather, Kind::Scan] {
        let call = |algorithm| {
            let how = Collective::new().algorithm(algorithm);
            match kind {
                Kind::Gather => gather(how, 4, 1),
                Kind::Scatter => scatter(how, 4, 1),
                Kind::Allgather => allgather(how, 4),
                _ => how.co_scan(&mut [1u32; 4], |a, b| a ^ b),
            }
        };
        let what = match kind {
            Kind::Gather => "co_gather of 4 x u32 to image 1",
            Kind::Scatter => "co_scatter of 4 x u32 from image 1",
            Kind::Allgather => "co_allgather of 4 x u32",
            _ => "co_scan of 4 x u32",
        };
        for (index, &one) in kind.algorithms().iter().enumerate() {
            for &other in &kind.algorithms()[..index] {
                let words = [one, other].map(|algorithm| by(what, algorithm));
                let words = words.each_ref().map(String::as_str);
                differ(words, || call(one), || call(other));
            }
        }
    }
}

#[test]
fn a_root_that_is_no_image_anywhere_is_named() {
    let expected = |name: &str| format!("{name} with image 3 as root, but there are 3 images");
    for &algorithm in Kind::Gather.algorithms() {
        let how = Collective::new().algorithm(algorithm);
        let calls: [(&str, &(dyn Fn() + Sync)); 4] = [
            ("co_gather", &|| gather(how, 2, 3)),
            ("co_gatherv", &|| _ = how.co_gatherv(&[1u8], 3)),
            ("co_scatter", &|| scatter(how, 2, 3)),
            ("co_scatterv", &|| _ = how.co_scatterv(&[[1u8]; 3], 3)),
        ];
        for (name, call) in calls {
            for report in refusals(name, call) {
                assert!(report.contains(&expected(name)), "{report}");
            }
        }
    }
}

#[test]
fn room_that_is_too_small_or_too_large_is_told_with_both_sizes() {
    let calls: [(&str, &(dyn Fn() + Sync)); 8] = [
        ("co_gather", &|| co_gather(&[1u8; 2], &mut [0; 7], 0)),
        ("co_allgather", &|| co_allgather(&[1u8; 2], &mut [0; 7])),
        ("co_scatter", &|| co_scatter(&[1u8; 7], &mut [0u8; 2], 0)),
        ("co_scatterv", &|| _ = co_scatterv(&[[1u8]; 7], 0)),
        ("co_alltoall", &|| co_alltoall(&[1u8; 7], &mut [0; 7])),
        ("co_alltoall", &|| co_alltoall(&[1u8; 6], &mut [0; 7])),
        ("co_alltoallv", &|| _ = co_alltoallv(&[[1u8]; 7])),
        ("co_reduce_scatter", &|| {
            co_reduce_scatter(&[1u8; 7], &mut [0u8; 2], |a, b| a + b)
        }),
    ];
    for (name, call) in calls {
        for report in refusals(name, call) {
            assert!(report.contains(name) && report.contains('7'), "{report}");
            assert!(report.contains("tests/mismatches/movement.rs:"), "{report}");
        }
    }
}

#[test]
fn a_function_that_panics_in_a_scan_ends_the_job_with_its_message() {
    for kind in [Kind::Scan, Kind::ReduceScatter] {
        for &algorithm in kind.algorithms() {
            for length in [1, 100, 30_000] {
                let case = format!("{kind:?} by {algorithm} of {length}");
                let reports = refusals(&case, || {
                    let how = Collective::new().algorithm(algorithm);
                    // Not every image joins values in a tree.
                    let odd = if algorithm == Algorithm::Binomial {
                        0
                    } else {
                        2
                    };
                    let join = |a: u64, b: u64| {
                        assert_ne!(this_image(), odd, "the moon is missing");
                        a + b
                    };
                    let mut mine = vec![1u64; length];
                    match kind {
                        Kind::Scan => how.co_scan(&mut mine, join),
                        _ => how.co_reduce_scatter(&vec![1; all(length)], &mut mine, join),
                    }
                });
                let image = if algorithm == Algorithm::Binomial {
                    0
                } else {
                    2
                };
                let start = format!("coarray: image {image} panicked at ");
                for report in reports {
                    assert!(report.starts_with(&start), "{report}");
                    assert!(report.contains("the moon is missing"), "{report}");
                }
            }
        }
    }
}

/// The root writes to the buffers of others then, to which one in a scan publishes steps.
#[test]
fn long_scatters_are_told_apart_from_scans() {
    let by_chain = by("co_scan of 100000 x u32", Algorithm::Chain);
    let by_all = by("co_scatter of 100000 x u32 from image 1", Algorithm::Flat);
    let how = |algorithm| Collective::new().algorithm(algorithm);
    differ(
        [&by_all, &by_chain],
        || scatter(how(Algorithm::Flat), 100_000, 1),
        || how(Algorithm::Chain).co_scan(&mut vec![1u32; 100_000][..], |a, b| a + b),
    );
}
