//! Broadcast in two parts: the root deals its values out in slices, one for each image, and then the slices pass around
//! a ring from each image to the next. Every image passes on about as much as it receives.
//!
//! Positions count from the root. Position `p` first reads slice `p` from the root, and in round `r` reads slice
//! `p - r` from position `p - 1`. The root, which has all slices from the beginning, needs none; what position 1
//! reads in the ring comes straight from it.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed, Team};

use crate::tree::Order;
use crate::turn::{self, Turn};

pub(super) fn pass<T: Remote>(
    mut turn: Turn<'_, T>,
    team: &Team,
    chunk: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    turn.begin_steps();
    let steps = deal_and_pass_around(&mut turn, team, chunk, root);
    turn.finish(steps)
}

fn deal_and_pass_around<T: Remote>(
    turn: &mut Turn<'_, T>,
    team: &Team,
    chunk: &mut [T],
    root: usize,
) -> Result<(), Abandoned> {
    let images = team.images();
    let order = Order::From(root, images);
    let me = order.position(team.index());
    if me == 0 {
        turn.publish(chunk);
        return Ok(());
    }
    let length = chunk.len();
    let slice = |number: usize| turn::slice(length, images, number % images);

    let own = slice(me);
    // SAFETY: the root publishes the whole chunk as its first piece.
    unsafe { turn.receive_into(root, 1, own.start, &mut chunk[own])? };
    let before = order.image(me - 1);
    // Where the next slice is among those that the image before publishes.
    let mut start = 0;
    for round in 1..images {
        if me < images - 1 {
            turn.publish(&chunk[slice(me + images + 1 - round)]);
        }
        let next = slice(me + images - round);
        let (place, next) = (next.start, &mut chunk[next]);
        // SAFETY: the image before publishes its own slice first, then those it reads in rounds 1, 2, ..., each
        // before it reads the next; the root has published the whole chunk.
        unsafe {
            if me == 1 {
                turn.receive_into(root, 1, place, next)?;
            } else {
                turn.receive_into(before, round, start, next)?;
            }
        }
        start += next.len();
    }
    Ok(())
}
