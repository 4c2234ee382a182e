//! Records that images post, find, read and reclaim to write them again, in every interleaving and every order in
//! which memory may show writes.
//!
//! loom runs the very source of the library.

// The model uses a part of the sources.
#![allow(dead_code)]

#[path = "loom/primitives.rs"]
mod primitives;
#[path = "../src/lockfree"]
mod lockfree {
    pub(crate) mod eventcount;
    pub(crate) mod log;
}

#[path = "loom/lookout.rs"]
mod lookout;

use std::collections::VecDeque;
use std::sync::Arc;

use lockfree::eventcount::SpinPolicy;
use lockfree::log::{Cursor, Link, Log, Reclaimable};
use lookout::Lookout;
use loom::cell::UnsafeCell;
use loom::thread;

const PATIENCE: SpinPolicy = SpinPolicy {
    spins: 0,
    yields: 0,
};

/// The number of places of an image; place 0 is not used.
const PLACES: usize = 4;

#[derive(Default)]
struct Record {
    link: Link,
    /// The index of the payload.
    payload: UnsafeCell<usize>,
}

/// The memory of one image that all images read.
#[derive(Default)]
struct Shown {
    log: Log,
    places: [Record; PLACES],
    payloads: [UnsafeCell<u64>; PLACES],
}

// SAFETY: loom fails the model if a thread uses a cell while another writes it.
unsafe impl Sync for Shown {}

/// The contribution of image `image` to collective `number`.
fn value(image: usize, number: u64) -> u64 {
    10 * number + image as u64
}

/// An image. It takes places from `free`, and puts them back when nobody needs their records any more.
struct Image<'a> {
    me: usize,
    all: &'a [Shown],
    cursors: Vec<Cursor>,
    free: Vec<u64>,
    posted: VecDeque<u64>,
    taken_back: u64,
    /// The same for payloads.
    free_payloads: Vec<usize>,
    posted_payloads: VecDeque<usize>,
    payloads_taken_back: u64,
    begun: u64,
}

impl<'a> Image<'a> {
    fn new(me: usize, all: &'a [Shown]) -> Self {
        Self {
            me,
            all,
            cursors: all.iter().map(|_| Cursor::default()).collect(),
            free: (1..PLACES as u64).collect(),
            posted: VecDeque::new(),
            taken_back: 0,
            free_payloads: (0..PLACES).collect(),
            posted_payloads: VecDeque::new(),
            payloads_taken_back: 0,
            begun: 0,
        }
    }

    fn record(&self, image: usize, place: u64) -> &'a Record {
        &self.all[image].places[place as usize]
    }

    fn post(&mut self) {
        let place = self.free.pop().expect("there are places enough");
        let record = self.record(self.me, place);
        let value = value(self.me, self.begun);
        let payload = self.free_payloads.pop().expect("there are places enough");
        // SAFETY: loom fails the model if another thread uses a cell at the same time.
        record.payload.with_mut(|cell| unsafe { *cell = payload });
        let cell = &self.all[self.me].payloads[payload];
        // SAFETY: loom fails the model if another thread uses a cell at the same time.
        cell.with_mut(|cell| unsafe { *cell = value });
        self.posted_payloads.push_back(payload);
        let last = self.cursors[self.me].last();
        let last = last.map(|last| &self.record(self.me, last).link);
        self.all[self.me].log.post(last, place, self.begun);
        self.cursors[self.me].push(place);
        self.posted.push_back(place);
        self.begun += 1;
    }

    /// Finds an image's records, up to this image's own number. Returns how many it has found so far.
    fn follow(&mut self, image: usize) -> u64 {
        while self.cursors[image].found() < self.begun {
            let link = |place| &self.record(image, place).link;
            let Some(place) = self.cursors[image].next(&self.all[image].log, link) else {
                break;
            };
            self.cursors[image].push(place);
        }
        self.cursors[image].found()
    }

    /// Waits for the contribution of an image to a collective, and reads it.
    fn take(&mut self, image: usize, number: u64) {
        let posted = &self.all[image].log.posted;
        lockfree::eventcount::until(posted, number + 1, PATIENCE, || Lookout(0))
            .expect("no image fails");
        assert!(self.follow(image) > number);
        let record = self.record(image, self.cursors[image].place(number));
        // SAFETY: loom fails the model if another thread writes the cell at the same time.
        let payload = record.payload.with(|cell| unsafe { *cell });
        // SAFETY: loom fails the model if another thread writes the cell at the same time.
        let found = self.all[image].payloads[payload].with(|cell| unsafe { *cell });
        assert_eq!(found, value(image, number));
    }

    /// Promises to read no payload before `settled` any more, and reclaims payloads that nobody reads. Returns how many
    /// have been reclaimed so far.
    fn finish(&mut self, settled: u64) -> u64 {
        self.all[self.me].log.finish(settled);
        self.take_back();
        self.payloads_taken_back
    }

    /// Promises to need nothing before `settled`, and reclaims records that nobody needs. Returns how many have been
    /// reclaimed so far.
    fn do_reclaim(&mut self, settled: u64) -> u64 {
        let found = (0..self.all.len()).map(|image| self.follow(image)).min();
        let released = found.unwrap_or_default().min(settled);
        for cursor in &mut self.cursors {
            cursor.forget(released);
        }
        self.all[self.me].log.finish(settled);
        self.all[self.me].log.release(released);
        self.take_back()
    }

    fn take_back(&mut self) -> u64 {
        let reclaimable = Reclaimable::by(self.all.iter().map(|shown| &shown.log));
        assert!(reclaimable.records <= reclaimable.payloads);
        while self.payloads_taken_back < reclaimable.payloads
            && let Some(payload) = self.posted_payloads.pop_front()
        {
            self.payloads_taken_back += 1;
            self.free_payloads.push(payload);
        }
        while self.taken_back < reclaimable.records
            && let Some(place) = self.posted.pop_front()
        {
            self.taken_back += 1;
            self.free.push(place);
        }
        self.taken_back
    }
}

fn model(
    images: usize,
    preemptions: usize,
    live: impl Fn(Image<'_>) + Send + Sync + Copy + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(move || {
        let all: Arc<Vec<Shown>> = Arc::new((0..images).map(|_| Shown::default()).collect());
        let others: Vec<_> = (1..images)
            .map(|me| {
                let all = Arc::clone(&all);
                thread::spawn(move || live(Image::new(me, &all)))
            })
            .collect();
        live(Image::new(0, &all));
        for other in others {
            other.join().expect("loom reports panics itself");
        }
        let end = Reclaimable::by(all.iter().map(|shown| &shown.log));
        assert!(
            (end.records, end.payloads) == (u64::MAX - 1, u64::MAX),
            "in the end nobody needs anything"
        );
    });
}

/// Promises that the image needs nothing any more.
fn leave(image: &Image<'_>) {
    image.all[image.me].log.finish(u64::MAX);
    image.all[image.me].log.release(u64::MAX);
}

#[test]
fn two_images_that_read_all_of_each_other_take_their_records_back_and_use_them_again() {
    model(2, 2, |mut image| {
        for number in 0..4 {
            image.post();
            image.take(1 - image.me, number);
            image.do_reclaim(number + 1);
        }
        leave(&image);
    });
}

#[test]
fn an_image_far_ahead_finds_what_comes_later_out_of_order() {
    model(2, 2, |mut image| {
        if image.me == 0 {
            (0..2).for_each(|_| image.post());
            for number in [1, 0] {
                image.take(1, number);
            }
            image.do_reclaim(2);
            image.post();
        } else {
            for number in 0..2 {
                image.post();
                image.take(0, number);
                image.do_reclaim(number + 1);
            }
            image.post();
        }
        image.take(1 - image.me, 2);
        leave(&image);
    });
}

#[test]
fn who_reads_only_one_image_holds_up_none_of_three() {
    model(3, 1, |mut image| {
        image.post();
        if image.me == 0 {
            image.post();
        } else {
            image.take(0, 0);
        }
        // The third only leaves: a model of one more that reclaims takes eight times as long.
        if image.me < 2 {
            image.do_reclaim(1);
        }
        leave(&image);
    });
}

#[test]
fn what_an_image_leaves_behind_is_free_when_the_others_have_left() {
    model(2, 2, |mut image| {
        image.post();
        image.post();
        image.take(1 - image.me, 1);
        leave(&image);
        if image.take_back() == 2 {
            for place in 1..PLACES as u64 {
                let record = image.record(image.me, place);
                // SAFETY: loom fails the model if another thread uses the cell at the same time.
                record.payload.with_mut(|cell| unsafe { *cell = PLACES });
            }
        }
    });
}

#[test]
fn the_payload_of_the_newest_record_is_written_again_while_the_record_is_still_needed() {
    model(2, 2, |mut image| {
        image.free_payloads.truncate(1);
        image.post();
        image.take(1 - image.me, 0);
        // Whether the other has finished or not, its next record must be found behind this one.
        if image.finish(1) == 1 {
            image.post();
            leave(&image);
        } else {
            leave(&image);
        }
    });
}

#[test]
fn who_reads_nothing_finishes_with_payloads_that_are_not_yet_there() {
    model(2, 2, |mut image| {
        image.free_payloads.truncate(1);
        image.post();
        if image.me == 0 {
            image.take(1, 0);
        }
        if image.finish(1) == 1 {
            image.post();
        }
        leave(&image);
    });
}
