//! Broadcasts by schedules: down a tree, or as slices that are scattered and pass around.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Team};

use crate::Algorithm;
use crate::epoch::execute::{Operands, Places};
use crate::epoch::{Epoch, capacity, chunks};
use crate::schedule::{Layout, Then, Tree, broadcast};

/// From epoch number `first` of the operation on.
pub(super) fn scheduled<T: Remote>(
    team: &Team,
    call: &Call,
    algorithm: Algorithm,
    first: usize,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    let tree = Tree::from(root, algorithm, team);
    let schedule = broadcast(algorithm, &tree, team.index());
    for (number, chunk) in (first..).zip(chunks(values, capacity::<T>())) {
        let layout = match algorithm {
            Algorithm::ScatterAllgather => Layout::slices(team.images(), chunk.len()),
            _ => Layout::equal(1, chunk.len()),
        };
        let mut operands = Broadcasting {
            layout: &layout,
            values: chunk,
        };
        let epoch = Epoch::begin(team, call, number);
        // SAFETY: images that have compared calls have the same algorithm, tree and length.
        unsafe { epoch.execute(&schedule, &Places::whole(&layout), &mut operands)? };
    }
    Ok(())
}

/// The values of an image in a broadcast.
struct Broadcasting<'a, T> {
    layout: &'a Layout,
    values: &'a mut [T],
}

impl<T: Remote> Operands<T> for Broadcasting<'_, T> {
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        stage(&self.values[self.layout.elements(blocks)]);
    }

    fn take(&mut self, blocks: &Range<usize>, _: Then, values: &[T]) {
        self.values[self.layout.elements(blocks)].copy_from_slice(values);
    }

    fn target(&mut self, blocks: &Range<usize>) -> Option<&mut [T]> {
        Some(&mut self.values[self.layout.elements(blocks)])
    }
}
