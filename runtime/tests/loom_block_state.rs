//! Words that images poll under the race check, and gets that are made without the lock of their block, in every interleaving and every order in which memory
//! may show writes: who gets what another image put after a fence learns what that had told before.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod block_state;
}

use std::sync::Arc;

use lockfree::block_state::{BlockState, Flagged};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
use loom::thread;

/// A word of the block, and its stamp.
#[derive(Default)]
struct Word {
    /// What the program sees: images move it by accesses that order nothing.
    value: AtomicU64,
    /// Who put the value: 0 for nobody. Under the lock.
    stamp: UnsafeCell<usize>,
}

/// A block of two words, and what two images tell before they put flags.
struct Block {
    state: BlockState,
    anywhere: Flagged,
    words: [Word; 2],
    told: [UnsafeCell<bool>; 2],
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Block {}

impl Block {
    fn new() -> Self {
        Self {
            state: BlockState::default(),
            anywhere: Flagged::default(),
            words: Default::default(),
            told: [false; 2].map(UnsafeCell::new),
        }
    }

    /// An image has a fence, and puts a flag.
    fn put_flag(&self, word: usize, image: usize) {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        self.told[image - 1].with_mut(|told| unsafe { *told = true });
        self.put(word, image, true);
    }

    /// An image puts a word with the lock, be it a flag or not.
    fn put(&self, word: usize, image: usize, is_flag: bool) {
        let held = self.state.lock();
        if is_flag {
            held.expect_flag(&self.anywhere);
        }
        self.words[word].value.store(image as u64, Relaxed);
        // SAFETY: as above.
        self.words[word]
            .stamp
            .with_mut(|stamp| unsafe { *stamp = image });
        held.split();
        drop(held);
    }

    /// An image gets a word, of which flags alone come while it runs, as the check does it. Returns what the program gets.
    fn get(&self, word: usize) -> u64 {
        let Word { value, stamp } = &self.words[word];
        let got = value.load(Relaxed);
        if !(self.anywhere.has_flags() && self.state.has_flags()) {
            // It is noted late, and as one that has seen no flag.
            assert_eq!(got, 0, "a flag");
            return got;
        }
        let held = self.state.lock();
        let got = value.load(Relaxed);
        // SAFETY: as above.
        let image = stamp.with(|stamp| unsafe { *stamp });
        assert_eq!(got, image as u64, "the stamp is that of the value");
        drop(held);
        if image != 0 {
            // SAFETY: as above: the image told before it put the flag.
            let has_told = self.told[image - 1].with(|told| unsafe { *told });
            assert!(has_told, "it told something before");
        }
        got
    }
}

fn model(preemptions: usize, body: impl Fn(Arc<Block>) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || body(Arc::new(Block::new())));
}

fn spawn(block: &Arc<Block>, body: impl FnOnce(&Block) + Send + 'static) -> thread::JoinHandle<()> {
    let block = Arc::clone(block);
    thread::spawn(move || body(&block))
}

#[test]
fn who_gets_a_flag_knows_whose_it_is() {
    model(3, |block| {
        let writer = spawn(&block, |block| block.put_flag(0, 1));
        let first = block.get(0);
        let second = block.get(0);
        assert!(first <= second, "it does not go back");
        writer.join().unwrap();
        assert_eq!(block.get(0), 1);
    });
}

#[test]
fn another_put_to_the_block_does_not_hide_that_there_are_flags() {
    model(2, |block| {
        let writer = spawn(&block, |block| block.put_flag(0, 1));
        let other = spawn(&block, |block| block.put(1, 2, false));
        block.get(0);
        writer.join().unwrap();
        other.join().unwrap();
        assert_eq!(block.get(0), 1);
    });
}

#[test]
fn flags_of_two_images_are_told_apart() {
    model(2, |block| {
        let writer = spawn(&block, |block| block.put_flag(0, 1));
        let other = spawn(&block, |block| block.put_flag(0, 2));
        block.get(0);
        block.get(1);
        writer.join().unwrap();
        other.join().unwrap();
        assert_ne!(block.get(0), 0);
    });
}

#[test]
fn a_flag_that_replaces_another_one_is_learned_of_in_its_turn() {
    model(2, |block| {
        let writer = spawn(&block, |block| {
            block.put_flag(0, 1);
            block.put_flag(0, 2);
        });
        let reader = spawn(&block, |block| {
            let first = block.get(0);
            assert!(first <= block.get(0), "it does not go back");
        });
        block.get(0);
        writer.join().unwrap();
        reader.join().unwrap();
    });
}
