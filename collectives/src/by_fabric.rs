//! [`Algorithm::Fabric`](crate::Algorithm::Fabric): the images pass a barrier, in which they compare calls, and then make the same call of a
//! collective operation that the fabric has of its own.
//!
//! So images that disagree do not come to that call. Nothing of the program runs between the barrier and the end of the call, and no image of a
//! team that spans nodes fails alone: all that have passed the barrier come to the call and complete it, or the job ends.

use coarray_coref::Remote;
use coarray_fabric::transport::movement::Movement;
use coarray_runtime::{Call, ImageFailed, Team};

use crate::epoch::Epoch;

/// The longest block: that of the fabric.
const MOST_BYTES: usize = i32::MAX as usize;

/// Whether the fabric moves blocks of up to `bytes` bytes among the images of the team.
pub(crate) fn may_use(team: &Team, bytes: usize) -> bool {
    bytes <= MOST_BYTES && team.has_fabric_collectives()
}

/// Gives all images the values of `root`.
pub(crate) fn broadcast<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    let (movement, length) = (Movement::Broadcast(root), values.len());
    // SAFETY: all images have as many values: they compare calls.
    unsafe { pass(team, call, movement, &[], values, length) }
}

/// Gives `root` the values of all. Its `gathered` has room for them, or it does not use what comes.
pub(crate) fn gather<T: Remote>(
    team: &Team,
    call: &Call,
    values: &[T],
    gathered: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    let (movement, length) = (Movement::Gather(root), values.len());
    let all = team.images() * length;
    let mut unused;
    let mut target = gathered;
    if team.index() != root {
        target = &mut [];
    } else if target.len() != all {
        // The root takes part nevertheless.
        unused = values.repeat(team.images());
        target = &mut unused;
    }
    // SAFETY: all images have as many values: they compare calls. The target of the root has room for them all.
    unsafe { pass(team, call, movement, values, target, length) }
}

/// Gives all images the values of all. `gathered` has room for them.
pub(crate) fn allgather<T: Remote>(
    team: &Team,
    call: &Call,
    values: &[T],
    gathered: &mut [T],
) -> Result<(), ImageFailed> {
    let length = values.len();
    assert_eq!(Some(gathered.len()), team.images().checked_mul(length));
    // SAFETY: all images have as many values: they compare calls. The target has room for them all.
    unsafe { pass(team, call, Movement::Allgather, values, gathered, length) }
}

/// Gives each image its part of those that `root` has, after the barrier of `epoch`.
///
/// # Safety
/// All images have just passed that barrier and call this, and `parts` of the root has one for each image.
pub(crate) unsafe fn scatter<T: Remote>(
    team: &Team,
    epoch: Epoch<'_, T>,
    parts: &[T],
    mine: &mut [T],
    root: usize,
) {
    let (movement, length) = (Movement::Scatter(root), mine.len());
    let source = if team.index() == root { parts } else { &[] };
    // SAFETY: the caller vouches for the barrier and for the parts. All have the same length: the images have compared calls.
    unsafe { enter(team, epoch, movement, source, mine, length) }
}

/// Exchanges parts, of which `send` has one for each image and `received` room for as many.
pub(crate) fn alltoall<T: Remote>(
    team: &Team,
    call: &Call,
    send: &[T],
    received: &mut [T],
) -> Result<(), ImageFailed> {
    let length = send.len() / team.images();
    assert_eq!(send.len(), team.images() * length);
    assert_eq!(send.len(), received.len());
    // SAFETY: all images have parts of the same length: they compare calls. Source and target have one for each image.
    unsafe { pass(team, call, Movement::Alltoall, send, received, length) }
}

/// Waits for all images in a barrier for `call`, and then moves blocks of `length` elements.
///
/// # Safety
/// `length` and `movement` are the same on all images whose call is. Source and target have the blocks that `movement` says.
unsafe fn pass<T: Remote>(
    team: &Team,
    call: &Call,
    movement: Movement,
    source: &[T],
    target: &mut [T],
    length: usize,
) -> Result<(), ImageFailed> {
    let mut epoch = Epoch::begin(team, call, 0);
    epoch.barrier()?;
    // SAFETY: all images have just passed the barrier, in which they have compared calls; the caller vouches for the rest.
    unsafe { enter(team, epoch, movement, source, target, length) };
    Ok(())
}

/// # Safety
/// All images have just passed the barrier of `epoch`, for the same movement of blocks of the same length, in elements. Source and target
/// have the blocks that `movement` says.
unsafe fn enter<T: Remote>(
    team: &Team,
    _epoch: Epoch<'_, T>,
    movement: Movement,
    source: &[T],
    target: &mut [T],
    length: usize,
) {
    let (source, target) = (source.as_ptr().cast(), target.as_mut_ptr().cast());
    // SAFETY: `start.algorithm` has asked `may_use`: the team has collectives, and no block is too long. All images have passed the barrier,
    // and nothing of the program ran since: wakers are deferred while there is an epoch. The source is borrowed and the target exclusively, so
    // no other image accesses them, and the caller vouches for their blocks. Those that come are of `T`s: that is what all images compared.
    unsafe { team.move_blocks(movement, source, target, length * size_of::<T>()) }
}
