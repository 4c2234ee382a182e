//! Up a tree: every image publishes its own block and, behind it, the blocks that it reads from its children.
//!
//! In each epoch, each subtree of the root's children passes a window of its blocks as long as a buffer. A binomial tree has
//! the fewest steps (Thakur, Rabenseifner and Gropp 2005, section 3).

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::blocks::{overlap, windows};
use crate::epoch::{Epoch, capacity};
use crate::gather::Gathering;
use crate::tree::{Tree, TreeNode};

impl Gathering<'_> {
    pub(super) fn tree<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let tree = Tree::new(self.algorithm, self.team, &self.order);
        let me = tree.place(self.order.position(self.team.index()));
        let heads = tree.place(0).children;
        let blocks_of = |head: &Range<usize>| self.blocks.range(head.clone());
        let longest = heads.iter().map(|head| blocks_of(head).len()).max();
        for (number, offsets) in windows(0..longest.unwrap_or(0), capacity::<T>()).enumerate() {
            let window = |head: &Range<usize>| {
                let blocks = blocks_of(head);
                let start = blocks.start + offsets.start;
                overlap(&(start..start + offsets.len()), &blocks)
            };
            let mut epoch = Epoch::begin(self.team, call, first + number);
            epoch.begin_steps();
            let above = heads.iter().find(|head| head.contains(&me.subtree.start));
            let steps = match above {
                Some(head) => self.pass_up(&mut epoch, &me, &window(head), values),
                None => heads.iter().try_for_each(|head| {
                    self.receive_window(&epoch, head.clone(), window(head), &mut place)
                }),
            };
            epoch.finish(steps)?;
        }
        Ok(())
    }

    fn pass_up<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        me: &TreeNode,
        window: &Range<usize>,
        values: &[T],
    ) -> Result<(), Abandoned> {
        let inside = |subtree: &Range<usize>| overlap(&self.blocks.range(subtree.clone()), window);
        if inside(&me.subtree).is_empty() {
            return Ok(());
        }
        let position = me.subtree.start;
        for (_, part) in self.blocks.within(position..position + 1, window.clone()) {
            epoch.stage(&values[part]);
        }
        for child in &me.children {
            let length = inside(child).len();
            if length > 0 {
                // SAFETY: the child publishes the elements of its subtree in the window, as one piece, if there are any; it is
                // another image.
                unsafe { epoch.collect(self.order.image(child.start), 1, 0, length)? };
            }
        }
        epoch.publish_staged();
        if let Some(parent) = me.parent {
            epoch.push(self.order.image(parent), inside(&me.subtree).len());
        }
        Ok(())
    }

    /// On the root, reads the window of the subtree of its child `head`.
    fn receive_window<T: Remote>(
        &self,
        epoch: &Epoch<'_, T>,
        head: Range<usize>,
        window: Range<usize>,
        place: &mut impl FnMut(usize, usize, &[T]),
    ) -> Result<(), Abandoned> {
        if window.is_empty() {
            return Ok(());
        }
        let from = self.order.image(head.start);
        // SAFETY: the child publishes the elements of its subtree in the window, as one piece; the window lies in the blocks of
        // that subtree.
        let mut rest = unsafe { epoch.receive(from, 1, 0, window.len())? };
        for (position, part) in self.blocks.within(head, window) {
            let (values, others) = rest.split_at(part.len());
            place(self.order.image(position), part.start, values);
            rest = others;
        }
        Ok(())
    }
}
