//! Broadcast down a tree: every image reads from its parent.

use crate::Algorithm;
use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, Team};

use crate::epoch::Epoch;
use crate::tree::{Order, Tree};

pub(crate) fn pass<T: Remote>(
    mut epoch: Epoch<'_, T>,
    team: &Team,
    algorithm: Algorithm,
    chunk: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    epoch.begin_steps();
    let order = Order::from(root, algorithm, team);
    let steps = descend(&mut epoch, team, algorithm, &order, chunk);
    epoch.finish(steps)
}

fn descend<T: Remote>(
    epoch: &mut Epoch<'_, T>,
    team: &Team,
    algorithm: Algorithm,
    order: &Order,
    chunk: &mut [T],
) -> Result<(), Abandoned> {
    let place = Tree::new(algorithm, team, order).place(order.position(team.index()));
    if let Some(parent) = place.parent {
        // SAFETY: every parent publishes the whole chunk as its first piece.
        unsafe { epoch.receive_into(order.image(parent), 1, 0, chunk)? };
    }
    if !place.children.is_empty() {
        epoch.publish(chunk);
        if epoch.spans_nodes() {
            let readers = place.children.iter().map(|child| order.image(child.start));
            readers.for_each(|reader| epoch.push(reader, chunk.len()));
        }
    }
    Ok(())
}
