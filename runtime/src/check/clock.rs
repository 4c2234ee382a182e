//! What an image knows of the others: how far each had come in what is ordered before its next access.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::stamp::Stamp;

/// A vector clock, with what is narrower than a release to everybody.
///
/// Each image counts its releases. An access carries the count, its *time*, and is ordered before what follows if the time is covered here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// All accesses of each image up to this time.
    times: Vec<u32>,
    /// All gets of each image up to this time, which is not less: one that has returned is over, so whatever follows from its return comes later.
    gets: Vec<u32>,
    /// Puts of an image to a target up to this time.
    lanes: BTreeMap<(u32, u32), u32>,
    /// Accesses of an image at this time alone: flags that were seen, and puts that announce themselves only.
    single: BTreeSet<(u32, u32)>,
}

impl Clock {
    /// The clock of an image that begins.
    pub(crate) fn of(image: usize, images: usize) -> Self {
        let mut times = vec![0; images];
        times[image] = 1;
        Self {
            gets: times.clone(),
            times,
            ..Self::default()
        }
    }

    /// What the image whose clock it is tells by a fence for one target, or a notified put: what it has put there so far, and all gets that were over.
    pub(crate) fn lane(&self, image: usize, target: usize) -> Self {
        Self {
            gets: self.gets.clone(),
            lanes: [((image as u32, target as u32), self.time(image))].into(),
            ..Self::default()
        }
    }

    /// A single access.
    pub(crate) fn single(image: usize, time: u32) -> Self {
        Self {
            single: [(image as u32, time)].into(),
            ..Self::default()
        }
    }

    /// The time of an image.
    pub(crate) fn time(&self, image: usize) -> u32 {
        self.times.get(image).copied().unwrap_or_default()
    }

    /// Counts a release of the image whose clock it is.
    pub(crate) fn advance(&mut self, image: usize) {
        self.times[image] += 1;
        self.gets[image] = self.times[image];
    }

    /// Adds what another clock covers.
    pub(crate) fn join(&mut self, other: &Self) {
        join(&mut self.times, &other.times);
        join(&mut self.gets, &other.gets);
        for (&lane, &time) in &other.lanes {
            let mine = self.lanes.entry(lane).or_default();
            *mine = (*mine).max(time);
        }
        self.single.extend(&other.single);
        if !(self.lanes.is_empty() && self.single.is_empty()) {
            self.forget_covered();
        }
    }

    /// Forgets what the times cover.
    fn forget_covered(&mut self) {
        let times = &self.times;
        let is_newer =
            |image: u32, time: u32| time > times.get(image as usize).copied().unwrap_or(0);
        self.lanes
            .retain(|&(image, _), &mut time| is_newer(image, time));
        self.single.retain(|&(image, time)| is_newer(image, time));
    }

    /// Whether an access to memory of `target` is ordered before.
    #[inline]
    pub(crate) fn covers(&self, stamp: Stamp, target: usize) -> bool {
        let (image, time) = (stamp.image(), stamp.time());
        self.time(image) >= time || self.covers_in_part(stamp, target)
    }

    fn covers_in_part(&self, stamp: Stamp, target: usize) -> bool {
        let (image, time) = (stamp.image() as u32, stamp.time());
        let known = match stamp.is_write() {
            true => self.lanes.get(&(image, target as u32)),
            false => self.gets.get(stamp.image()),
        };
        known.is_some_and(|&known| known >= time) || self.single.contains(&(image, time))
    }

    /// Whether puts of an image to some target are covered up to this time.
    pub(crate) fn has_lane_from(&self, image: usize, time: u32) -> bool {
        let lanes = self
            .lanes
            .range((image as u32, 0)..=(image as u32, u32::MAX));
        lanes.into_iter().any(|(_, &known)| known >= time)
    }
}

/// The later of two times for each image.
fn join(mine: &mut Vec<u32>, theirs: &[u32]) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stamp::Kind;

    fn put(image: usize, time: u32) -> Stamp {
        Stamp::new(image, time, 0, Kind::Put)
    }

    #[test]
    fn a_release_covers_what_came_before_and_nothing_after() {
        let mut writer = Clock::of(1, 3);
        let mut reader = Clock::of(0, 3);
        let first = put(1, writer.time(1));
        let released = writer.clone();
        writer.advance(1);
        let second = put(1, writer.time(1));
        assert!(!reader.covers(first, 2));
        reader.join(&released);
        assert!(reader.covers(first, 2) && !reader.covers(second, 2));
    }

    #[test]
    fn a_lane_covers_puts_to_its_target_and_all_gets_that_were_over() {
        let [mut first, mut second, mut reader] = [0, 1, 2].map(|image| Clock::of(image, 3));
        let get = |image: usize, clock: &Clock| Stamp::new(image, clock.time(image), 0, Kind::Get);
        let (got, written) = (get(0, &first), put(0, 1));
        second.join(&first.lane(0, 1));
        first.advance(0);
        reader.join(&second.lane(1, 2));
        assert!(second.covers(written, 1) && !second.covers(written, 2));
        assert!(!second.covers(put(0, 2), 1) && !second.covers(get(0, &first), 1));
        assert!(reader.covers(got, 0) && !reader.covers(written, 1));
        assert!(!reader.covers(Stamp::new(1, 1, 0, Kind::AtomicWrite), 0));
        assert!(reader.covers(Stamp::new(1, 1, 0, Kind::AtomicWrite), 2));
    }

    #[test]
    fn a_single_access_covers_no_earlier_one() {
        let mut reader = Clock::of(0, 3);
        reader.join(&Clock::single(1, 4));
        assert!(reader.covers(put(1, 4), 2) && !reader.covers(put(1, 3), 2));
        let mut all = Clock::of(1, 3);
        (0..6).for_each(|_| all.advance(1));
        reader.join(&all);
        assert!(reader.single.is_empty());
    }
}
