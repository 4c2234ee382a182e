//! Every image reads its block from the root; on one node, where the root has written it, in its own buffer.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::blocks::overlap;
use crate::epoch::Epoch;
use crate::epoch::incoming::Incoming;
use crate::scatter::Scattering;

impl Scattering<'_> {
    /// The root writes part `window` of each block to the buffer of the image that it is for, so that few barriers are enough.
    pub(super) fn to_buffers<'v, T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        window: &Range<usize>,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let root = self.tree.image(0);
        let me = self.tree.position(self.team.index());
        let part = |position: usize| overlap(&(0..self.blocks.block(position).len()), window);
        if me == 0 {
            for position in 1..self.team.images() {
                let image = self.tree.image(position);
                // SAFETY: the root alone writes in this epoch, and nobody reads before the barrier. All images share memory.
                unsafe { epoch.write_to(image, 0, &block(image)[part(position)]) };
            }
        }
        epoch.barrier()?;
        if me != 0 {
            let part = part(me);
            // SAFETY: before the barrier the root wrote these elements, and writes no more in this epoch.
            place(part.start, unsafe {
                epoch.written_by(root, 0, part.len()).into()
            });
        }
        Ok(())
    }

    /// The root writes the elements in `window` of all blocks but its own to its buffer.
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
}
