//! The steps of an image.

use std::ops::Range;

use crate::schedule::tree::{Tree, TreeNode};

/// What an image does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Copies its own values of these blocks to a region of its buffer, as a part of the next piece.
    Stage {
        /// The blocks.
        blocks: Range<usize>,
        /// The region.
        region: usize,
    },
    /// Publishes what it has copied to its buffer since the last piece, as the next one.
    Publish,
    /// Image `to` receives these blocks of the region, which this image has published: the other end of a `Receive`.
    Send {
        /// The image.
        to: usize,
        /// The blocks.
        blocks: Range<usize>,
        /// The region.
        region: usize,
    },
    /// Receives these blocks of the region of image `from`, when that has published so many pieces.
    Receive {
        /// The image.
        from: usize,
        /// How many pieces it has published then.
        pieces: usize,
        /// The blocks.
        blocks: Range<usize>,
        /// The region.
        region: usize,
        /// What becomes of them.
        then: Then,
    },
}

/// What becomes of blocks that an image has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// They replace its own.
    Keep,
    /// They go to this region of its buffer, as a part of the next piece.
    Forward(usize),
    /// Both.
    KeepAndForward(usize),
    /// They are combined with its own, which are of earlier images.
    Append,
    /// They are combined with its own, which are of later images.
    Prepend,
    /// The same; in a scan that leaves out an image's own values, no image receives the combination.
    PrependLast,
}

/// What one image does, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<Step>);

/// Most schedules have no more steps: they are allocated at once.
const STEPS: usize = 16;

impl Schedule {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(STEPS))
    }

    /// Local. The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    pub(super) fn stage(&mut self, blocks: Range<usize>, region: usize) {
        self.0.push(Step::Stage { blocks, region });
    }

    pub(super) fn publish(&mut self) {
        self.0.push(Step::Publish);
    }

    pub(super) fn send(&mut self, to: usize, blocks: Range<usize>, region: usize) {
        self.0.push(Step::Send { to, blocks, region });
    }

    /// Publishes blocks, which one image receives.
    pub(super) fn pass(&mut self, to: usize, blocks: Range<usize>, region: usize) {
        self.stage(blocks.clone(), region);
        self.publish();
        self.send(to, blocks, region);
    }

    pub(super) fn receive(
        &mut self,
        from: usize,
        pieces: usize,
        blocks: Range<usize>,
        region: usize,
        then: Then,
    ) {
        self.0.push(Step::Receive {
            from,
            pieces,
            blocks,
            region,
            then,
        });
    }

    /// Sends each child of a node blocks of the region: the largest subtree first, which takes longest.
    pub(super) fn send_down(
        &mut self,
        node: &TreeNode,
        tree: &Tree,
        region: usize,
        blocks: impl Fn(&Range<usize>) -> Range<usize>,
    ) {
        let mut children: Vec<_> = node.children.iter().collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.len()));
        for child in children {
            self.send(tree.image(child.start), blocks(child), region);
        }
    }
}
