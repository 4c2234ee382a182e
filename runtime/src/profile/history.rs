//! How much an image has waited in each part of its run.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many parts are told apart at most, and from some time on at least half as many.
pub(crate) const PARTS: usize = 256;

/// The first parts are of 2 to this power units of the clock: some microseconds.
const FIRST_SHIFT: u32 = 12;

/// How long an image has waited in each part of its run, in units of the clock. The parts are of equal length, which doubles when the run
/// has no room in them any more. The image alone writes. Relaxed throughout: who reads meanwhile may see waits in a wrong part.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct History {
    /// By how many doublings the parts are longer than at first.
    doublings: AtomicU32,
    parts: [AtomicU64; PARTS],
}

impl History {
    #[inline]
    fn shift(&self) -> u32 {
        FIRST_SHIFT + self.doublings.load(Ordering::Relaxed)
    }

    /// How long a part is.
    pub(crate) fn length(&self) -> u64 {
        1_u64.checked_shl(self.shift()).unwrap_or(u64::MAX)
    }

    /// How long the image has waited in each part, up to the last in which it has.
    pub(crate) fn read(&self) -> Vec<u64> {
        let parts = self.parts.iter().map(|part| part.load(Ordering::Relaxed));
        let mut parts: Vec<u64> = parts.collect();
        let used = parts.iter().rposition(|&waited| waited > 0);
        parts.truncate(used.map_or(0, |last| last + 1));
        parts
    }

    /// Notes a wait between two times, which are since the beginning of the run. The later one is later than those of all waits before.
    #[inline]
    pub(crate) fn note(&self, from: u64, to: u64) {
        let part = to >> self.shift();
        if part == from >> self.shift() && part < PARTS as u64 {
            self.add(part as usize, to.saturating_sub(from));
        } else {
            self.note_across(from, to);
        }
    }

    /// As [`note`](Self::note), of a wait that is in several parts, or for which there is no part yet.
    #[cold]
    #[inline(never)]
    fn note_across(&self, from: u64, to: u64) {
        while to >> self.shift() >= PARTS as u64 {
            self.double();
        }
        let shift = self.shift();
        let mut from = from.min(to);
        while from < to {
            let part = from >> shift;
            let end = to.min((part + 1) << shift);
            self.add(part as usize, end - from);
            from = end;
        }
    }

    #[inline]
    fn add(&self, part: usize, waited: u64) {
        let part = &self.parts[part];
        part.store(part.load(Ordering::Relaxed) + waited, Ordering::Relaxed);
    }

    #[cold]
    fn double(&self) {
        let parts = self.read();
        for (index, part) in self.parts.iter().enumerate() {
            let both = parts.iter().skip(2 * index).take(2).sum();
            part.store(both, Ordering::Relaxed);
        }
        let doublings = self.doublings.load(Ordering::Relaxed);
        self.doublings.store(doublings + 1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits of many lengths, against a list of all of them.
    #[test]
    fn waits_stay_where_they_were() {
        // SAFETY: all-zero bytes are a valid value: it consists of atomics.
        let history: Box<History> = unsafe { Box::new(std::mem::zeroed()) };
        let (mut now, mut waits) = (0, Vec::new());
        for step in 0..4000_u64 {
            let from = now + step * 7919 % 3001;
            let to = from + (step * 104_729 % 5003) * if step % 100 == 0 { 90 } else { 1 };
            history.note(from, to);
            waits.push(from..to);
            now = to;
        }
        let (length, parts) = (history.length(), history.read());
        assert!(parts.len() > PARTS / 2 && parts.len() <= PARTS);
        for (index, waited) in (0..).zip(&parts) {
            let (start, end) = (index * length, (index + 1) * length);
            let inside = |wait: &std::ops::Range<u64>| {
                wait.end.min(end).saturating_sub(wait.start.max(start))
            };
            let expected: u64 = waits.iter().map(inside).sum();
            assert_eq!(*waited, expected, "part {index}");
        }
    }
}
