//! What is different where images share no memory: payloads are fetched or travel in messages, teams are known to
//! some images earlier than to others, and memory comes back only when owners are told.

use std::sync::atomic::{AtomicUsize, Ordering};

use coarray::Launch;
use coarray::asynchronous::{
    co_allgatherv_async, co_alltoall_async, co_alltoallv_async, co_broadcast_async, co_max_async,
    co_reduce_scatter_async, co_scatter_async, co_sum_async,
};
use coarray::prelude::*;
use coarray_proptests::mix;

use crate::{run_on, watched};

/// Nodes and images: alone on a node or not, and unevenly.
const DIVISIONS: [(usize, usize); 6] = [(2, 2), (2, 3), (2, 5), (3, 7), (4, 6), (4, 8)];

#[test]
fn payloads_of_every_length_arrive() {
    // Around the lengths up to which they travel in messages, and lie in the record.
    let lengths = [
        0, 1, 31, 32, 33, 255, 256, 257, 4000, 4095, 4096, 4097, 50_000,
    ];
    for (nodes, images) in DIVISIONS {
        run_on(nodes, images, || {
            let me = this_image();
            let value = |image: usize, index: usize| mix(image as u64, index as u64) as u8;
            let values = |image, length| Vec::from_iter((0..length).map(|i| value(image, i)));
            for length in lengths {
                let gathered = co_allgatherv_async(values(me, length + me));
                let root = length % num_images();
                let sent = co_broadcast_async(values(me, length), root);
                assert_eq!(sent.wait(), values(root, length));
                let expected = (0..num_images()).map(|image| values(image, length + image));
                assert_eq!(gathered.wait(), Vec::from_iter(expected));
            }
        });
    }
}

#[test]
fn an_image_gets_its_part_of_long_payloads() {
    for (nodes, images) in DIVISIONS {
        run_on(nodes, images, || {
            let (me, images) = (this_image(), num_images());
            let number = |from, to, index| (from * 1000 + to) * 1_000_000 + index;
            let share = 2000;
            let all = Vec::from_iter(
                (0..images).flat_map(|to| (0..share).map(move |index| number(me, to, index))),
            );
            let exchanged = co_alltoall_async(all.clone());
            let scattered = co_scatter_async(all.clone(), images - 1);
            let reduced = co_reduce_scatter_async(all, |a, b| a.max(b));
            let parts = |from: usize| {
                let part = |to| Vec::from_iter((0..from * 700 + to).map(|i| number(from, to, i)));
                Vec::from_iter((0..images).map(part))
            };
            let ragged = co_alltoallv_async(parts(me));
            let mine = |from| Vec::from_iter((0..share).map(|index| number(from, me, index)));
            assert_eq!(
                ragged.wait(),
                Vec::from_iter((0..images).map(|from| parts(from)[me].clone()))
            );
            assert_eq!(reduced.wait(), mine(images - 1));
            assert_eq!(scattered.wait(), mine(images - 1));
            assert_eq!(exchanged.wait(), Vec::from_iter((0..images).flat_map(mine)));
        });
    }
}

#[test]
fn an_image_that_computes_holds_nobody_up() {
    for (nodes, images) in DIVISIONS {
        let done = AtomicUsize::new(0);
        run_on(nodes, images, || {
            let me = this_image();
            let sum = co_sum_async(vec![me; 1000]);
            let all = vec![num_images() * (num_images() - 1) / 2; 1000];
            if me == 0 {
                // Makes no call of the library while all others complete theirs.
                while !done
                    .load(Ordering::Acquire)
                    .is_multiple_of(num_images() - 1)
                    || done.load(Ordering::Acquire) == 0
                {
                    std::thread::yield_now();
                }
            }
            assert_eq!(sum.wait(), all);
            if me != 0 {
                done.fetch_add(1, Ordering::Release);
            }
        });
    }
}

#[test]
fn teams_are_formed_again_where_earlier_ones_were() {
    for (nodes, images) in DIVISIONS {
        run_on(nodes, images, || {
            let all = num_images();
            for round in 0..60_usize {
                let number = (this_image() + round) % 2;
                let team = Team::form(number as u64);
                let late = team.change(|| {
                    let size = num_images();
                    let dropped = co_sum_async([round; 50]);
                    let kept = co_sum_async(vec![round; 20 + 700 * (round % 3)]);
                    if this_image() == round % size {
                        // Needs nothing, and leaves at once.
                        return None;
                    }
                    drop(dropped);
                    Some((kept, size))
                });
                drop(team);
                // Others may still be in the team, or not have formed it.
                let sum = co_sum_async(round);
                if round % 4 == 0 {
                    assert_eq!(sum.wait(), all * round);
                }
                if let Some((kept, size)) = late {
                    assert!(kept.wait().iter().all(|&sum| sum == size * round));
                }
            }
        });
    }
}

#[test]
fn what_images_on_other_nodes_still_need_is_not_taken_back() {
    for (nodes, images) in DIVISIONS {
        let ahead = AtomicUsize::new(0);
        run_on(nodes, images, || {
            let large = |value| co_broadcast_async(vec![value; 2000], 0);
            for round in 0..10_usize {
                let needed = Vec::from_iter((0..5).map(|index| large(10 * round + index)));
                if this_image() == 0 {
                    // Goes on, and looks often what it may take back.
                    drop(needed);
                    (0..60).for_each(|_| drop(co_broadcast_async([usize::MAX; 20], 0)));
                    (0..5).for_each(|_| drop(large(usize::MAX)));
                    ahead.store(round + 1, Ordering::Release);
                } else {
                    while ahead.load(Ordering::Acquire) <= round {
                        std::thread::yield_now();
                    }
                    for (index, values) in needed.into_iter().enumerate() {
                        assert_eq!(values.wait(), [10 * round + index; 2000]);
                    }
                    (0..60).for_each(|_| drop(co_broadcast_async([0_usize; 20], 0)));
                    (0..5).for_each(|_| drop(large(0)));
                }
                // So that image 0 is not too far ahead for its heap.
                sync_all();
            }
        });
    }
}

#[test]
fn memory_of_what_was_posted_comes_back_however_small_the_heap() {
    for (nodes, images) in DIVISIONS {
        let launch = Launch::new(images).heap(1 << 20).simulated_nodes(nodes);
        let end = watched(launch, "little memory", || {
            for round in 0..100_usize {
                // A heap has room for four of these.
                let large = co_broadcast_async(vec![round; 25_000], round % 2);
                if (round + this_image()).is_multiple_of(3) {
                    drop(large);
                } else {
                    assert_eq!(large.wait(), vec![round; 25_000]);
                }
                // So that nobody is far ahead.
                sync_all();
            }
        });
        assert!(end.is_ok(), "{nodes} nodes, {images} images: {end:?}");
    }
}

#[test]
fn disagreements_between_nodes_name_both_calls() {
    for (nodes, images) in DIVISIONS {
        let launch = Launch::new(images).heap(1 << 22).simulated_nodes(nodes);
        let end = watched(launch, "a disagreement", || {
            let last = num_images() - 1;
            drop(co_sum_async(vec![1; 3000]));
            if this_image() == last {
                co_sum_async([1_u64; 700]).wait();
            } else {
                co_max_async([2.0_f32; 3]).wait();
            }
        });
        let report = end.unwrap_err().to_string();
        let last = images - 1;
        assert!(
            report.contains(&format!("image {last} are in different")),
            "{report}"
        );
        let other = format!("  image {last}: co_sum_async of 700 x u64 at ");
        for call in [": co_max_async of 3 x f32 at ", &other] {
            let said = |line: &str| line.contains(call) && line.contains("apart.rs:");
            assert!(report.lines().any(said), "{call}: {report}");
        }
    }
}

#[test]
fn disagreements_that_nobody_waits_for_are_found_later() {
    let launch = Launch::new(4).heap(1 << 22).simulated_nodes(4);
    let end = watched(launch, "roots", || {
        for _ in 0..200 {
            drop(co_broadcast_async(1, this_image()));
            sync_all();
        }
    });
    let report = end.unwrap_err().to_string();
    assert!(
        report.contains(" are in different collective operations\n"),
        "{report}"
    );
    assert!(
        report.contains(": co_broadcast_async of i32 from image "),
        "{report}"
    );
}
