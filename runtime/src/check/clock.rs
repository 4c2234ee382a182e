//! What an image knows of the others: how far each had come in what is ordered before its next access.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::stamp::Stamp;

/// The target of the lane of what an image has got, wherever from: a get that has returned is over.
const GETS: u32 = u32::MAX;

/// A vector clock, with what is narrower than a release to everybody.
///
/// Each image counts its releases. An access carries the count, its *time*, and is ordered before what follows if the time is covered here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// All accesses of each image up to this time.
    times: Vec<u32>,
    /// Puts of an image to a target, and its gets, up to this time.
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
            times,
            ..Self::default()
        }
    }

    /// What a fence for one target tells, or a notified put: what the image has put there so far.
    pub(crate) fn lane(image: usize, target: usize, time: u32) -> Self {
        let image = image as u32;
        Self {
            lanes: [((image, target as u32), time), ((image, GETS), time)].into(),
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
    }

    /// Adds what another clock covers.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.times.len() < other.times.len() {
            self.times.resize(other.times.len(), 0);
        }
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            *mine = (*mine).max(*theirs);
        }
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
        let lane = if stamp.is_write() {
            target as u32
        } else {
            GETS
        };
        let reaches = |&known: &u32| known >= time;
        self.lanes.get(&(image, lane)).is_some_and(reaches) || self.single.contains(&(image, time))
    }

    /// Whether puts of an image to some target are covered up to this time.
    pub(crate) fn has_lane_from(&self, image: usize, time: u32) -> bool {
        let lanes = self.lanes.range((image as u32, 0)..(image as u32, GETS));
        lanes.into_iter().any(|(_, &known)| known >= time)
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
    fn a_lane_covers_puts_to_its_target_and_gets() {
        let mut reader = Clock::of(0, 3);
        reader.join(&Clock::lane(1, 2, 5));
        assert!(reader.covers(put(1, 5), 2) && !reader.covers(put(1, 5), 0));
        assert!(!reader.covers(put(1, 6), 2));
        assert!(reader.covers(Stamp::new(1, 5, 0, Kind::Get), 0));
        assert!(!reader.covers(Stamp::new(1, 5, 0, Kind::AtomicWrite), 0));
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
