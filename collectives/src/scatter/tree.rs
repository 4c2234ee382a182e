//! Down a tree: every image reads the blocks of its subtree from its parent, and publishes them for its children
//! (Thakur, Rabenseifner and Gropp 2005, section 3).

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::blocks::overlap;
use crate::epoch::Epoch;
use crate::scatter::Scattering;
use crate::tree::{Tree, TreeNode};

impl Scattering<'_> {
    pub(super) fn tree<'v, T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        window: &Range<usize>,
        block: &impl Fn(usize) -> &'v [T],
        place: &mut impl FnMut(usize, &[T]),
    ) -> Result<(), ImageFailed> {
        epoch.begin_steps();
        let steps = if self.order.image(0) == self.team.index() {
            let positions = 1..self.team.images();
            for (position, part) in self.blocks.within(positions, window.clone()) {
                epoch.stage(&block(self.order.image(position))[part]);
            }
            epoch.publish_staged();
            if epoch.spans_nodes() {
                self.push_down(&epoch, &self.place(), window);
            }
            Ok(())
        } else {
            self.descend(&mut epoch, window, place)
        };
        epoch.finish(steps)
    }

    fn descend<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        window: &Range<usize>,
        place: &mut impl FnMut(usize, &[T]),
    ) -> Result<(), Abandoned> {
        let me = self.place();
        let inside = overlap(&self.blocks.range(me.subtree.clone()), window);
        let Some(parent) = me.parent.filter(|_| !inside.is_empty()) else {
            return Ok(());
        };
        let start = self.start(parent, window, &inside);
        let from = self.order.image(parent);
        let own = overlap(&self.blocks.block(me.subtree.start), window);
        // SAFETY: the parent, another image, publishes that part as one piece. This image's subtree is a part of the parent's.
        let values = unsafe {
            if own.len() < inside.len() {
                epoch.forward(from, 1, start, inside.len())?
            } else {
                epoch.receive(from, 1, start, inside.len())?
            }
        };
        if !own.is_empty() {
            place(
                own.start - self.blocks.block(me.subtree.start).start,
                &values[..own.len()],
            );
        }
        if epoch.spans_nodes() {
            self.push_down(epoch, &me, window);
        }
        Ok(())
    }

    fn place(&self) -> TreeNode {
        let tree = Tree::new(self.algorithm, self.team, &self.order);
        tree.place(self.order.position(self.team.index()))
    }

    /// Where the part `inside` of the window begins in the piece that the image at position `parent` publishes.
    fn start(&self, parent: usize, window: &Range<usize>, inside: &Range<usize>) -> usize {
        // It publishes the part of the window from its own block on; the window begins behind the root's block.
        inside.start - window.start.max(self.blocks.block(parent).start)
    }

    /// Pushes the blocks of each child's subtree.
    fn push_down<T: Remote>(&self, epoch: &Epoch<'_, T>, me: &TreeNode, window: &Range<usize>) {
        for child in &me.children {
            let inside = overlap(&self.blocks.range(child.clone()), window);
            if !inside.is_empty() {
                let start = self.start(me.subtree.start, window, &inside);
                epoch.push_part(self.order.image(child.start), start, inside.len());
            }
        }
    }
}
