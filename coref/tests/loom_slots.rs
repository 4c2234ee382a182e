//! The two slots of a coatomic with a lock, in every interleaving, and every order in which memory may show
//! writes.
//!
//! loom runs the very source of the library. A value is a pair of numbers that are written one after the
//! other, without order, as the words of a larger value are.

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/slots.rs"]
mod slots;

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use loom::thread;
use primitives::{AtomicU32, Ordering};
use slots::{DoubleBuffer, Holder, NOBODY, Slots};

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

    /// The number, if the reader was not disturbed too often.
    fn read(self: &Arc<Self>) -> Option<u32> {
        let [one, other] = Image::new(self, 4).read()?;
        assert_eq!(one, other, "a reader saw a half of each of two values");
        Some(one)
    }
}

/// One image at the pair.
struct Image {
    pair: Arc<Pair>,
    me: u32,
    /// After how many words of a slot it is killed.
    dies_after: usize,
    /// The job has ended.
    has_ended: bool,
}

/// The image was killed.
#[derive(Debug)]
struct Killed;

impl Image {
    fn new(pair: &Arc<Pair>, me: u32) -> Self {
        let pair = Arc::clone(pair);
        let dies_after = usize::MAX;
        Self {
            pair,
            me,
            dies_after,
            has_ended: false,
        }
    }

    fn add(&self, number: u32) -> u32 {
        let [old, other] = self.update(|&[old, _]| Some([old + number; 2]));
        assert_eq!(old, other, "a writer saw a half of each of two values");
        old
    }

    /// Is killed after it wrote `words` words, before it publishes.
    fn add_until_killed(mut self, number: u32, words: usize) {
        self.dies_after = words;
        let killed = catch_unwind(AssertUnwindSafe(|| self.add(number))).expect_err("it dies");
        assert!(killed.is::<Killed>());
    }
}

// SAFETY: the slots begin with complete values, and `Slots` has the orderings.
unsafe impl DoubleBuffer<[u32; 2]> for Image {
    type Writing = ();

    fn version(&self) -> u64 {
        self.pair.slots.version()
    }

    fn version_after_copy(&self) -> u64 {
        self.pair.slots.version_after_copy()
    }

    fn copy(&self, slot: usize) -> MaybeUninit<[u32; 2]> {
        let word = |word: usize| self.pair.values[slot][word].load(Ordering::Relaxed);
        MaybeUninit::new([0, 1].map(word))
    }

    fn fill(&self, slot: usize, value: &[u32; 2]) {
        self.pair.slots.before_filling();
        let words = self.pair.values[slot].iter().zip(value);
        for (word, &value) in words.take(self.dies_after) {
            word.store(value, Ordering::Relaxed);
        }
        if self.dies_after < usize::MAX {
            // Pairs with the Acquire in `ask_after`: the kernel reports a death only after the writes of the dead.
            self.pair.dead.store(self.me, Ordering::Release);
            resume_unwind(Box::new(Killed));
        }
    }

    fn publish(&self, version: u64) {
        self.pair.slots.publish(version);
    }

    fn prepare(&self) {}

    fn writer(&self) -> u32 {
        self.pair.slots.writer()
    }

    fn take(&self, holder: u32) -> bool {
        self.pair.slots.take(holder, self.me)
    }

    fn release(&self) {
        self.pair.slots.release();
    }

    fn ask_after(&self, holder: u32) -> Holder {
        if self.pair.dead.load(Ordering::Acquire) == holder {
            return Holder::IsGone;
        }
        if self.has_ended {
            return Holder::MayNeverRelease;
        }
        loom::thread::yield_now();
        Holder::Writes
    }
}

fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

fn spawn(pair: &Arc<Pair>, me: u32, body: impl FnOnce(Image) + 'static) -> thread::JoinHandle<()> {
    let image = Image::new(pair, me);
    thread::spawn(move || body(image))
}

#[test]
fn a_reader_sees_whole_values_in_the_order_of_their_writing() {
    check(3, || {
        let pair = Pair::new();
        let writer = spawn(&pair, 1, |image| {
            for _ in 0..3 {
                image.add(1);
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
        let others = [1, 2].map(|me| spawn(&pair, me, move |image| _ = image.add(me)));
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
        let other = spawn(&pair, 1, |image| {
            let first = image.add(1);
            assert!(image.add(1) > first);
        });
        let me = Image::new(&pair, 2);
        let first = me.add(10);
        assert!(me.add(10) >= first + 10);
        other.join().expect("loom reports panics itself");
        assert_eq!(pair.read(), Some(22));
    });
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_value_and_its_place() {
    for words in 0..=2 {
        check(3, move || {
            let pair = Pair::new();
            let killed = spawn(&pair, 1, move |image| image.add_until_killed(5, words));
            let others = spawn(&pair, 2, |image| _ = image.add(10));
            pair.read();
            killed.join().expect("loom reports panics itself");
            others.join().expect("loom reports panics itself");
            Image::new(&pair, 3).add(100);
            assert_eq!(pair.read(), Some(110));
        });
    }
}

#[test]
fn a_writer_of_an_ended_job_does_not_wait_for_the_lock_and_disturbs_nobody() {
    check(3, || {
        let pair = Pair::new();
        let holder = spawn(&pair, 1, |image| _ = image.add(5));
        let mut late = Image::new(&pair, 2);
        late.has_ended = true;
        assert!([0, 5].contains(&late.add(10)));
        holder.join().expect("loom reports panics itself");
        let [one, other] = late.load();
        assert!(one == other && [5, 15].contains(&one));
    });
}

#[test]
fn a_writer_of_an_ended_job_leaves_the_lock_to_a_holder_that_never_releases_it() {
    check(3, || {
        let pair = Pair::new();
        assert!(pair.slots.take(NOBODY, 1));
        let mut late = Image::new(&pair, 2);
        late.has_ended = true;
        assert_eq!(late.add(10), 0);
        assert_eq!((late.writer(), pair.read()), (1, Some(0)));
    });
}
