//! Broadcast down a tree: everyone reads from the image above.

use crate::Algorithm;
use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, Team};

use crate::tree::{Order, Tree};
use crate::turn::Turn;

pub(crate) fn pass<T: Remote>(
    mut turn: Turn<'_, T>,
    team: &Team,
    algorithm: Algorithm,
    chunk: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    turn.begin_steps();
    let order = Order::from(root, algorithm, team);
    let steps = descend(&mut turn, team, algorithm, &order, chunk);
    turn.finish(steps)
}

fn descend<T: Remote>(
    turn: &mut Turn<'_, T>,
    team: &Team,
    algorithm: Algorithm,
    order: &Order,
    chunk: &mut [T],
) -> Result<(), Abandoned> {
    let place = Tree::new(algorithm, team, order).place(order.position(team.index()));
    if let Some(parent) = place.parent {
        // SAFETY: who has others below publishes the whole chunk as its first piece.
        unsafe { turn.receive_into(order.image(parent), 1, 0, chunk)? };
    }
    if !place.children.is_empty() {
        turn.publish(chunk);
    }
    Ok(())
}
