//! The messages of the collective operations, from or to image 0 where there is a root.
//!
//! They are those of the library when all values of an image pass in one epoch, which `tests` compares. The barrier at
//! the end of an epoch is not included.

use coarray_collectives::{Algorithm, Kind};

use crate::model::alltoall::{Lengths, Order, alltoall};
use crate::model::doubling;
use crate::model::machine::LogGp;
use crate::model::network::Network;
use crate::model::ring::{chain, deal_and_pass_on, ring};
use crate::model::tree::{Shape, down, up};

/// The size of an element.
pub const ELEMENT: u64 = 8;

/// The most pieces of a chain, as in the library.
const PIECES: u64 = 8;

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
        let bytes = self.elements * ELEMENT;
        let whole = move |_: usize| bytes;
        let by_images = move |images: usize| bytes * images as u64;
        match self.kind {
            Kind::Broadcast => match self.algorithm {
                Algorithm::ScatterAllgather => self.scatter_allgather(network),
                _ => down(network, self.shape(), whole),
            },
            Kind::Reduce => match self.algorithm {
                Algorithm::Flat => alltoall(network, Order::Ascending, Lengths::Equal(bytes)),
                Algorithm::ReduceScatterAllgather => {
                    let shares = self.slices(network.images());
                    let share = |image: usize| shares[image];
                    alltoall(network, Order::Ascending, Lengths::To(&share));
                    alltoall(network, Order::Ascending, Lengths::From(&share));
                }
                Algorithm::RecursiveDoubling => doubling::exchange(network, bytes),
                Algorithm::Ring => self.ring_of_slices(network),
                _ => {
                    up(network, self.shape(), whole);
                    down(network, self.shape(), whole);
                }
            },
            Kind::ReduceTo if self.algorithm == Algorithm::ReduceScatterAllgather => {
                let shares = self.slices(network.images());
                alltoall(
                    network,
                    Order::Ascending,
                    Lengths::To(&|image| shares[image]),
                );
                collect(network, &shares);
            }
            Kind::ReduceTo => up(network, self.shape(), whole),
            Kind::Gather => up(network, self.shape(), by_images),
            Kind::Scatter => down(network, self.shape(), by_images),
            Kind::Allgather => self.allgather(network),
            Kind::Alltoall => {
                let order = match self.algorithm {
                    Algorithm::Pairwise => Order::Around,
                    _ => Order::Ascending,
                };
                alltoall(network, order, Lengths::Equal(bytes));
            }
            Kind::ReduceScatter => match self.algorithm {
                Algorithm::Ring => ring(network, network.images() - 1, bytes, |_, _| bytes),
                Algorithm::Binomial => {
                    let all = by_images(network.images());
                    up(network, self.shape(), |_| all);
                    down(network, self.shape(), by_images);
                }
                _ => alltoall(network, Order::Ascending, Lengths::Equal(bytes)),
            },
            Kind::Scan => match self.algorithm {
                Algorithm::RecursiveDoubling => doubling::scan(network, bytes),
                Algorithm::Chain => chain(network, &self.pieces()),
                _ => alltoall(network, Order::Later, Lengths::Equal(bytes)),
            },
            Kind::SumReproducible | Kind::TotalReproducible => unreachable!("not among the kinds"),
        }
    }

    fn shape(&self) -> Shape {
        match self.algorithm {
            Algorithm::Binomial => Shape::Binomial,
            Algorithm::FourAry => Shape::FourAry,
            Algorithm::SquareRoot => Shape::SquareRoot,
            Algorithm::Hierarchical => Shape::Hierarchical(self.per_node),
            _ => Shape::Flat,
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

    /// The bytes of the longest slice.
    fn longest_slice(&self, images: usize) -> u64 {
        self.elements.div_ceil(images as u64) * ELEMENT
    }

    /// Each image forwards slices around the ring, twice.
    fn ring_of_slices(&self, network: &mut Network) {
        let images = network.images();
        let longest = self.longest_slice(images);
        let once = images - 1;
        ring(network, 2 * once, longest, |image, round| {
            // The slice that arrived last in the first pass starts the second one.
            let behind = if round < once {
                round
            } else {
                round - once + images - 1
            };
            self.slice(images, (image + 2 * images - behind) % images)
        });
    }

    fn allgather(&self, network: &mut Network) {
        let bytes = self.elements * ELEMENT;
        let images = network.images();
        match self.algorithm {
            Algorithm::RecursiveDoubling => {
                let blocks = |distance: usize| distance.min(images - distance) as u64;
                doubling::around(network, |distance| blocks(distance) * bytes, true);
            }
            Algorithm::Ring => ring(network, images - 1, bytes, |_, _| bytes),
            Algorithm::Flat => alltoall(network, Order::Around, Lengths::Equal(bytes)),
            _ => {
                up(network, self.shape(), |below| bytes * below as u64);
                down(network, self.shape(), |_| bytes * images as u64);
            }
        }
    }

    fn scatter_allgather(&self, network: &mut Network) {
        let images = network.images();
        if network.is_exhaustive {
            deal_and_pass_on(network, |number| self.slice(images, number));
            return;
        }
        let longest = self.longest_slice(images);
        let time = |images| dealt_and_passed_on(network.machine, images, longest);
        let (less, more) = (time(SOME), time(2 * SOME));
        let further = (images - 2 * SOME) as f64 / SOME as f64;
        network.go_on_at(more + (more - less) * further);
    }

    /// The lengths of the pieces of a chain.
    fn pieces(&self) -> Vec<u64> {
        let most = self.elements.div_ceil(PIECES).max(1);
        let starts = (0..self.elements).step_by(most as usize);
        starts
            .map(|start| most.min(self.elements - start) * ELEMENT)
            .collect()
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

/// From this number of images on, with slices of equal length, every further image costs the same.
const SOME: usize = 128;

fn dealt_and_passed_on(machine: LogGp, images: usize, slice: u64) -> f64 {
    let mut network = Network::new(machine, images);
    deal_and_pass_on(&mut network, |_| slice);
    network.time()
}
