//! Each image combines the values of a run of images that ends with itself, and in each round joins to it what the image
//! as far before it as the run is long has got: so the rounds double the runs (Hillis and Steele 1986).
//!
//! In an exclusive scan each image also keeps what the run gives without its own values.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::Epoch;
use crate::operator::{append, prepend};
use crate::scan::Scan;

/// How many pieces an image publishes at most, at least 1.
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
            }
            if me >= run {
                // SAFETY: until there is no image so far after it, an image publishes its chunk in each round.
                let values = unsafe { epoch.receive(me - run, round + 1, round * length, length)? };
                // Of an exclusive scan, nobody needs what nobody reads in the next round; it might not even exist.
                if self.initial.is_none() || me + 2 * run < images {
                    prepend(chunk, values, &self.join);
                }
                if self.initial.is_some() {
                    match &mut before {
                        Some(before) => prepend(before, values, &self.join),
                        None => before = Some(values.to_vec()),
                    }
                }
            }
            run *= 2;
            round += 1;
        }
        if let Some(initial) = self.initial {
            chunk.fill(initial);
            append(chunk, before.as_deref().unwrap_or_default(), &self.join);
        }
        Ok(())
    }
}
