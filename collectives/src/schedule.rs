//! Schedules: what each image does in an algorithm that passes data on, as data.
//!
//! A schedule says which blocks of the values an image publishes, who receives them, and what becomes of what it receives itself. It knows
//! neither values nor memory. The [executor](crate::epoch::execute) of blocking calls moves real values by it, and the model of `cobench`
//! messages that nobody sends, so what the model predicts is what runs. Every call makes the schedules anew, on each image its own: they are
//! functions of the operation, the number of the image, and nothing that images could disagree about after they have compared calls.
//!
//! # Blocks and regions
//! The values of an operation consist of blocks, one behind the other: one for each image, slices, or just one. What an image publishes
//! lies in its buffer, in the order of the blocks. If an algorithm publishes a block twice, the second time is in another *region* of the
//! buffer, so that no place is written twice. Blocks that are numbered around the images may go on behind the last with the first.

mod allgather;
mod broadcast;
mod gather;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;

use coarray_runtime::Team;

use crate::blocks::Blocks;
use crate::epoch::slice;
use crate::{Algorithm, Kind};

pub(crate) use allgather::allgather;
pub(crate) use broadcast::broadcast;
pub(crate) use gather::gather;
pub(crate) use reduce::{reduce, regions as reduce_regions};
pub(crate) use reduce_scatter::reduce_scatter;
pub(crate) use scan::{pieces as scan_pieces, regions as scan_regions, scan};
pub(crate) use scatter::scatter;
pub(crate) use tree::Tree;
use tree::TreeNode;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    steps: Vec<Step>,
    /// How many pieces it publishes.
    pieces: usize,
}

impl Schedule {
    /// Local. The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn stage(&mut self, blocks: Range<usize>, region: usize) {
        self.steps.push(Step::Stage { blocks, region });
    }

    fn publish(&mut self) {
        self.pieces += 1;
        self.steps.push(Step::Publish);
    }

    fn send(&mut self, to: usize, blocks: Range<usize>, region: usize) {
        self.steps.push(Step::Send { to, blocks, region });
    }

    /// Publishes blocks, which one image receives.
    fn pass(&mut self, to: usize, blocks: Range<usize>, region: usize) {
        self.stage(blocks.clone(), region);
        self.publish();
        self.send(to, blocks, region);
    }

    fn receive(
        &mut self,
        from: usize,
        pieces: usize,
        blocks: Range<usize>,
        region: usize,
        then: Then,
    ) {
        self.steps.push(Step::Receive {
            from,
            pieces,
            blocks,
            region,
            then,
        });
    }

    /// Sends each child of a node blocks of the region: the largest subtree first, which takes longest.
    fn send_down(
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

/// The images of an operation, and on which nodes they are.
pub trait Group {
    /// How many they are.
    fn images(&self) -> usize;
    /// The node of an image. The images of a node follow one another.
    fn node(&self, image: usize) -> usize;
}

impl Group for Team {
    fn images(&self) -> usize {
        self.images()
    }

    fn node(&self, image: usize) -> usize {
        self.node(image)
    }
}

/// The blocks of an operation, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    division: Division,
    count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Division {
    Blocks(Blocks),
    /// So many elements in slices of about the same length.
    Slices(usize),
    /// So many elements, of which each block but the last has `most`.
    Windows {
        length: usize,
        most: usize,
    },
}

impl Layout {
    /// The first `count` of these blocks.
    pub(crate) fn of(blocks: Blocks, count: usize) -> Self {
        let division = Division::Blocks(blocks);
        Self { division, count }
    }

    /// `count` blocks of `length` elements.
    pub(crate) fn equal(count: usize, length: usize) -> Self {
        Self::of(Blocks::Equal(length), count)
    }

    /// `length` elements in `count` slices.
    pub(crate) fn slices(count: usize, length: usize) -> Self {
        let division = Division::Slices(length);
        Self { division, count }
    }

    /// `length` elements in `count` blocks, of which each but the last has `most`.
    fn windows(count: usize, most: usize, length: usize) -> Self {
        let division = Division::Windows { length, most };
        Self { division, count }
    }

    /// Where the elements of these blocks are. Behind the last block comes the first again.
    pub(crate) fn elements(&self, blocks: &Range<usize>) -> Range<usize> {
        let start = |block: usize| match block < self.count {
            true => self.start(block),
            false => self.length() + self.start(block - self.count),
        };
        start(blocks.start)..start(blocks.end)
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.count
    }

    /// The number of elements of all blocks.
    pub(crate) fn length(&self) -> usize {
        self.start(self.count)
    }

    fn start(&self, block: usize) -> usize {
        match &self.division {
            Division::Blocks(blocks) => blocks.range(0..block).end,
            Division::Slices(length) => slice(*length, self.count, block).start,
            Division::Windows { length, most } => (most * block).min(*length),
        }
    }
}

/// The schedules of all images in an operation by an algorithm that passes data on, for models of networks.
///
/// # Examples
/// In a ring an image sends to the next one only:
/// ```
/// use coarray_collectives::schedule::{Group, Plan, Step};
/// use coarray_collectives::{Algorithm, Kind};
///
/// struct Seven;
///
/// impl Group for Seven {
///     fn images(&self) -> usize {
///         7
///     }
///
///     fn node(&self, image: usize) -> usize {
///         image / 4
///     }
/// }
///
/// let plan = Plan::new(Kind::Allgather, Algorithm::Ring, &Seven, 100).unwrap();
/// let schedule = plan.schedule(3);
/// let sent = schedule.steps().iter().filter_map(|step| match step {
///     Step::Send { to, blocks, .. } => Some((*to, plan.elements(blocks))),
///     _ => None,
/// });
/// assert!(sent.eq([(4, 100); 6]));
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Debug)]
pub struct Plan {
    kind: Kind,
    algorithm: Algorithm,
    tree: Tree,
    layout: Layout,
}

impl Plan {
    /// Local. The plan of an operation from or to image 0, if it has a root, in which each image has `elements` elements, or as many for
    /// each other image. None for an algorithm in which images read what they need straight from those that have it.
    ///
    /// # Examples
    /// See [`Plan`].
    #[must_use]
    pub fn new(
        kind: Kind,
        algorithm: Algorithm,
        group: &impl Group,
        elements: usize,
    ) -> Option<Self> {
        let images = group.images();
        let is_rooted = matches!(
            kind,
            Kind::Broadcast | Kind::ReduceTo | Kind::Gather | Kind::Scatter
        );
        let layout = match (kind, algorithm) {
            (_, Algorithm::Eager | Algorithm::ReduceScatterAllgather | Algorithm::Pairwise) => {
                return None;
            }
            (_, Algorithm::Flat) if !is_rooted => return None,
            (Kind::Broadcast, Algorithm::ScatterAllgather) | (Kind::Reduce, Algorithm::Ring) => {
                Layout::slices(images, elements)
            }
            (Kind::Scan, Algorithm::Chain) => scan_pieces(elements),
            (Kind::Broadcast | Kind::Reduce | Kind::ReduceTo | Kind::Scan, _) => {
                Layout::equal(1, elements)
            }
            (Kind::Gather | Kind::Scatter | Kind::Allgather | Kind::ReduceScatter, _) => {
                Layout::equal(images, elements)
            }
            (Kind::Alltoall | Kind::SumReproducible | Kind::TotalReproducible, _) => return None,
        };
        Some(Self {
            kind,
            algorithm,
            tree: Tree::from(0, algorithm, group),
            layout,
        })
    }

    /// Local. What image `me` does.
    ///
    /// # Examples
    /// See [`Plan`].
    #[must_use]
    pub fn schedule(&self, me: usize) -> Schedule {
        let (algorithm, tree) = (self.algorithm, &self.tree);
        match self.kind {
            Kind::Broadcast => broadcast(algorithm, tree, me),
            Kind::Reduce => reduce(algorithm, tree, me, None),
            Kind::ReduceTo => reduce(algorithm, tree, me, Some(0)),
            Kind::Gather => gather(tree, me, |_| true),
            Kind::Scatter => scatter(tree, me, |_| true),
            Kind::Allgather => allgather(algorithm, tree, me),
            Kind::ReduceScatter => reduce_scatter(algorithm, tree, me),
            Kind::Scan => scan(algorithm, tree.images(), me, self.layout.blocks()),
            Kind::Alltoall | Kind::SumReproducible | Kind::TotalReproducible => {
                unreachable!("no plan is made of these")
            }
        }
    }

    /// Local. The number of elements of these blocks.
    ///
    /// # Examples
    /// See [`Plan`].
    #[must_use]
    pub fn elements(&self, blocks: &Range<usize>) -> usize {
        self.layout.elements(blocks).len()
    }
}
