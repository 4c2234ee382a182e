//! Up a tree to image 0, then down again.
//!
//! For the way up, every image publishes the blocks of its subtree as its first piece. For the way down, every image that has
//! children publishes all blocks as its second piece; for image 0 the first piece is all blocks.

use crate::Algorithm;
use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::allgather::Gathering;
use crate::blocks::{Blocks, overlap};
use crate::epoch::Epoch;
use crate::tree::{Order, Tree};

impl Gathering<'_> {
    pub(super) fn tree<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        algorithm: Algorithm,
        most: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let order = Order::from(0, algorithm, self.team);
        let tree = Tree::new(algorithm, self.team, &order);
        for (number, window) in self.blocks.slabs(self.team.images(), most).enumerate() {
            let lengths = |slab: &Blocks, position| slab.block(order.image(position)).len();
            let slab = match self.blocks.slab(&window) {
                slab @ Blocks::Equal(_) => slab,
                slab @ Blocks::Starts(_) => {
                    let positions = 0..self.team.images();
                    Blocks::of(positions.map(|position| lengths(&slab, position)))
                }
            };
            let own = &values[overlap(&(0..values.len()), &window)];
            let mut epoch = Epoch::begin(self.team, call, first + number);
            epoch.begin_steps();
            let place = |image: usize, part: &[T]| place(image, window.start, part);
            let steps = self.up_and_down(&mut epoch, &tree, &order, &slab, own, place);
            epoch.finish(steps)?;
        }
        Ok(())
    }

    /// `slab` has the blocks in the order of the positions.
    fn up_and_down<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        tree: &Tree,
        order: &Order,
        slab: &Blocks,
        own: &[T],
        mut place: impl FnMut(usize, &[T]),
    ) -> Result<(), Abandoned> {
        let images = self.team.images();
        let me = tree.place(order.position(self.team.index()));
        let mut distribute = |start: usize, mut rest: &[T]| {
            let mut position = start;
            while !rest.is_empty() {
                let (part, others) = rest.split_at(slab.block(position).len());
                if position != me.subtree.start {
                    place(order.image(position), part);
                }
                rest = others;
                position += 1;
            }
        };
        epoch.stage(own);
        for child in &me.children {
            let length = slab.range(child.clone()).len();
            // SAFETY: every image publishes the blocks of its subtree as its first piece, and the child is another image.
            let part = unsafe { epoch.collect(order.image(child.start), 1, 0, length)? };
            if me.parent.is_none() {
                distribute(child.start, part);
            }
        }
        epoch.publish_staged();
        let all_blocks = slab.range(0..images).len();
        let push_down = |epoch: &Epoch<'_, T>| {
            if epoch.spans_nodes() {
                let readers = me.children.iter().map(|child| order.image(child.start));
                readers.for_each(|reader| epoch.push(reader, all_blocks));
            }
        };
        let Some(parent) = me.parent else {
            push_down(epoch);
            return Ok(());
        };
        epoch.push(order.image(parent), slab.range(me.subtree.clone()).len());
        let (pieces, start) = match parent {
            0 => (1, 0),
            _ => (2, slab.range(tree.place(parent).subtree).len()),
        };
        let from = order.image(parent);
        // SAFETY: the parent is another image. All blocks are the first piece of image 0, and the second piece of any other
        // parent, behind the blocks of its subtree.
        let all = unsafe {
            if me.children.is_empty() {
                epoch.receive(from, pieces, start, all_blocks)?
            } else {
                epoch.forward(from, pieces, start, all_blocks)?
            }
        };
        distribute(0, all);
        push_down(epoch);
        Ok(())
    }
}
