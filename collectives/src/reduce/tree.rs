//! Up a tree to image 0, then down again, or straight to the image that gets the results.
//!
//! Subtrees are ranges of images, so the values are combined in the order of the images.

use crate::Algorithm;
use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::epoch::Epoch;
use crate::reduce::Reduction;
use crate::tree::{Order, Tree, TreeNode};

impl<F> Reduction<'_, F> {
    pub(super) fn tree<T: Remote>(
        &self,
        mut epoch: Epoch<'_, T>,
        algorithm: Algorithm,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        epoch.begin_steps();
        let order = Order::natural(self.team);
        let place = Tree::new(algorithm, self.team, &order).place(self.team.index());
        let steps = match self.root {
            None => self.up_and_down(&mut epoch, &place, chunk),
            Some(root) => self.up_and_over(&mut epoch, &place, chunk, root),
        };
        epoch.finish(steps)
    }

    fn up_and_down<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        place: &TreeNode,
        chunk: &mut [T],
    ) -> Result<(), Abandoned>
    where
        F: Fn(T, T) -> T,
    {
        let length = chunk.len();
        self.collect(epoch, place, chunk)?;
        if let Some(parent) = place.parent {
            epoch.publish(chunk);
            epoch.push(parent, length);
            // Image 0 publishes only the results; other parents first publish the piece that they send up.
            let (pieces, start) = if parent == 0 { (1, 0) } else { (2, length) };
            // SAFETY: the parent publishes the results as this piece, behind `start` elements; every piece is as long as the chunk.
            unsafe { epoch.receive_into(parent, pieces, start, chunk)? };
        }
        if !place.children.is_empty() {
            epoch.publish(chunk);
            if epoch.spans_nodes() {
                let readers = place.children.iter().map(|child| child.start);
                readers.for_each(|reader| epoch.push(reader, length));
            }
        }
        Ok(())
    }

    fn up_and_over<T: Remote>(
        &self,
        epoch: &mut Epoch<'_, T>,
        place: &TreeNode,
        chunk: &mut [T],
        root: usize,
    ) -> Result<(), Abandoned>
    where
        F: Fn(T, T) -> T,
    {
        let me = self.team.index();
        if me == root && root == 0 {
            return self.collect(epoch, place, chunk);
        }
        if place.children.is_empty() {
            epoch.publish(chunk);
        } else {
            let mut kept = chunk.to_vec();
            self.collect(epoch, place, &mut kept)?;
            epoch.publish(&kept);
        }
        epoch.push(place.parent.unwrap_or(root), chunk.len());
        if me == root {
            // SAFETY: image 0 publishes one piece, the results, which is as long as the chunk.
            unsafe { epoch.receive_into(0, 1, 0, chunk)? };
        }
        Ok(())
    }

    /// Combines `result`, this image's own values, with those of its children's subtrees.
    fn collect<T: Remote>(
        &self,
        epoch: &Epoch<'_, T>,
        place: &TreeNode,
        result: &mut [T],
    ) -> Result<(), Abandoned>
    where
        F: Fn(T, T) -> T,
    {
        for child in &place.children {
            // SAFETY: every child publishes the piece that it sends up first; it is as long as the chunk.
            let values = unsafe { epoch.receive(child.start, 1, 0, result.len())? };
            self.append(result, values);
        }
        Ok(())
    }
}
