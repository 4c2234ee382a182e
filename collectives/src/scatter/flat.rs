//! Every image reads its block from the root.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::epoch::Epoch;
use crate::epoch::incoming::Incoming;
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
}
