//! Slices that are forwarded around a ring, or along a line.

use crate::model::network::{Network, Packet};

/// In each round every image sends a slice to the next image, and receives one. `slice` gives the length by image and
/// round. If not every message is simulated, all slices are as long as `longest`.
pub fn ring(
    network: &mut Network,
    rounds: usize,
    longest: u64,
    slice: impl Fn(usize, usize) -> u64,
) {
    let images = network.images();
    if !network.is_exhaustive {
        network.all_alike(|one| {
            for _ in 0..rounds {
                let packet = one.send(0, 0, longest);
                one.receive(0, packet);
            }
        });
        return;
    }
    for round in 0..rounds {
        let next = |image| (image + 1) % images;
        let send = |image| network.send(image, next(image), slice(image, round));
        let packets: Vec<Packet> = (0..images).map(send).collect();
        for (image, packet) in packets.into_iter().enumerate() {
            network.receive(next(image), packet);
        }
    }
}

/// Pieces of these lengths go from each image to the next, which forwards each when it has arrived.
pub fn chain(network: &mut Network, pieces: &[u64]) {
    let images = network.images();
    for &bytes in pieces {
        let mut coming: Option<Packet> = None;
        for image in 0..images {
            if let Some(packet) = coming {
                network.receive(image, packet);
            }
            if image + 1 < images {
                coming = Some(network.send(image, image + 1, bytes));
            }
        }
    }
}

/// Image 0 sends one slice to each image, and the images forward them around. `slice` gives the length of a slice.
pub fn deal_and_pass_on(network: &mut Network, slice: impl Fn(usize) -> u64) {
    let images = network.images();
    for image in 1..images {
        let packet = network.send(0, image, slice(image));
        network.receive(image, packet);
    }
    for round in 1..images {
        let send = |image| {
            let passed = (image + images - round) % images;
            network.send(image - 1, image, slice(passed))
        };
        let packets: Vec<Packet> = (1..images).map(send).collect();
        for (packet, image) in packets.into_iter().zip(1..) {
            network.receive(image, packet);
        }
    }
}
