//! Images that sleep until a word changes, and images that change it and others in the same bucket, in every interleaving and every
//! order in which memory may show writes: nobody sleeps on.
//!
//! loom runs the very source of the library; both fences of the asymmetric pair are full ones here.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod eventcount;
    pub(crate) mod parking;
}

#[path = "loom/lookout.rs"]
mod lookout;

use std::sync::Arc;

use lockfree::eventcount::SpinPolicy;
use lockfree::parking::{Bucket, until_changed};
use lookout::{ENDED, Lookout, Stop};
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use loom::thread;

const SLEEP_AT_ONCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// Two words in one bucket.
#[derive(Default)]
struct Shared {
    bucket: Bucket,
    words: [AtomicU32; 2],
}

impl Shared {
    fn add(&self, word: usize) {
        self.words[word].fetch_add(1, Relaxed);
        self.bucket.note_change();
    }

    /// Waits until a word has at least this value, as programs do: whenever it has changed, they look.
    fn wait_for(&self, word: usize, least: u32) -> Result<u32, Stop> {
        let word = &self.words[word];
        let mut seen = word.load(Relaxed);
        while seen < least {
            let has_changed = || word.load(Relaxed) != seen;
            until_changed(&self.bucket, false, SLEEP_AT_ONCE, has_changed, || {
                Lookout(0)
            })?;
            seen = word.load(Relaxed);
        }
        Ok(seen)
    }
}

fn model(preemptions: usize, body: impl Fn(Arc<Shared>) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || body(Arc::new(Shared::default())));
}

fn spawn<R: Send + 'static>(
    shared: &Arc<Shared>,
    body: impl FnOnce(&Shared) -> R + Send + 'static,
) -> thread::JoinHandle<R> {
    let shared = Arc::clone(shared);
    thread::spawn(move || body(&shared))
}

#[test]
fn a_sleeper_sees_every_change_that_it_waits_for() {
    model(3, |shared| {
        let writer = spawn(&shared, |shared| (0..2).for_each(|_| shared.add(0)));
        assert_eq!(shared.wait_for(0, 2), Ok(2));
        writer.join().unwrap();
    });
}

#[test]
fn sleepers_for_two_words_of_a_bucket_are_both_woken() {
    model(2, |shared| {
        let other = spawn(&shared, |shared| shared.wait_for(1, 1));
        let writer = spawn(&shared, |shared| (0..2).for_each(|word| shared.add(word)));
        assert_eq!(shared.wait_for(0, 1), Ok(1));
        assert_eq!(other.join().unwrap(), Ok(1));
        writer.join().unwrap();
    });
}

#[test]
fn the_changes_of_two_images_wake_a_sleeper() {
    model(2, |shared| {
        let writers = [(), ()].map(|()| spawn(&shared, |shared| shared.add(0)));
        assert_eq!(shared.wait_for(0, 2), Ok(2));
        for writer in writers {
            writer.join().unwrap();
        }
    });
}

#[test]
fn a_sleeper_leaves_when_the_job_ends() {
    model(3, |shared| {
        let writer = spawn(&shared, |shared| {
            shared.add(1);
            primitives::raise_alarm(ENDED);
        });
        assert_eq!(shared.wait_for(0, 1), Err(Stop::Ended));
        writer.join().unwrap();
    });
}

/// The model notices what it is for: without the fence of a writer, a change may be announced to nobody.
#[test]
#[should_panic(expected = "deadlock")]
fn without_a_fence_a_sleeper_is_missed() {
    primitives::LACKS_LIGHT_FENCES.set(true);
    model(3, |shared| {
        let writer = spawn(&shared, |shared| shared.add(0));
        let _ = shared.wait_for(0, 1);
        writer.join().unwrap();
    });
}
