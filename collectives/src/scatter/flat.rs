//! Everyone reads its values from the root.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::scatter::Scattering;
use crate::turn::Turn;

impl Scattering<'_> {
    pub(super) fn flat<'v, T: Remote>(
        &self,
        mut turn: Turn<'_, T>,
        window: &Range<usize>,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let root = self.order.image(0);
        let me = self.order.position(self.team.index());
        if me == 0 {
            let mut start = 0;
            let positions = 1..self.team.images();
            for (position, part) in self.blocks.within(positions, window.clone()) {
                let values = &block(self.order.image(position))[part];
                // SAFETY: nobody reads our half before the meeting.
                unsafe { turn.write(start, values) };
                start += values.len();
            }
        }
        turn.barrier()?;
        if me == 0 {
            return Ok(());
        }
        for (_, part) in self.blocks.within(me..me + 1, window.clone()) {
            let start = self.blocks.block(me).start + part.start - window.start;
            // SAFETY: the root wrote what the blocks of all others have in the window, one after the other, and
            // writes no more.
            place(part.start, unsafe { turn.read(root, start, part.len()) });
        }
        Ok(())
    }
}
