//! Each image has the combination of a run of images that ends with itself. In each round it combines this with the run of the
//! image that is the length of a run before it, which doubles the length (Hillis and Steele 1986).
//!
//! In an exclusive scan each image also keeps the combination of its run without its own values.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::Epoch;
use crate::operator::{append, prepend};
use crate::scan::Scan;

/// The most pieces that an image publishes, at least 1.
pub(super) fn pieces(images: usize) -> usize {
    // One in each round.
    (images.next_power_of_two().ilog2() as usize).max(1)
}

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    pub(super) fn recursive_doubling(
        &self,
        mut epoch: Epoch<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed> {
        epoch.begin_steps();
        let steps = self.double(&mut epoch, chunk);
        epoch.finish(steps)
    }

    fn double(&self, epoch: &mut Epoch<'_, T>, chunk: &mut [T]) -> Result<(), Abandoned> {
        let (me, images, length) = (self.team.index(), self.team.images(), chunk.len());
        let mut before: Option<Vec<T>> = None;
        let (mut round, mut run) = (0, 1);
        while run < images {
            if me + run < images {
                epoch.publish(chunk);
                epoch.push(me + run, length);
            }
            if me >= run {
                // SAFETY: in each round every image that has one at distance `run` after it publishes its chunk, all of the same
                // length; so that image has done in all rounds until this one.
                let values = unsafe { epoch.receive(me - run, round + 1, round * length, length)? };
                // In an exclusive scan no image needs a combination that none reads in the next round, and the operator may not
                // be defined for it.
                if self.initial.is_none() || me + 2 * run < images {
                    prepend(chunk, values, &self.operator);
                }
                if self.initial.is_some() {
                    match &mut before {
                        Some(before) => prepend(before, values, &self.operator),
                        None => before = Some(values.to_vec()),
                    }
                }
            }
            run *= 2;
            round += 1;
        }
        if let Some(initial) = self.initial {
            chunk.fill(initial);
            append(chunk, before.as_deref().unwrap_or_default(), &self.operator);
        }
        Ok(())
    }
}
