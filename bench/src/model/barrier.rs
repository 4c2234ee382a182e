//! The messages of the barriers: signals of arrival and release.

use coarray_collectives::schedule::Plan;
use coarray_collectives::{Algorithm, Kind};
use coarray_runtime::Barrier;

use crate::model::alltoall::{Lengths, Order, alltoall};
use crate::model::network::{Network, Packet, Tally};
use crate::model::scheduled::{Nodes, carry_out};

/// The most children of an image in the tree, as in the library.
const CHILDREN: usize = 4;

/// A signal has no data, but the network carries it like a byte.
const SIGNAL: u64 = 1;

/// Lets all images pass the barrier.
pub fn pass(network: &mut Network, barrier: Barrier) {
    match barrier {
        Barrier::Flat => alltoall(network, Order::Around, Lengths::Equal(SIGNAL)),
        Barrier::Dissemination => dissemination(network),
        Barrier::Tree => heap(network),
        Barrier::Central => {
            let nodes = Nodes {
                images: network.images(),
                per_node: 1,
            };
            for kind in [Kind::ReduceTo, Kind::Broadcast] {
                if let Some(plan) = Plan::new(kind, Algorithm::Flat, &nodes, 1) {
                    carry_out(network, &plan, SIGNAL);
                }
            }
        }
    }
}

/// In each round image `i` signals image `i + distance`, and the distance doubles, up to the number of images (Hensgen, Finkel and Manber
/// 1988).
fn dissemination(network: &mut Network) {
    let images = network.images();
    let rounds = images.next_power_of_two().ilog2();
    if !network.is_exhaustive {
        network.all_alike(|one| {
            for _ in 0..rounds {
                let packet = one.send(0, 0, SIGNAL);
                one.receive(0, packet);
            }
        });
        return;
    }
    for round in 0..rounds {
        let to = |image| (image + (1 << round)) % images;
        let send = |image| network.send(image, to(image), SIGNAL);
        let packets: Vec<Packet> = (0..images).map(send).collect();
        for (image, packet) in packets.into_iter().enumerate() {
            network.receive(to(image), packet);
        }
    }
}

/// Up a tree in which the children of an image are consecutive, and down again.
fn heap(network: &mut Network) {
    let images = network.images();
    let children = |image: usize| {
        let first = CHILDREN * image + 1;
        first.min(images)..(first + CHILDREN).min(images)
    };
    let mut packets = vec![Packet::default(); images];
    for image in (0..images).rev() {
        for child in children(image) {
            network.receive(image, packets[child]);
        }
        if image > 0 {
            packets[image] = network.send(image, (image - 1) / CHILDREN, SIGNAL);
        }
    }
    for image in 0..images {
        for child in children(image) {
            let packet = network.send(image, child, SIGNAL);
            network.receive(child, packet);
        }
    }
}

/// The number of messages, where not every one is simulated.
pub fn tally(barrier: Barrier, images: usize) -> Option<Tally> {
    let images = images as u64;
    let (messages, most) = match barrier {
        Barrier::Flat => (images * (images - 1), images - 1),
        Barrier::Dissemination => {
            let rounds = u64::from(images.next_power_of_two().ilog2());
            (images * rounds, rounds)
        }
        Barrier::Tree | Barrier::Central => return None,
    };
    Some(Tally {
        messages,
        signals: 0,
        most,
    })
}
