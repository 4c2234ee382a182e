//! Schedules: what each image does in an algorithm that passes data on, as data.
//!
//! A schedule says which blocks of the values an image publishes, who receives them, and what becomes of what it receives itself. It knows
//! neither values nor memory. The executor of blocking calls, in `epoch/execute.rs`, moves real values by it, and the model of `cobench`
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
mod layout;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod step;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;

use crate::{Algorithm, Kind};

pub(crate) use allgather::allgather;
pub(crate) use broadcast::broadcast;
pub(crate) use gather::gather;
pub(crate) use layout::Layout;
pub(crate) use reduce::{reduce, regions as reduce_regions};
pub(crate) use reduce_scatter::reduce_scatter;
pub(crate) use scan::{pieces as scan_pieces, regions as scan_regions, scan};
pub(crate) use scatter::scatter;
pub use step::{Schedule, Step, Then};
pub use tree::Group;
pub(crate) use tree::Tree;

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
            (
                _,
                Algorithm::Eager
                | Algorithm::ReduceScatterAllgather
                | Algorithm::Pairwise
                | Algorithm::InPlace,
            ) => {
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
