//! Finding out that no image can ever go on, and saying why.
//!
//! Images act only while they are awake. If all are found asleep, then every tally that they wait for is
//! found too low, and then all are found still in the same sleep, there was a moment between the two looks at
//! which all slept and nobody could be woken: nothing will ever happen again. (Sleep with a time limit does
//! not count as sleep.) This holds however long anything takes, so slow computations and slow output are
//! never taken for a deadlock.
//!
//! An image looks around when it has slept for a while. It first suspects a deadlock, and reports it only
//! when all images have described their waits anew since, so that the report is of one moment.
//!
//! Unlike the ring and the lock graph of Roy, Luecke, Coyle and Kraeva (*Scalable deadlock detection*, PGAS
//! 2013), which look at one kind of operation each, this needs no model of what an operation waits for.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::sync::atomic::Ordering;

use crate::control::{Failure, Stage};
use crate::failure::OWN_WORDS;
use crate::image::Image;

/// Most images that a report lists.
const LISTED: usize = 32;

/// How often an image describes its wait until the description is of now.
const FRESH: u64 = 2;

/// What one image knows of the sleep of all.
#[derive(Default)]
pub(crate) struct Suspicion {
    /// The sleep of each image when all were first found asleep.
    since: RefCell<Option<Vec<Sleep>>>,
    /// An image that was awake the last time.
    awake: Cell<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sleep {
    turns: u64,
    described: u64,
}

impl Suspicion {
    /// Ends the job if no image can go on. Returns whether it did.
    pub(crate) fn look_around(&self, image: &Image) -> bool {
        let Some(now) = self.find_all_asleep(image) else {
            *self.since.borrow_mut() = None;
            return false;
        };
        let mut since = self.since.borrow_mut();
        let before = since.get_or_insert_with(|| now.clone());
        let same = |(one, other): (&Sleep, &Sleep)| one.turns == other.turns;
        if !before.iter().zip(&now).all(same) {
            *before = now;
            return false;
        }
        let fresh = |(before, now): (&Sleep, &Sleep)| {
            now.turns == 0 || now.described >= before.described + FRESH
        };
        if !before.iter().zip(&now).all(fresh) {
            return false;
        }
        let report = Report::new(image);
        image.job.fail(&Failure {
            image: image.index,
            code: 1,
            text: format!("{OWN_WORDS}{}", report.text()),
        });
        true
    }

    /// The sleep of each image, if none can be woken; default for those that are gone.
    fn find_all_asleep(&self, image: &Image) -> Option<Vec<Sleep>> {
        self.sleep_of(image, self.awake.get())?;
        let first = self.sleep_of_all(image)?;
        let region = &image.job.region;
        let alarm = region.job().alarm();
        for index in (0..image.images).filter(|&index| first[index] != Sleep::default()) {
            let record = &image.control(index).waiting;
            let tally = region.tally_at(record.tally.load(Ordering::Relaxed) as usize);
            let target = record.target.load(Ordering::Relaxed);
            let stirs = record.alarm.load(Ordering::Acquire) != alarm
                || tally.is_some_and(|tally| tally.has_reached(target));
            if stirs {
                self.awake.set(index);
                return None;
            }
        }
        let second = self.sleep_of_all(image)?;
        let same = first
            .iter()
            .zip(&second)
            .all(|(one, other)| one.turns == other.turns);
        (same && region.job().alarm() == alarm).then_some(second)
    }

    fn sleep_of_all(&self, image: &Image) -> Option<Vec<Sleep>> {
        (0..image.images)
            .map(|index| self.sleep_of(image, index))
            .collect()
    }

    fn sleep_of(&self, image: &Image, index: usize) -> Option<Sleep> {
        let control = image.control(index);
        if matches!(control.stage(), Stage::Failed | Stage::Finished) {
            return Some(Sleep::default());
        }
        let turns = control.waiting.turns.load(Ordering::Acquire);
        if turns & 1 == 0 {
            self.awake.set(index);
            return None;
        }
        Some(Sleep {
            turns,
            described: control.waiting.described.load(Ordering::Acquire),
        })
    }
}

/// The waits of all images, which stand still.
struct Report<'a> {
    image: &'a Image,
    /// For each image the one whose move it is.
    awaited: Vec<Option<usize>>,
}

impl<'a> Report<'a> {
    fn new(image: &'a Image) -> Self {
        let mut report = Self {
            image,
            awaited: Vec::new(),
        };
        report.awaited = (0..image.images)
            .map(|index| report.move_of(index))
            .collect();
        report
    }

    fn is_asleep(&self, index: usize) -> bool {
        !matches!(
            self.image.control(index).stage(),
            Stage::Failed | Stage::Finished
        )
    }

    fn neighbour(&self, index: usize) -> Option<usize> {
        let record = &self.image.control(index).waiting;
        let awaited = record.awaited.load(Ordering::Relaxed) as usize;
        awaited.checked_sub(1).filter(|_| self.is_asleep(index))
    }

    /// The barrier that the image is in.
    fn barrier(&self, index: usize) -> Option<[u64; 2]> {
        let record = &self.image.control(index).waiting;
        let [team, number] = [0, 1].map(|word: usize| record.barrier[word].load(Ordering::Relaxed));
        (number != 0 && self.is_asleep(index)).then_some([team, number])
    }

    /// Whose move it is. An image in a barrier waits for its partner of one round, who may be in the barrier
    /// as well: it is the move of the one who is not.
    fn move_of(&self, index: usize) -> Option<usize> {
        let barrier = self.barrier(index);
        let mut awaited = self.neighbour(index)?;
        for _ in 0..self.image.images {
            if barrier.is_none() || self.barrier(awaited) != barrier {
                break;
            }
            awaited = self.neighbour(awaited)?;
        }
        Some(awaited)
    }

    fn text(&self) -> String {
        let mut text = String::from("coarray: deadlock: no image can go on\n");
        for index in (0..self.image.images).take(LISTED) {
            let _ = writeln!(text, "  image {index} {}", self.wait_of(index));
        }
        if self.image.images > LISTED {
            let _ = writeln!(text, "  and {} more", self.image.images - LISTED);
        }
        text.push_str(&self.cycle());
        text
    }

    fn wait_of(&self, index: usize) -> String {
        let control = self.image.control(index);
        match control.stage() {
            Stage::Failed => return "has failed".into(),
            Stage::Finished => return "has finished".into(),
            _ => {}
        }
        let words = control.waiting.words.get();
        match self.awaited[index] {
            Some(awaited) => match self.image.control(awaited).stage() {
                Stage::Failed => format!("{words}, waiting for image {awaited}, which has failed"),
                _ => format!("{words}, waiting for image {awaited}"),
            },
            None => words,
        }
    }

    /// The images that wait for each other, or the one that all others wait for.
    fn cycle(&self) -> String {
        let mut chain: Vec<usize> = Vec::new();
        for start in (0..self.image.images).filter(|&index| self.is_asleep(index)) {
            chain = vec![start];
            while let Some(next) = self.awaited[chain[chain.len() - 1]] {
                if let Some(first) = chain.iter().position(|&index| index == next) {
                    chain.drain(..first);
                    chain.push(next);
                    return format!("the cycle: {}", arrows(&chain));
                }
                chain.push(next);
            }
            if chain.len() > 1 {
                break;
            }
        }
        let last = chain.last().copied().unwrap_or_default();
        if self.is_asleep(last) {
            format!(
                "the cycle: {} -> any other image, and all of them wait or have ended",
                arrows(&chain)
            )
        } else {
            format!("the chain: {}, which has ended", arrows(&chain))
        }
    }
}

fn arrows(chain: &[usize]) -> String {
    let names: Vec<String> = chain.iter().map(|index| format!("image {index}")).collect();
    names.join(" -> ")
}
