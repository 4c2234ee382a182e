//! Every image reads the values where they are.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Team};

use crate::blocks::slice;
use crate::epoch::in_place::InPlace;

/// From how many bytes on images that are apart share the work. It takes a barrier.
const SHARED_BYTES: usize = 1 << 16;

/// Every image reads the values where the root has them, and the root writes the last of them to each meanwhile if it reaches all by stores.
/// Several images that are apart read them [in shares](in_shares). Returns whether the root has lent them.
pub(super) fn in_place<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: usize,
) -> Result<bool, ImageFailed> {
    let (me, images, length) = (team.index(), team.images(), values.len());
    let is_long = size_of_val(values) >= SHARED_BYTES;
    let read = |epoch: &mut InPlace<'_, T>| {
        let all_have_lent = (0..images).all(|image| epoch.has_lent(image));
        if !team.is_on_one_node() && images > 2 && is_long && all_have_lent {
            return in_shares(epoch, team, length, root);
        }
        // A root that dies leaves bytes of two values where it writes.
        let may_write = T::ANY_BITS && team.is_on_one_node() && all_have_lent;
        let read = length - if may_write { length / images } else { 0 };
        // SAFETY: these images have lent their values, whose number is the same on all: they have compared calls. Each reads the first of the
        // root's, to its own, and the root writes the others of each; nobody writes to the root's.
        unsafe {
            if me != root {
                epoch.read_to_own(root, 0..read);
                epoch.note_written(root, length - read);
            } else if read < length {
                let others = (0..images).filter(|&image| image != root);
                others.for_each(|image| epoch.write_from_own(image, read..length));
            }
        }
        Ok(())
    };
    InPlace::run_mut(team, call, values, |image| image == root, read)
}

/// Each reader reads a share from the root, and then those of the other readers from them. So no image sends the values more than about once,
/// however many read them.
///
/// # Source
/// A scatter and an allgather: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, *Collective communication: theory, practice, and
/// experience*, Concurrency and Computation 19, 2007.
fn in_shares<T: Remote>(
    epoch: &mut InPlace<'_, T>,
    team: &Team,
    length: usize,
    root: usize,
) -> Result<(), ImageFailed> {
    let (me, images) = (team.index(), team.images());
    let share = |reader: usize| slice(length, images - 1, (reader + images - root) % images - 1);
    if me != root {
        // SAFETY: all have lent so many values: they have compared calls. Nobody writes to the root's, and nobody reads this share here before
        // the barrier.
        unsafe { epoch.read_to_own(root, share(me)) };
    }
    epoch.barrier()?;
    let others = (me + 1..images).chain(0..me).filter(|&image| image != root);
    for from in others.filter(|_| me != root) {
        // SAFETY: as above. That image has read its share before the barrier and writes there no more, and nobody reads this share here.
        unsafe { epoch.read_to_own(from, share(from)) };
    }
    Ok(())
}
