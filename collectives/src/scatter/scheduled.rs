//! Scatters by schedules: down a tree.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use crate::blocks::overlap;
use crate::epoch::Epoch;
use crate::epoch::execute::{Operands, Places};
use crate::epoch::incoming::Incoming;
use crate::scatter::Scattering;
use crate::schedule::{Layout, Then, scatter};

impl Scattering<'_> {
    /// Those elements of the blocks pass that lie in the window.
    pub(super) fn scheduled<'v, T: Remote>(
        &self,
        epoch: Epoch<'_, T>,
        layout: &Layout,
        window: &Range<usize>,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let inside = |subtree: &Range<usize>| overlap(&self.blocks.range(subtree.clone()), window);
        let schedule = scatter(&self.tree, self.team.index(), |subtree| {
            !inside(subtree).is_empty()
        });
        let mut operands = Dealing {
            scattering: self,
            window,
            block,
            place,
        };
        let places = Places::new(layout, window.clone(), |_| 0);
        // SAFETY: images that have compared calls have the same tree, and all know the lengths of all blocks.
        unsafe { epoch.execute(&schedule, &places, &mut operands) }
    }
}

/// What the root has, and an image gets, in a scatter.
struct Dealing<'a, 's, B, P> {
    scattering: &'a Scattering<'s>,
    window: &'a Range<usize>,
    block: &'a B,
    place: &'a mut P,
}

impl<'v, T, B, P> Operands<T> for Dealing<'_, '_, B, P>
where
    T: Remote,
    B: Fn(usize) -> &'v [T],
    P: FnMut(usize, Incoming<'_, T>),
{
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        let Scattering {
            tree, blocks: all, ..
        } = self.scattering;
        for (position, part) in all.within(blocks.clone(), self.window.clone()) {
            stage(&(self.block)(tree.image(position))[part]);
        }
    }

    /// Those of the image's own block come first.
    fn take(&mut self, blocks: &Range<usize>, _: Then, values: &[T]) {
        let own = blocks.start..blocks.start + 1;
        for (_, part) in self.scattering.blocks.within(own, self.window.clone()) {
            (self.place)(part.start, values[..part.len()].into());
        }
    }
}
