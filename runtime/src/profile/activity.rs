//! What an image does when it waits, or moves data.

use crate::call::operation::Operation;
use crate::lockfree::arrival::Signature;

/// What an image does, as far as no collective operation says it: when it waits, what the cause of the wait knows; when it moves data; and what only
/// timelines show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It waits for an event.
    Event,
    /// It waits in `sync_images`.
    Images,
    /// It waits for a lock, or to enter a critical section.
    Lock,
    /// It waits for a coatomic to change.
    Value,
    /// It waits for what others bring to an asynchronous collective.
    Contribution,
    /// It waits for the first of several operations.
    Any,
    /// It waits for the halo of an array.
    Halo,
    /// It waits for items of a conveyor, or for room for some.
    Conveyor,
    /// It completes puts and gets.
    Completion,
    /// It waits at the start of the program.
    Start,
    /// It waits at a line that is not told apart from others.
    Elsewhere,
    /// It puts.
    Put,
    /// It gets.
    Get,
    /// It operates on a coatomic.
    Atomic,
    /// It puts, and notifies.
    PutNotify,
    /// It posts to an event.
    Post,
    /// It does something that no line of the program asked for.
    Library,
    /// It releases a lock. In timelines only.
    Unlock,
    /// It is in a [region](crate::RegionGuard) of the program. In timelines only.
    Region,
}

/// The lowest code of an [`Activity`]; those below are of operations.
const OTHERS: u32 = 1 << 16;

impl Activity {
    const ALL: [(Self, &'static str); 19] = [
        (Self::Event, "event"),
        (Self::Images, "sync_images"),
        (Self::Lock, "lock"),
        (Self::Value, "wait for a value"),
        (Self::Contribution, "asynchronous collective"),
        (Self::Any, "wait_any"),
        (Self::Halo, "halo exchange"),
        (Self::Conveyor, "conveyor"),
        (Self::Completion, "completion of puts and gets"),
        (Self::Start, "the start of the program"),
        (Self::Elsewhere, "other lines"),
        (Self::Put, "put"),
        (Self::Get, "get"),
        (Self::Atomic, "atomic"),
        (Self::PutNotify, "put_notify"),
        (Self::Post, "post"),
        (Self::Library, "the library itself"),
        (Self::Unlock, "unlock"),
        (Self::Region, "region"),
    ];

    /// The number of the activity in tables.
    pub(crate) fn code(self) -> u32 {
        OTHERS + self as u32
    }
}

impl Activity {
    /// The one with this number in tables; `None` for a collective operation.
    pub(crate) fn of(code: u32) -> Option<Self> {
        let all = Self::ALL.iter().map(|(activity, _)| *activity);
        all.into_iter().find(|activity| activity.code() == code)
    }

    /// Whether only timelines show it: no image waits.
    pub(crate) fn is_no_wait(self) -> bool {
        matches!(self, Self::Post | Self::Unlock | Self::Region)
    }
}

/// The number in tables of a collective operation.
#[inline]
pub(crate) fn code_of_call(signature: &Signature) -> u32 {
    (signature[0] & 0xffff) as u32
}

/// What the number of an operation or of another activity stands for, in reports.
pub(crate) fn name(code: u32) -> &'static str {
    let activity = Activity::ALL
        .iter()
        .find(|(activity, _)| activity.code() == code);
    match activity {
        Some((_, name)) => name,
        None => Operation::of_code(code).map_or("?", Operation::name),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::call::Call;

    #[test]
    fn codes_are_those_of_names() {
        for (activity, expected) in Activity::ALL {
            assert_eq!(name(activity.code()), expected);
        }
        let sum = Call::plain(Operation::CoSum, Location::caller());
        let step = sum.at_step(3).by(Some(2));
        assert_eq!(name(code_of_call(step.signature())), "co_sum");
    }
}
