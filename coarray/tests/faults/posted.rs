//! Asynchronous collectives with images that die: before they have contributed what others need, or after.

use std::collections::VecDeque;
use std::time::Duration;

use coarray::asynchronous::{
    co_all_async, co_allgatherv_async, co_alltoallv_async, co_broadcast_async, co_gather_async,
    co_scan_async, co_sum_async,
};
use coarray::failure::{failed_images, try_sync_all};
use coarray::prelude::*;
use rustix::process::{Signal, getpid, kill_process};

use crate::injection::LATEST;
use crate::job::{Check, Plan, keeping_going, run};
use crate::programs::{go_on, ready};
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("who_dies_after_posting_does_no_harm", after),
        ("who_dies_before_posting_ends_the_job_with_a_report", before),
        ("who_has_no_room_to_post_fails_with_a_report", exhausted),
    ]
}

const FEW: usize = 3;

/// More than what is kept with the record.
const MANY: usize = 20_000;

fn values(image: usize, number: u64, length: usize) -> Vec<u64> {
    (0..length as u64)
        .map(|i| 1000 * image as u64 + number + i)
        .collect()
}

fn sums(images: usize, number: u64, length: usize) -> Vec<u64> {
    let mut sums = vec![0; length];
    for image in 0..images {
        for (sum, value) in sums.iter_mut().zip(values(image, number, length)) {
            *sum += value;
        }
    }
    sums
}

/// The last image contributes to everything and dies.
pub fn posted() {
    let (me, images) = (this_image(), num_images());
    let last = images - 1;
    let short = co_sum_async(values(me, 1, FEW));
    let long = co_sum_async(values(me, 2, MANY));
    let from_last = co_broadcast_async(values(me, 3, MANY), last);
    let to_last = co_gather_async(values(me, 4, MANY), last);
    let ragged = co_allgatherv_async(values(me, 5, 1000 * me));
    let parts = |from: usize| (0..images).map(move |to| values(from, to as u64, 700 * to));
    let exchanged = co_alltoallv_async(parts(me).collect());
    let scan = co_scan_async(values(me, 6, MANY), |a, b| a + b);
    let all = co_all_async(true);
    if me == last {
        let _ = kill_process(getpid(), Signal::KILL);
    }
    while failed_images().is_empty() {
        std::thread::yield_now();
    }
    // In any order.
    assert!(all.wait());
    assert_eq!(scan.wait(), sums(me + 1, 6, MANY));
    assert_eq!(from_last.wait(), values(last, 3, MANY));
    let expected = (0..images).map(|from| values(from, me as u64, 700 * me));
    assert!(exchanged.wait().into_iter().eq(expected));
    assert_eq!(long.wait(), sums(images, 2, MANY));
    assert!(to_last.wait().is_empty());
    let expected = (0..images).map(|image| values(image, 5, 1000 * image));
    assert!(ragged.wait().into_iter().eq(expected));
    assert_eq!(short.wait(), sums(images, 1, FEW));
    assert_eq!(try_sync_all().unwrap_err().images, [last]);
    // The survivors' own asynchronous collectives are not concerned, and get all the memory that they need.
    let changed = Team::form_survivors(1).try_change(|| {
        for number in 0..300 {
            let sum = co_sum_async(values(this_image(), number, MANY));
            assert_eq!(sum.wait(), sums(num_images(), number, MANY));
        }
    });
    assert_eq!(changed, Ok(()));
    go_on();
}

/// Some under way at any time, until an image has died.
pub fn posting() {
    let (me, images) = (this_image(), num_images());
    ready();
    let mut under_way = VecDeque::new();
    for number in 0.. {
        let length = [FEW, MANY][number as usize / 3 % 2];
        under_way.push_back((number, length, co_sum_async(values(me, number, length))));
        if under_way.len() > number as usize % 5
            && let Some((number, length, sum)) = under_way.pop_front()
        {
            assert_eq!(sum.wait(), sums(images, number, length));
        }
    }
}

fn after() {
    for images in [2, 3, 5] {
        let nobody = Plan {
            images,
            victims: Vec::new(),
            delay: Duration::ZERO,
            gap: Duration::ZERO,
        };
        for _ in 0..3 {
            let end = run(keeping_going(images, "posted"), &nobody);
            let survivors: Vec<usize> = (0..images - 1).collect();
            assert_eq!(
                (end.code, end.survivors()),
                (Some(0), survivors),
                "{end:#?}"
            );
        }
    }
}

fn before() {
    let (seed, mut random) = Random::seeded();
    for _ in 0..30 {
        let images = 2 + random.below(5);
        let plan = Plan {
            images,
            victims: random.choose(1, images),
            delay: random.time(LATEST),
            gap: Duration::ZERO,
        };
        let end = run(keeping_going(images, "posting"), &plan);
        let report = end.stderr.lines().nth(1).unwrap_or_default();
        let victim = plan.victims[0];
        assert!(
            end.code == Some(1)
                && report.starts_with("coarray: image ")
                && report.contains(" cannot complete co_sum_async of ")
                && report.contains("posted.rs:")
                && report.contains(&format!(": image {victim} ")),
            "FAULTS_SEED={seed}: {plan:?} {end:#?}"
        );
        assert!(
            end.over - end.killed.unwrap() < 5_000_000_000,
            "FAULTS_SEED={seed}: {plan:?} {end:#?}"
        );
    }
}

/// More and more under way.
pub fn exhausting() {
    let sums: Vec<_> = (0..100)
        .map(|number| co_sum_async(values(this_image(), number, MANY)))
        .collect();
    println!("image {} has begun {} sums", this_image(), sums.len());
}

fn exhausted() {
    let plan = Plan {
        images: 3,
        victims: Vec::new(),
        delay: Duration::ZERO,
        gap: Duration::ZERO,
    };
    for (fabric, keep_going) in [("processes", true), ("threads", true), ("threads", false)] {
        let mut command = keeping_going(plan.images, "exhausting");
        command
            .env("COARRAY_FABRIC", fabric)
            .env("COARRAY_HEAP", "1M");
        if !keep_going {
            command.env_remove("COARRAY_FAULT_TOLERANT");
        }
        let end = run(command, &plan);
        let says = |words: &str| end.stderr.contains(words);
        assert!(
            end.code == Some(101)
                && says("co_sum_async of 20000 x u64 at coarray/tests/faults/posted.rs:")
                && says(
                    ": cannot allocate 156.2 KiB for values of an asynchronous collective: image "
                )
                && says("set COARRAY_HEAP to more than "),
            "{fabric}: {end:#?}"
        );
        assert!(end.stdout.is_empty(), "{fabric}: {end:#?}");
    }
}
