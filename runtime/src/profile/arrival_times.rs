//! When images entered a barrier: so the last one knows how long the others have waited for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// When an image entered the last two barriers of a team whose payloads left no room for that in its arrival.
///
/// As of arrivals there are two, for consecutive barriers. Relaxed throughout: an image writes before it publishes its
/// arrival, and the others read when they have seen that.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct ArrivalTimes([Time; 2]);

/// A cache line, which the image asks for again while the others read the other one.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Time(AtomicU64);

impl ArrivalTimes {
    /// Notes that the image enters barrier `number` at `now`.
    #[inline]
    pub(crate) fn enter(&self, number: u64, now: u64) {
        self.line(number).0.store(now, Ordering::Relaxed);
    }

    /// When it entered barrier `number`, one of the last two.
    #[inline]
    pub(crate) fn of(&self, number: u64) -> u64 {
        self.line(number).0.load(Ordering::Relaxed)
    }

    /// Where the time of barrier `number` is.
    #[inline]
    pub(crate) fn line(&self, number: u64) -> &Time {
        &self.0[(number & 1) as usize]
    }
}

/// How long other images, which entered a barrier at these times, have waited for the one that entered at `entered`, on the
/// average, if it was the last.
#[inline]
pub(crate) fn lateness(others: impl Iterator<Item = u64>, entered: u64) -> Option<u64> {
    let (mut images, mut waited) = (0_u64, 0);
    for other in others {
        waited += entered.checked_sub(other)?;
        images += 1;
    }
    // A division takes longer than all the rest.
    match images {
        1 => Some(waited),
        _ => waited.checked_div(images),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_knows_how_long_the_others_waited() {
        let images: [ArrivalTimes; 3] = Default::default();
        let barriers = [
            ([10, 30, 20], [None, Some(15), None]),
            ([100, 101, 199], [None, None, Some(98)]),
            ([300, 300, 250], [Some(25), Some(25), None]),
            ([1000, 400, 500], [Some(550), None, None]),
        ];
        for (number, (entered, expected)) in (1..).zip(barriers) {
            for (image, now) in images.iter().zip(entered) {
                image.enter(number, now);
            }
            for (me, late) in expected.into_iter().enumerate() {
                let others = (0..3).filter(|&image| image != me);
                let others = others.map(|image| images[image].of(number));
                assert_eq!(lateness(others, entered[me]), late, "{number}");
            }
        }
        assert_eq!(lateness([].into_iter(), 7), None);
    }
}
