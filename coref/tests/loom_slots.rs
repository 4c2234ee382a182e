//! The two slots of a coatomic with a lock, in every interleaving, and every order in which memory may show
//! writes.
//!
//! loom runs the very source of the library. A value is a pair of numbers that are written one after the
//! other, without order, as the words of a larger value are.

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/slots.rs"]
mod slots;

use std::sync::Arc;

use loom::thread;
use primitives::{AtomicU32, Ordering};
use slots::Slots;

/// A pair of equal numbers that several images change.
struct Pair {
    slots: Slots,
    values: [[AtomicU32; 2]; 2],
    /// The writer that was killed.
    dead: AtomicU32,
}

impl Pair {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            slots: Slots::new(),
            values: [(); 2].map(|()| [(); 2].map(|()| AtomicU32::new(0))),
            dead: AtomicU32::new(0),
        })
    }

    fn copy(&self, slot: usize) -> [u32; 2] {
        [0, 1].map(|word| self.values[slot][word].load(Ordering::Relaxed))
    }

    fn is_gone(&self, writer: u32) -> bool {
        self.dead.load(Ordering::Acquire) == writer
    }

    /// The number, if the reader was not disturbed too often.
    fn read(&self) -> Option<u32> {
        let [one, other] = self.slots.read(|slot| self.copy(slot))?;
        assert_eq!(one, other, "a reader saw a half of each of two values");
        Some(one)
    }

    fn add(&self, me: u32, number: u32) -> u32 {
        let writer = self.slots.write(me, |writer| self.is_gone(writer));
        let [old, other] = self.copy(writer.current());
        assert_eq!(old, other, "a writer saw a half of each of two values");
        for word in &self.values[writer.spare()] {
            word.store(old + number, Ordering::Relaxed);
        }
        writer.publish();
        old
    }

    /// Is killed after it wrote `words` words, before it publishes.
    fn add_until_killed(&self, me: u32, number: u32, words: usize) {
        let writer = self.slots.write(me, |writer| self.is_gone(writer));
        let [old, _] = self.copy(writer.current());
        for word in self.values[writer.spare()].iter().take(words) {
            word.store(old + number, Ordering::Relaxed);
        }
        std::mem::forget(writer);
        // Pairs with the Acquire in `is_gone`: the kernel reports a death only after the writes of the dead.
        self.dead.store(me, Ordering::Release);
    }
}

fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

fn spawn(pair: &Arc<Pair>, body: impl FnOnce(&Pair) + 'static) -> thread::JoinHandle<()> {
    let pair = Arc::clone(pair);
    thread::spawn(move || body(&pair))
}

#[test]
fn a_reader_sees_whole_values_in_the_order_of_their_writing() {
    check(3, || {
        let pair = Pair::new();
        let writer = spawn(&pair, |pair| {
            for _ in 0..3 {
                pair.add(1, 1);
            }
        });
        let seen = [pair.read(), pair.read()];
        if let [Some(first), Some(second)] = seen {
            assert!(first <= second);
        }
        writer.join().expect("loom reports panics itself");
        assert_eq!(pair.read(), Some(3));
    });
}

#[test]
fn two_writers_lose_no_update_and_a_reader_sees_whole_values() {
    check(3, || {
        let pair = Pair::new();
        let others = [1, 2].map(|me| spawn(&pair, move |pair| _ = pair.add(me, me)));
        pair.read();
        for other in others {
            other.join().expect("loom reports panics itself");
        }
        assert_eq!(pair.read(), Some(3));
    });
}

#[test]
fn writers_that_come_again_see_what_the_others_wrote() {
    check(3, || {
        let pair = Pair::new();
        let other = spawn(&pair, |pair| {
            let first = pair.add(1, 1);
            assert!(pair.add(1, 1) > first);
        });
        let first = pair.add(2, 10);
        assert!(pair.add(2, 10) >= first + 10);
        other.join().expect("loom reports panics itself");
        assert_eq!(pair.read(), Some(22));
    });
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_value_and_its_place() {
    for words in 0..=2 {
        check(3, move || {
            let pair = Pair::new();
            let killed = spawn(&pair, move |pair| pair.add_until_killed(1, 5, words));
            let others = spawn(&pair, |pair| _ = pair.add(2, 10));
            pair.read();
            killed.join().expect("loom reports panics itself");
            others.join().expect("loom reports panics itself");
            pair.add(3, 100);
            assert_eq!(pair.read(), Some(110));
        });
    }
}
