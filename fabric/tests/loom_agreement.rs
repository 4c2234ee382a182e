//! The images' silent agreement on free blocks, in every interleaving and every order in which memory may
//! show the marks.
//!
//! loom runs the very sources of the library. Each image drops blocks at moments of its own, and reuses
//! them as `heap.rs` does: a block that was found free in one allocation is taken in the next.

#[path = "../src/agreement.rs"]
mod agreement;
#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/rendezvous.rs"]
mod rendezvous;
#[path = "../src/wait.rs"]
mod wait;

use std::sync::Arc;

use agreement::Header;
use loom::cell::UnsafeCell;
use loom::thread;
use rendezvous::Line;
use wait::Patience;

const SLEEP_AT_ONCE: Patience = Patience {
    spins: 0,
    yields: 0,
};

/// Rounds of a barrier of up to four images.
const ROUNDS: usize = 2;

/// For each image, the blocks it drops before each of its allocations.
type Drops = &'static [&'static [&'static [usize]]];

/// An image's copy of a block.
#[derive(Default)]
struct Copy {
    header: Header,
    /// Whether the image needs it no more. Plain memory, like the values in a block.
    abandoned: UnsafeCell<bool>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Copy {}

impl Copy {
    fn set_abandoned(&self, abandoned: bool) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.abandoned
            .with_mut(|place| unsafe { *place = abandoned });
    }

    fn is_abandoned(&self) -> bool {
        // SAFETY: as above.
        self.abandoned.with(|place| unsafe { *place })
    }
}

struct Job {
    lines: Vec<[[Line; ROUNDS]; 2]>,
    /// For each image its copies of the blocks.
    copies: Vec<Vec<Copy>>,
}

impl Job {
    fn new(images: usize, blocks: usize) -> Arc<Self> {
        Arc::new(Self {
            lines: (0..images).map(|_| Default::default()).collect(),
            copies: (0..images)
                .map(|_| (0..blocks).map(|_| Copy::default()).collect())
                .collect(),
        })
    }

    fn meet(&self, me: usize, number: u32) {
        let line = |image: usize, set: usize, round: usize| &self.lines[image][set][round];
        let met = rendezvous::meet(
            me,
            self.lines.len(),
            number,
            &[1; 4],
            line,
            SLEEP_AT_ONCE,
            || false,
        );
        assert_eq!(met, Ok(()));
    }

    /// Drops and allocates as `drops` says. Returns the blocks that were found free in each allocation.
    fn run(&self, me: usize, drops: &[&[usize]]) -> Vec<Vec<usize>> {
        let (mut dropped, mut limbo) = (Vec::new(), Vec::new());
        let mut allocations = 0;
        let mut found = Vec::new();
        for &blocks in drops {
            for &block in blocks {
                let copy = &self.copies[me][block];
                copy.set_abandoned(true);
                copy.header.mark_dropped(allocations);
                dropped.push(block);
            }
            allocations += 1;
            self.meet(me, allocations as u32);
            for block in limbo.drain(..) {
                let copy: &Copy = &self.copies[me][block];
                copy.set_abandoned(false);
                copy.header.revive();
            }
            let is_free = |block: &usize| {
                self.copies
                    .iter()
                    .all(|copies| copies[*block].header.is_dropped_at(allocations))
            };
            let (free, held): (Vec<_>, Vec<_>) = dropped.into_iter().partition(is_free);
            for &block in &free {
                let all = self
                    .copies
                    .iter()
                    .all(|copies| copies[block].is_abandoned());
                assert!(
                    all,
                    "image {me} takes block {block} from an image that needs it"
                );
            }
            dropped = held;
            limbo.clone_from(&free);
            found.push(free);
        }
        found
    }
}

/// Runs the images in all interleavings with at most so many preemptions, and checks that each finds
/// free in each allocation exactly the blocks that `expected` says.
fn agree(preemptions: usize, drops: Drops, expected: &'static [&'static [usize]]) {
    let blocks = 1 + drops
        .iter()
        .copied()
        .flatten()
        .copied()
        .flatten()
        .max()
        .expect("a block is dropped");
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let job = Job::new(drops.len(), blocks);
        let others: Vec<_> = (1..drops.len())
            .map(|me| {
                let job = Arc::clone(&job);
                thread::spawn(move || job.run(me, drops[me]))
            })
            .collect();
        let mut results = vec![job.run(0, drops[0])];
        results.extend(
            others
                .into_iter()
                .map(|other| other.join().expect("loom reports panics itself")),
        );
        for (image, mut found) in results.into_iter().enumerate() {
            found.iter_mut().for_each(|blocks| blocks.sort_unstable());
            assert_eq!(found, expected, "image {image}");
        }
    });
}

#[test]
fn two_images_find_a_block_free_in_the_allocation_that_both_entered_without_it() {
    agree(
        3,
        &[&[&[0, 1], &[2], &[]], &[&[1], &[0], &[2]]],
        &[&[1], &[0], &[2]],
    );
}

#[test]
fn a_fast_image_that_drops_more_does_not_confuse_a_slow_one() {
    agree(
        3,
        &[&[&[], &[0, 1], &[]], &[&[0], &[1], &[]]],
        &[&[], &[0, 1], &[]],
    );
}

#[test]
fn a_block_that_is_used_again_is_alive_until_both_dropped_it_again() {
    agree(
        3,
        &[&[&[0], &[], &[0], &[]], &[&[0], &[], &[], &[0]]],
        &[&[0], &[], &[], &[0]],
    );
}

#[test]
fn three_images_find_a_block_free_in_the_allocation_that_all_entered_without_it() {
    agree(2, &[&[&[0, 1]], &[&[1, 0]], &[&[1]]], &[&[1]]);
    agree(
        1,
        &[&[&[0], &[1]], &[&[1], &[0]], &[&[0, 1], &[]]],
        &[&[], &[0, 1]],
    );
}
