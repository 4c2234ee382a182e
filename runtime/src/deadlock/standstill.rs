//! The sleeps that one search has found, kept to see whether they last.

use std::cell::RefCell;

use crate::lockfree::sleep::Sleep;

/// How often an image must record its wait until the record is surely current.
const FRESH: u64 = 2;

/// The sleep of each image when all were first found asleep.
#[derive(Debug, Default)]
pub(crate) struct Standstill(RefCell<Option<Vec<Option<Sleep>>>>);

impl Standstill {
    /// Whether all images have slept on since then and recorded their waits again. `now` is none if not all sleep.
    pub(crate) fn lasts(&self, now: Option<&[Option<Sleep>]>) -> bool {
        let mut since = self.0.borrow_mut();
        let Some(now) = now else {
            *since = None;
            return false;
        };
        let before = since.get_or_insert_with(|| now.to_vec());
        let pairs = || before.iter().flatten().zip(now.iter().flatten());
        let gone = |sleeps: &[Option<Sleep>]| sleeps.iter().filter(|sleep| sleep.is_none()).count();
        if gone(before) != gone(now) || !pairs().all(|(before, now)| now.continues(*before)) {
            *before = now.to_vec();
            return false;
        }
        pairs().all(|(before, now)| now.was_described_since(*before, FRESH))
    }
}
