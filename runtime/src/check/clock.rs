//! What an image knows of the others: how far each had come in what is ordered before its next access.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::shadow::Granule;
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
    /// Puts of an image at this time alone, which announced nothing else.
    single: BTreeSet<(u32, u32)>,
    /// Words that an image wrote at this time. Others may have the same time, and are not known.
    seen: BTreeSet<(u32, u32, Granule)>,
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

    /// What the image whose clock it is tells by a fence for one target, or a notified put: what it has put there so far, all gets that were over, and what
    /// others had told it before.
    pub(crate) fn lane(&self, image: usize, target: usize) -> Self {
        let mut told = self.clone();
        told.times[image] = 0;
        told.lanes
            .insert((image as u32, target as u32), self.time(image));
        told
    }

    /// What it tells by a put that announces itself alone.
    pub(crate) fn single(&self, image: usize) -> Self {
        let mut told = self.clone();
        told.times[image] = 0;
        told.single.insert((image as u32, self.time(image)));
        told
    }

    /// That a word of a granule was seen, as an image wrote it at a time.
    pub(crate) fn seen(image: usize, time: u32, granule: Granule) -> Self {
        Self {
            seen: [(image as u32, time, granule)].into(),
            ..Self::default()
        }
    }

    /// The time of an image.
    pub(crate) fn time(&self, image: usize) -> u32 {
        self.times.get(image).copied().unwrap_or_default()
    }

    /// The latest time of an image up to which its puts to `target` are covered.
    pub(crate) fn time_of_puts(&self, image: usize, target: usize) -> u32 {
        let lane = self.lanes.get(&(image as u32, target as u32));
        lane.copied().unwrap_or_default().max(self.time(image))
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
        self.seen.extend(&other.seen);
        self.forget_covered_if_any();
    }

    /// Adds all that each image has done up to these times.
    pub(crate) fn reach(&mut self, times: impl Iterator<Item = u32>) {
        for ((mine, gets), time) in self.times.iter_mut().zip(&mut self.gets).zip(times) {
            *mine = time.max(*mine);
            *gets = time.max(*gets);
        }
        self.forget_covered_if_any();
    }

    fn forget_covered_if_any(&mut self) {
        if !(self.lanes.is_empty() && self.single.is_empty() && self.seen.is_empty()) {
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
        self.seen.retain(|&(image, time, _)| is_newer(image, time));
    }

    /// Whether an access to a granule is ordered before.
    #[inline]
    pub(crate) fn covers(&self, stamp: Stamp, granule: Granule) -> bool {
        let (image, time) = (stamp.image(), stamp.time());
        self.time(image) >= time || self.covers_in_part(stamp, granule)
    }

    fn covers_in_part(&self, stamp: Stamp, granule: Granule) -> bool {
        let (image, time) = (stamp.image() as u32, stamp.time());
        let known = match stamp.is_write() {
            true => self.lanes.get(&(image, granule.image as u32)),
            false => self.gets.get(stamp.image()),
        };
        known.is_some_and(|&known| known >= time)
            || self.single.contains(&(image, time))
            || self.seen.contains(&(image, time, granule))
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

    fn on(image: usize) -> Granule {
        Granule { image, number: 3 }
    }

    #[test]
    fn a_release_covers_what_came_before_and_nothing_after() {
        let mut writer = Clock::of(1, 3);
        let mut reader = Clock::of(0, 3);
        let first = put(1, writer.time(1));
        let released = writer.clone();
        writer.advance(1);
        let second = put(1, writer.time(1));
        assert!(!reader.covers(first, on(2)));
        reader.join(&released);
        assert!(reader.covers(first, on(2)) && !reader.covers(second, on(2)));
    }

    #[test]
    fn a_lane_covers_puts_to_its_target_and_all_gets_that_were_over() {
        let mut first = Clock::of(0, 3);
        let mut second = Clock::of(1, 3);
        let get = |clock: &Clock| Stamp::new(0, clock.time(0), 0, Kind::Get);
        let (got, written) = (get(&first), put(0, 1));
        second.join(&first.lane(0, 1));
        first.advance(0);
        assert!(second.covers(written, on(1)) && !second.covers(written, on(2)));
        assert_eq!([1, 2].map(|target| second.time_of_puts(0, target)), [1, 0]);
        assert!(!second.covers(put(0, 2), on(1)) && !second.covers(get(&first), on(1)));
        assert!(second.covers(got, on(0)));
        assert!(!second.covers(Stamp::new(0, 1, 0, Kind::AtomicWrite), on(0)));
    }

    #[test]
    fn a_lane_and_a_single_put_cover_what_others_had_told() {
        let mut teller = Clock::of(1, 3);
        teller.join(&Clock::of(0, 3));
        for told in [teller.lane(1, 2), teller.single(1)] {
            let mut reader = Clock::of(2, 3);
            reader.join(&told);
            assert!(reader.covers(put(0, 1), on(0)));
        }
    }

    #[test]
    fn a_single_put_covers_no_earlier_one() {
        let mut writer = Clock::of(1, 3);
        (0..3).for_each(|_| writer.advance(1));
        let mut reader = Clock::of(0, 3);
        reader.join(&writer.single(1));
        assert!(reader.covers(put(1, 4), on(2)) && !reader.covers(put(1, 3), on(2)));
        (0..3).for_each(|_| writer.advance(1));
        reader.join(&writer);
        assert!(reader.single.is_empty());
    }

    #[test]
    fn a_word_that_was_seen_covers_no_other_of_its_time() {
        let mut reader = Clock::of(0, 3);
        reader.join(&Clock::seen(1, 4, on(2)));
        assert!(reader.covers(put(1, 4), on(2)) && !reader.covers(put(1, 4), on(1)));
        let other = Granule {
            image: 2,
            number: 4,
        };
        assert!(!reader.covers(put(1, 4), other));
    }
}
