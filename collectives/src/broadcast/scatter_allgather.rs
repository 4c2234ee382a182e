//! Broadcast in two parts: the root scatters its values in slices, one for each image, and then the slices pass around
//! a ring. Every image sends about as many bytes as it receives.
//!
//! Positions count from the root. Position `p` first reads slice `p` from the root, and in round `r` reads slice
//! `p - r` from position `p - 1`. The root has all slices from the beginning and reads none; position 1 reads from it in every
//! round.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, Team};

use crate::epoch::{self, Epoch};
use crate::tree::Order;

pub(super) fn pass<T: Remote>(
    mut epoch: Epoch<'_, T>,
    team: &Team,
    chunk: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    epoch.begin_steps();
    let steps = scatter_and_allgather(&mut epoch, team, chunk, root);
    epoch.finish(steps)
}

fn scatter_and_allgather<T: Remote>(
    epoch: &mut Epoch<'_, T>,
    team: &Team,
    chunk: &mut [T],
    root: usize,
) -> Result<(), Abandoned> {
    let images = team.images();
    let order = Order::From(root, images);
    let me = order.position(team.index());
    let length = chunk.len();
    let slice = |number: usize| epoch::slice(length, images, number % images);
    if me == 0 {
        epoch.publish(chunk);
        if epoch.spans_nodes() {
            let push = |to: usize, number| {
                epoch.push_part(order.image(to), slice(number).start, slice(number).len())
            };
            (1..images).for_each(|position| push(position, position));
            (1..images).for_each(|round| push(1, 1 + images - round));
        }
        return Ok(());
    }

    let own = slice(me);
    // SAFETY: the root publishes the whole chunk as its first piece.
    unsafe { epoch.receive_into(root, 1, own.start, &mut chunk[own])? };
    let before = order.image(me - 1);
    // The start of the next slice among those that the image before publishes.
    let mut start = 0;
    for round in 1..images {
        if me < images - 1 {
            let piece = &chunk[slice(me + images + 1 - round)];
            epoch.publish(piece);
            epoch.push(order.image(me + 1), piece.len());
        }
        let next = slice(me + images - round);
        let (place, next) = (next.start, &mut chunk[next]);
        // SAFETY: the image before publishes its own slice first, then those that it reads in rounds 1, 2, ...; `start` is the
        // length of the pieces before. The first piece of the root is the whole chunk.
        unsafe {
            if me == 1 {
                epoch.receive_into(root, 1, place, next)?;
            } else {
                epoch.receive_into(before, round, start, next)?;
            }
        }
        start += next.len();
    }
    Ok(())
}
