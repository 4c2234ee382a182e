//! That the schedules of all images fit together: what the executor relies on.

use std::collections::HashMap;

use super::*;
use crate::blocks::Blocks;
use crate::tuning::Algorithm;

/// Images on nodes of three.
struct Threes(usize);

impl Group for Threes {
    fn images(&self) -> usize {
        self.0
    }

    fn node(&self, image: usize) -> usize {
        image / 3
    }
}

/// Blocks with this number modulo `EVERY` are empty, in some operations.
const EVERY: usize = 5;

/// The schedules of all images, by name, and which blocks are empty; no block has the number `EVERY` modulo that.
fn all_schedules(images: usize) -> Vec<(String, usize, Vec<Schedule>)> {
    let group = Threes(images);
    let of_all = |schedule: &dyn Fn(usize) -> Schedule| (0..images).map(schedule).collect();
    let mut all = Vec::new();
    for algorithm in Algorithm::ALL {
        let natural = Tree::natural(algorithm, &group);
        let first = Tree::from(0, algorithm, &group);
        let mut add_with = |name: &str, empty: usize, schedules: Vec<Schedule>| {
            all.push((format!("{name} {algorithm} of {images}"), empty, schedules));
        };
        let mut add = |name: &str, schedules: Vec<Schedule>| add_with(name, EVERY, schedules);
        add(
            "reduce",
            of_all(&|me| reduce(algorithm, &natural, me, None)),
        );
        add(
            "reduce_scatter",
            of_all(&|me| reduce_scatter(algorithm, &natural, me)),
        );
        add("scan", of_all(&|me| scan(algorithm, images, me, 1)));
        add("allgather", of_all(&|me| allgather(algorithm, &first, me)));
        for root in 0..images {
            let tree = Tree::from(root, algorithm, &group);
            add("broadcast", of_all(&|me| broadcast(algorithm, &tree, me)));
            if !matches!(algorithm, Algorithm::RecursiveDoubling | Algorithm::Ring) {
                let to = Some(root);
                add(
                    "reduce_to",
                    of_all(&|me| reduce(algorithm, &natural, me, to)),
                );
            }
        }
        for root in 0..images {
            let tree = Tree::from(root, algorithm, &group);
            for empty in 0..=EVERY {
                let have_elements =
                    |blocks: &Range<usize>| blocks.clone().any(|block| block % EVERY != empty);
                let gathers = of_all(&|me| gather(&tree, me, have_elements));
                add_with("gather", empty, gathers);
                let scatters = of_all(&|me| scatter(&tree, me, have_elements));
                add_with("scatter", empty, scatters);
            }
        }
    }
    for blocks in 1..=8 {
        let schedules = of_all(&|me| scan(Algorithm::Chain, images, me, blocks));
        let name = format!("scan chain of {blocks} pieces, {images}");
        all.push((name, EVERY, schedules));
    }
    all
}

/// The blocks of a region that an image has staged, and in which piece it published them.
fn staged(schedule: &Schedule) -> HashMap<(usize, usize), usize> {
    let mut staged = HashMap::new();
    let mut pieces = 0;
    let mut stage = |blocks: &Range<usize>, region, piece| {
        for block in blocks.clone() {
            let before = staged.insert((region, block), piece);
            assert_eq!(
                before, None,
                "staged twice: block {block} of region {region}"
            );
        }
    };
    for step in schedule.steps() {
        match step {
            Step::Stage { blocks, region } => stage(blocks, *region, pieces + 1),
            Step::Receive { blocks, then, .. } => {
                if let Then::Forward(region) | Then::KeepAndForward(region) = then {
                    stage(blocks, *region, pieces + 1);
                }
            }
            Step::Publish => pieces += 1,
            Step::Send { .. } => {}
        }
    }
    // What is staged and not published is received by nobody.
    staged.retain(|_, piece| *piece <= pieces);
    staged
}

/// The messages of an image to another: blocks, region, and the number of pieces when it is sent.
fn sent(schedule: &Schedule, to: usize) -> Vec<(Range<usize>, usize, usize)> {
    let mut pieces = 0;
    let mut messages = Vec::new();
    for step in schedule.steps() {
        match step {
            Step::Publish => pieces += 1,
            Step::Send {
                to: other,
                blocks,
                region,
            } if *other == to => messages.push((blocks.clone(), *region, pieces)),
            _ => {}
        }
    }
    messages
}

fn received(schedule: &Schedule, from: usize) -> Vec<(Range<usize>, usize, usize)> {
    let from_it = |step: &Step| match step {
        Step::Receive {
            from: other,
            pieces,
            blocks,
            region,
            ..
        } if *other == from => Some((blocks.clone(), *region, *pieces)),
        _ => None,
    };
    schedule.steps().iter().filter_map(from_it).collect()
}

/// In a schedule that goes around, blocks may be named by a number behind the last; what is staged from its own block on is, too.
fn is_staged(
    staged: &HashMap<(usize, usize), usize>,
    images: usize,
    block: usize,
    region: usize,
    pieces: usize,
) -> bool {
    let names = [block, block + images, block.wrapping_sub(images)];
    names.iter().any(|&name| {
        staged
            .get(&(region, name))
            .is_some_and(|&piece| piece <= pieces)
    })
}

#[test]
fn what_is_received_was_published_before_and_sent_to_this_image() {
    for images in 1..=17 {
        for (name, empty, schedules) in all_schedules(images) {
            let staged: Vec<_> = schedules.iter().map(staged).collect();
            for (me, schedule) in schedules.iter().enumerate() {
                for (from, other) in schedules.iter().enumerate() {
                    let received = received(schedule, from);
                    assert!(from != me || received.is_empty(), "{name}: from itself");
                    // Whatever it received later, it was sent later.
                    let mut sent = sent(other, me);
                    let mut expected = received.clone();
                    for messages in [&mut sent, &mut expected] {
                        messages.sort_by_key(|(blocks, region, _)| (*region, blocks.start));
                    }
                    assert_eq!(sent, expected, "{name}: image {from} to {me}");
                    for (blocks, region, pieces) in received {
                        for block in blocks.filter(|block| block % EVERY != empty) {
                            let is_there = is_staged(&staged[from], images, block, region, pieces);
                            assert!(is_there, "{name}: {me} receives block {block} from {from}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_schedule_comes_to_its_end() {
    for images in 1..=17 {
        for (name, _, schedules) in all_schedules(images) {
            let mut next = vec![0; images];
            let mut pieces = vec![0; images];
            loop {
                let mut is_over = true;
                let mut is_stuck = true;
                for (me, schedule) in schedules.iter().enumerate() {
                    while let Some(step) = schedule.steps().get(next[me]) {
                        is_over = false;
                        match step {
                            Step::Receive {
                                from,
                                pieces: needed,
                                ..
                            } if pieces[*from] < *needed => break,
                            Step::Publish => pieces[me] += 1,
                            _ => {}
                        }
                        next[me] += 1;
                        is_stuck = false;
                    }
                }
                if is_over {
                    break;
                }
                assert!(!is_stuck, "{name}: every image waits for another");
            }
        }
    }
}

#[test]
fn blocks_behind_the_last_are_the_first_again() {
    for layout in [
        Layout::equal(4, 3),
        Layout::slices(4, 10),
        Layout::of(Blocks::of([5, 0, 2, 1].into_iter()), 4),
    ] {
        let length = layout.length();
        for start in 0..4 {
            for count in 0..=4 {
                let elements = layout.elements(&(start..start + count));
                let one_by_one = (start..start + count).map(|block| {
                    let block = block % 4;
                    layout.elements(&(block..block + 1)).len()
                });
                assert_eq!(elements.len(), one_by_one.sum::<usize>(), "{layout:?}");
                assert!(elements.start <= length);
            }
        }
    }
}
