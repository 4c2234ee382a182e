//! The messages of the collective operations, from or to image 0 where there is a root.
//!
//! They are those of the library when all values of an image pass in one epoch, which `tests` compares. The barrier at
//! the end of an epoch is not included.

use coarray_collectives::schedule::Plan;
use coarray_collectives::{Algorithm, Kind};

use crate::model::alltoall::{Lengths, Order, alltoall};
use crate::model::network::Network;
use crate::model::scheduled::{Nodes, all_alike, carry_out};

/// The size of an element.
pub const ELEMENT: u64 = 8;

/// From this number of images on, with slices of equal length, every further image costs the same.
const SOME: usize = 128;

/// A collective operation by one algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    pub kind: Kind,
    pub algorithm: Algorithm,
    /// Of one image's values, or of one block where an image has one for each.
    pub elements: u64,
    /// Images on a node, for the hierarchical algorithm.
    pub per_node: usize,
}

/// The kinds that are modelled. The reproducible sums are reductions of words by another algorithm, and more than
/// messages.
pub const KINDS: [Kind; 9] = [
    Kind::Broadcast,
    Kind::Reduce,
    Kind::ReduceTo,
    Kind::Gather,
    Kind::Allgather,
    Kind::Scatter,
    Kind::Alltoall,
    Kind::ReduceScatter,
    Kind::Scan,
];

impl Collective {
    /// Lets the messages pass.
    pub fn run(&self, network: &mut Network) {
        if let Some(plan) = self.plan(network.images(), self.elements) {
            return self.run_plan(network, &plan);
        }
        let bytes = self.elements * ELEMENT;
        match (self.kind, self.algorithm) {
            (Kind::Reduce, Algorithm::ReduceScatterAllgather) => {
                let shares = self.slices(network.images());
                let share = |image: usize| shares[image];
                alltoall(network, Order::Ascending, Lengths::To(&share));
                alltoall(network, Order::Ascending, Lengths::From(&share));
            }
            (Kind::ReduceTo, _) => {
                let shares = self.slices(network.images());
                alltoall(
                    network,
                    Order::Ascending,
                    Lengths::To(&|image| shares[image]),
                );
                collect(network, &shares);
            }
            (Kind::Scan, _) => alltoall(network, Order::Later, Lengths::Equal(bytes)),
            (Kind::Allgather, _) | (_, Algorithm::Pairwise) => {
                alltoall(network, Order::Around, Lengths::Equal(bytes));
            }
            _ => alltoall(network, Order::Ascending, Lengths::Equal(bytes)),
        }
    }

    fn plan(&self, images: usize, elements: u64) -> Option<Plan> {
        let nodes = Nodes {
            images,
            per_node: self.per_node,
        };
        Plan::new(self.kind, self.algorithm, &nodes, elements as usize)
    }

    fn run_plan(&self, network: &mut Network, plan: &Plan) {
        let images = network.images();
        if network.is_exhaustive {
            return carry_out(network, plan, ELEMENT);
        }
        match (self.kind, self.algorithm) {
            (Kind::Broadcast, Algorithm::ScatterAllgather) => self.scatter_allgather(network),
            (Kind::Reduce, Algorithm::RecursiveDoubling) if images.is_power_of_two() => {
                all_alike(network, plan, ELEMENT);
            }
            (Kind::Allgather, Algorithm::RecursiveDoubling) | (_, Algorithm::Ring) => {
                // All slices are as long as the longest.
                let elements = match self.kind {
                    Kind::Reduce => self.elements.next_multiple_of(images as u64),
                    _ => self.elements,
                };
                if let Some(plan) = self.plan(images, elements) {
                    all_alike(network, &plan, ELEMENT);
                }
            }
            _ => carry_out(network, plan, ELEMENT),
        }
    }

    /// The bytes of slice `number`, if each image has one.
    pub fn slice(&self, images: usize, number: usize) -> u64 {
        let place = |number: usize| u128::from(self.elements) * number as u128 / images as u128;
        (place(number + 1) - place(number)) as u64 * ELEMENT
    }

    fn slices(&self, images: usize) -> Vec<u64> {
        (0..images)
            .map(|number| self.slice(images, number))
            .collect()
    }

    fn scatter_allgather(&self, network: &mut Network) {
        let images = network.images();
        let longest = self.elements.div_ceil(images as u64);
        let time = |images: usize| {
            let mut some = Network::new(network.machine, images);
            if let Some(plan) = self.plan(images, longest * images as u64) {
                carry_out(&mut some, &plan, ELEMENT);
            }
            some.time()
        };
        let (less, more) = (time(SOME), time(2 * SOME));
        let further = (images - 2 * SOME) as f64 / SOME as f64;
        network.go_on_at(more + (more - less) * further);
    }
}

/// Image 0 gets the slices of all others.
fn collect(network: &mut Network, shares: &[u64]) {
    for (image, &bytes) in shares.iter().enumerate().skip(1) {
        if bytes > 0 {
            let packet = network.send(image, 0, bytes);
            network.receive(0, packet);
        }
    }
}
