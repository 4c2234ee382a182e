//! Gathers by schedules: up a tree.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{Blocks, overlap, windows};
use crate::epoch::execute::{Operands, Places};
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity};
use crate::gather::Gathering;
use crate::schedule::{Layout, Then, Tree, gather};

impl Gathering<'_> {
    /// In each epoch, each subtree of the root's children passes a window of its blocks as long as a buffer.
    pub(super) fn scheduled<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (team, tree, blocks) = (self.team, &self.tree, &self.blocks);
        let me = team.index();
        let heads = tree.node(0).children;
        let length = |head: &Range<usize>| blocks.range(head.clone()).len();
        // Where the blocks of the subtree begin that a position is in.
        let begin = |position: usize| {
            let head = heads.iter().find(|head| head.contains(&position));
            head.map_or(0, |head| blocks.range(head.clone()).start)
        };
        let layout = Layout::of(blocks.clone(), tree.images());
        let longest = heads.iter().map(length).max().unwrap_or_default();
        for (number, window) in windows(0..longest, capacity::<T>()).enumerate() {
            let inside = |subtree: &Range<usize>| {
                let start = begin(subtree.start);
                let elements = blocks.range(subtree.clone());
                overlap(&elements, &(start + window.start..start + window.end))
            };
            let schedule = gather(tree, me, |subtree| !inside(subtree).is_empty());
            let mut operands = Passing {
                tree,
                blocks,
                own: values,
                inside,
                place: &mut place,
            };
            let places = Places::new(&layout, window.clone(), |image| begin(tree.position(image)));
            let epoch = Epoch::begin(team, call, first + number);
            // SAFETY: images that have compared calls have the same tree, and all know the lengths of all blocks.
            unsafe { epoch.execute(&schedule, &places, &mut operands)? };
        }
        Ok(())
    }
}

/// What an image has, and gets, in a gather.
struct Passing<'a, T, I, P> {
    tree: &'a Tree,
    blocks: &'a Blocks,
    own: &'a [T],
    /// Returns the elements of blocks that pass.
    inside: I,
    place: &'a mut P,
}

impl<T, I, P> Operands<T> for Passing<'_, T, I, P>
where
    T: Remote,
    I: Fn(&Range<usize>) -> Range<usize>,
    P: FnMut(usize, usize, Incoming<'_, T>),
{
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        for (_, part) in self.blocks.within(blocks.clone(), (self.inside)(blocks)) {
            stage(&self.own[part]);
        }
    }

    fn take(&mut self, blocks: &Range<usize>, _: Then, values: &[T]) {
        let mut rest = values;
        for (position, part) in self.blocks.within(blocks.clone(), (self.inside)(blocks)) {
            let (values, others) = rest.split_at(part.len());
            (self.place)(self.tree.image(position), part.start, values.into());
            rest = others;
        }
    }
}
