//! Blocks pass around a ring: every image reads only from the image before it, first that image's own block, then the blocks
//! that it has read (Thakur, Rabenseifner and Gropp 2005, section 4.1).

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::allgather::Gathering;
use crate::blocks::{Blocks, overlap};
use crate::epoch::{Epoch, capacity};

impl Gathering<'_> {
    pub(super) fn ring<T: Remote>(
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
            let steps = self.around(&mut epoch, &slab, own, place);
            epoch.finish(steps)?;
        }
        Ok(())
    }

    fn around<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        slab: &Blocks,
        own: &[T],
        mut place: impl FnMut(usize, &[T]),
    ) -> Result<(), Abandoned> {
        let (me, images) = (self.team.index(), self.team.images());
        let (before, after) = ((me + images - 1) % images, (me + 1) % images);
        epoch.publish(own);
        epoch.push(after, own.len());
        let mut start = 0;
        for round in 1..images {
            let owner = (me + images - round) % images;
            let length = slab.block(owner).len();
            // SAFETY: the image before publishes its own block first, then those that it reads in rounds 1, 2, ...: piece
            // `round` is the block of `owner`. `start` is the length of the pieces before.
            let part = unsafe {
                if round < images - 1 {
                    epoch.forward(before, round, start, length)?
                } else {
                    epoch.receive(before, round, start, length)?
                }
            };
            place(owner, part);
            if round < images - 1 {
                epoch.push(after, length);
            }
            start += length;
        }
        Ok(())
    }
}
