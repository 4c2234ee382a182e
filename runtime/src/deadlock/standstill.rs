//! What is kept of the sleep of all images, to see whether it lasts.

use std::cell::RefCell;

use crate::lockfree::sleep::Sleep;

/// How often an image describes its wait until the description is of now.
const FRESH: u64 = 2;

/// The sleep of each image when all were first found asleep.
#[derive(Debug, Default)]
pub(crate) struct Standstill(RefCell<Option<Vec<Option<Sleep>>>>);

impl Standstill {
    /// Whether all have slept on since then, and described their waits anew. `now` is none if not all sleep.
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
