//! Every image reads its block from the root, or where the root has written it, in its own buffer.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{overlap, windows};
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity};
use crate::scatter::Scattering;

impl Scattering<'_> {
    pub(super) fn flat<'v, T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        window: &Range<usize>,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let root = self.tree.image(0);
        let me = self.tree.position(self.team.index());
        if me == 0 {
            let mut start = 0;
            let positions = 1..self.team.images();
            for (position, part) in self.blocks.within(positions, window.clone()) {
                let values = &block(self.tree.image(position))[part];
                // SAFETY: no image reads this buffer before the barrier.
                unsafe { epoch.write(start, values) };
                start += values.len();
            }
        }
        epoch.barrier()?;
        if me == 0 {
            return Ok(());
        }
        for (_, part) in self.blocks.within(me..me + 1, window.clone()) {
            let start = self.blocks.block(me).start + part.start - window.start;
            // SAFETY: before the barrier the root wrote the elements of all others' blocks in the window, one after the other. It
            // writes no more in this epoch.
            place(part.start, unsafe {
                epoch.incoming(root, start, part.len())
            });
        }
        Ok(())
    }

    /// In epochs `number ..`, the root writes a part of every block to the buffer of the image that gets it, so that few epochs are enough. All
    /// images share memory, and have just compared calls. `place` does not panic.
    pub(super) fn to_buffers<'v, T: Remote>(
        &self,
        call: &Call,
        number: usize,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (team, root) = (self.team, self.tree.image(0));
        let me = self.tree.position(team.index());
        let others = 1..team.images();
        let length = |position: usize| self.blocks.block(position).len();
        let longest = others.clone().map(length).max().unwrap_or_default();
        for (number, window) in (number..).zip(windows(0..longest, capacity::<T>())) {
            let part = |position: usize| overlap(&(0..length(position)), &window);
            let mut epoch = Epoch::begin(team, call, number);
            if me == 0 {
                for position in others.clone() {
                    let image = self.tree.image(position);
                    // SAFETY: the root alone writes in this epoch, and each image reads its own buffer after the barrier. No image runs anything of
                    // the program in these epochs, or allocates: `mine` of a `co_scatter` is as long, and a `co_scatterv` has made room before.
                    unsafe { epoch.write_to(image, &block(image)[part(position)]) };
                }
            }
            epoch.barrier()?;
            if me != 0 {
                let part = part(me);
                // SAFETY: the root wrote this part before the barrier.
                let values = unsafe { epoch.written_by(root, part.len()) };
                place(part.start, values.into());
            }
        }
        Ok(())
    }
}
