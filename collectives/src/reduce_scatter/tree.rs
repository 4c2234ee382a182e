//! Up a tree to image 0, which gets all results; then every image reads the results of its subtree from its parent.

use crate::Algorithm;
use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::Epoch;
use crate::operator::append;
use crate::reduce_scatter::Reduction;
use crate::tree::{Order, Tree, TreeNode};

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    pub(super) fn tree(&self, call: &Call, most: usize, mine: &mut [T]) -> Result<(), ImageFailed> {
        let order = Order::natural(self.team);
        let tree = Tree::new(Algorithm::Binomial, self.team, &order);
        let me = tree.place(self.team.index());
        let mut all = Vec::new();
        for (number, window) in windows(0..mine.len(), most).enumerate() {
            all.clear();
            for image in 0..self.team.images() {
                all.extend_from_slice(&self.block(image)[window.clone()]);
            }
            let mut epoch = Epoch::begin(self.team, call, number);
            epoch.begin_steps();
            let steps = self.up_and_down(&mut epoch, &me, &mut all, &mut mine[window]);
            epoch.finish(steps)?;
        }
        Ok(())
    }

    fn up_and_down(
        &self,
        epoch: &mut Epoch<'_, T>,
        me: &TreeNode,
        all: &mut [T],
        mine: &mut [T],
    ) -> Result<(), Abandoned> {
        let length = mine.len();
        for child in &me.children {
            // SAFETY: every child first publishes the piece that it sends up, which is as long as `all`.
            let values = unsafe { epoch.receive(child.start, 1, 0, all.len())? };
            append(all, values, &self.operator);
        }
        epoch.publish(all);
        let Some(parent) = me.parent else {
            push_results(epoch, me, 0, length);
            mine.copy_from_slice(&all[..length]);
            return Ok(());
        };
        epoch.push(parent, all.len());
        // Image 0 publishes only the results; other parents first publish the piece that they send up.
        let (pieces, start) = if parent == 0 { (1, 0) } else { (2, all.len()) };
        let start = start + (me.subtree.start - parent) * length;
        let results = me.subtree.len() * length;
        // SAFETY: the parent publishes the results of its subtree as this piece, from its own on. This image's subtree is a part
        // of that one. The parent is another image.
        let results = unsafe {
            if me.children.is_empty() {
                epoch.receive(parent, pieces, start, results)?
            } else {
                epoch.forward(parent, pieces, start, results)?
            }
        };
        mine.copy_from_slice(&results[..length]);
        push_results(epoch, me, all.len(), length);
        Ok(())
    }
}

/// Pushes the results of each child's subtree, `length` elements for each image. Those of this image's subtree begin at `start`.
fn push_results<T: Remote>(epoch: &Epoch<'_, T>, me: &TreeNode, start: usize, length: usize) {
    if epoch.spans_nodes() {
        for child in &me.children {
            let place = start + (child.start - me.subtree.start) * length;
            epoch.push_part(child.start, place, child.len() * length);
        }
    }
}
