//! All cases, by group.

mod atomic;
mod conflict;
mod misc;
mod notify;
mod sync;

use crate::case::{Case, Group};

/// The cases of a group, in the order of its files.
pub fn of(group: Group) -> impl Iterator<Item = &'static Case> {
    let files = match group {
        Group::Conflict => conflict::FILES,
        Group::Sync => sync::FILES,
        Group::Atomic => atomic::FILES,
        Group::Notify => notify::FILES,
        Group::Misc => misc::FILES,
    };
    files.iter().copied().flatten()
}
