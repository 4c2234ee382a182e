//! Allgathers by schedules: around a ring, by doubling distances, up a tree and down again.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::Algorithm;
use crate::allgather::Gathering;
use crate::blocks::{Blocks, overlap};
use crate::epoch::Epoch;
use crate::epoch::execute::{Operands, Places};
use crate::epoch::incoming::Incoming;
use crate::schedule::{Layout, Then, Tree, allgather};

impl Gathering<'_> {
    /// At most `most` elements of all blocks together pass at a time.
    pub(super) fn scheduled<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        algorithm: Algorithm,
        most: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (team, me, images) = (self.team, self.team.index(), self.team.images());
        let tree = Tree::from(0, algorithm, team);
        let schedule = allgather(algorithm, &tree, me);
        for (number, window) in self.blocks.slabs(images, most).enumerate() {
            let slab = match self.blocks.slab(&window) {
                slab @ Blocks::Equal(_) => slab,
                slab @ Blocks::Starts(_) => {
                    let length = |position| slab.block(tree.image(position)).len();
                    Blocks::of((0..images).map(length))
                }
            };
            let layout = Layout::of(slab, images);
            // By doubling distances, the blocks in each buffer begin with its image's own.
            let is_rotated = algorithm == Algorithm::RecursiveDoubling;
            let begin = |image: usize| match is_rotated {
                true => layout.elements(&(0..image)).end,
                false => 0,
            };
            let places = Places::new(&layout, 0..layout.length(), begin);
            let mut operands = Collecting {
                tree: &tree,
                layout: &layout,
                me,
                own: &values[overlap(&(0..values.len()), &window)],
                place: |image: usize, part: &[T]| place(image, window.start, part.into()),
            };
            let epoch = Epoch::begin(team, call, first + number);
            // SAFETY: images that have compared calls have the same algorithm and tree, and all know the lengths of all blocks.
            unsafe { epoch.execute(&schedule, &places, &mut operands)? };
        }
        Ok(())
    }
}

/// What an image has, and gets, in an allgather. The blocks are in the order of the positions of the tree.
struct Collecting<'a, T, F> {
    tree: &'a Tree,
    layout: &'a Layout,
    me: usize,
    own: &'a [T],
    place: F,
}

impl<T: Remote, F: FnMut(usize, &[T])> Operands<T> for Collecting<'_, T, F> {
    fn own(&self, _: &Range<usize>, mut stage: impl FnMut(&[T])) {
        stage(self.own);
    }

    fn take(&mut self, blocks: &Range<usize>, _: Then, values: &[T]) {
        let images = self.tree.images();
        let mut rest = values;
        for block in blocks.clone() {
            let (part, others) = rest.split_at(self.layout.elements(&(block..block + 1)).len());
            let image = self.tree.image(block % images);
            if image != self.me {
                (self.place)(image, part);
            }
            rest = others;
        }
    }
}
