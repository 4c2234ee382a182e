//! Whether the root's parts have the right length, which the root alone knows: it tells all others, by a payload or a post.

use coarray_fabric::Deferral;
use coarray_runtime::{ASKING, Call, ImageFailed, Team};

use crate::eager::{Posts, may_post};
use crate::epoch::Epoch;

/// The word of a payload that says whether the root's parts have the right length.
pub(super) const FLAG: usize = 2;

pub(super) fn payload(is_right: bool) -> [u64; 3] {
    [0, 0, u64::from(is_right)]
}

/// Whether the parts of all images fit the root's payload, in front of the word that says whether they are right.
pub(super) const fn fits_before_flag<T>(length: usize, images: usize) -> bool {
    align_of::<T>() <= align_of::<u64>()
        && length > 0
        && length.saturating_mul(images) <= FLAG * size_of::<u64>() / size_of::<T>()
}

/// Whether the parts of the root have the right length, if a post says so: between nodes that and a barrier take a quarter of the time of a
/// barrier that tells something.
pub(super) fn posted_by_root(
    team: &Team,
    call: &Call,
    root: usize,
    is_right: bool,
) -> Option<bool> {
    if team.is_on_one_node() || !may_post(team, size_of::<u64>()) {
        return None;
    }
    let mut posted = [u64::from(is_right)];
    let readers = if team.index() == root {
        0..team.images()
    } else {
        0..0
    };
    let call = call.at_step(ASKING + 1);
    let posts = Posts::begin(team, &call, &posted, size_of::<u64>(), readers);
    // SAFETY: the root posts one word for this call.
    unsafe { posts.read_into(root, 0, &mut posted) };
    Some(posted != [0])
}

/// After an epoch: whether the root's payload says that its parts have the right length. If not, all other images wait for the
/// root's panic.
///
/// The root does not panic before: if images disagree about which of them is the root, that report explains more.
pub(super) fn is_root_right(
    _deferral: &Deferral,
    team: &Team,
    call: &Call,
    next: usize,
    root: usize,
) -> Result<bool, ImageFailed> {
    let is_right = team.payload(root)[FLAG] != 0;
    if !is_right {
        await_panic(team, call, next, root)?;
    }
    Ok(is_right)
}

/// Waits for the root's panic, on all other images.
pub(super) fn await_panic(
    team: &Team,
    call: &Call,
    next: usize,
    root: usize,
) -> Result<(), ImageFailed> {
    if team.index() != root {
        Epoch::<u8>::begin(team, call, next).barrier()?;
        unreachable!("an image that was to panic came to another barrier");
    }
    Ok(())
}
