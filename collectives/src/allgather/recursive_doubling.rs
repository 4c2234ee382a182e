//! Each round doubles the number of blocks that an image has, for any number of images (Bruck, Ho, Kipnis, Upfal and
//! Weathersby 1997).
//!
//! When image `i` has the `n` blocks from its own on, it reads from image `i + n`, which has the `n` blocks from `i + n` on. In
//! the last round it reads only those that it lacks.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::allgather::Gathering;
use crate::blocks::{Blocks, overlap};
use crate::epoch::{Epoch, capacity};

impl Gathering<'_> {
    pub(super) fn recursive_doubling<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let slabs = self.blocks.slabs(self.team.images(), capacity::<T>());
        for (number, window) in slabs.enumerate() {
            let slab = self.blocks.slab(&window);
            let own = &values[overlap(&(0..values.len()), &window)];
            let mut epoch = Epoch::begin(self.team, call, first + number);
            epoch.begin_steps();
            let place = |image: usize, part: &[T]| place(image, window.start, part);
            let steps = self.double(&mut epoch, &slab, own, place);
            epoch.finish(steps)?;
        }
        Ok(())
    }

    fn double<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        slab: &Blocks,
        own: &[T],
        mut place: impl FnMut(usize, &[T]),
    ) -> Result<(), Abandoned> {
        let (me, images) = (self.team.index(), self.team.images());
        epoch.publish(own);
        let (mut round, mut blocks) = (1, 1);
        while blocks < images {
            let from = (me + blocks) % images;
            let more = blocks.min(images - blocks);
            let owners = |first: usize| (first..first + more).map(|owner| owner % images);
            let length_of = |first: usize| owners(first).map(|owner| slab.block(owner).len()).sum();
            if epoch.spans_nodes() {
                epoch.push_part((me + images - blocks) % images, 0, length_of(me));
            }
            let length = length_of(from);
            // SAFETY: its first `round` pieces are its own block and the `blocks - 1` blocks after it, so they have the `more`
            // blocks that this image reads.
            let mut rest = unsafe {
                if blocks + more < images {
                    epoch.forward(from, round, 0, length)?
                } else {
                    epoch.receive(from, round, 0, length)?
                }
            };
            for owner in owners(from) {
                let (part, others) = rest.split_at(slab.block(owner).len());
                place(owner, part);
                rest = others;
            }
            blocks += more;
            round += 1;
        }
        Ok(())
    }
}
