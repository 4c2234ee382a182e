//! Slices that pass around a ring, or down a line.

use crate::model::network::{Network, Packet};

/// In each of so many rounds every image sends to the next, first what `slice` says of the image and the round from 0 on,
/// and receives. If nobody looks at every message, all slices are as long as `longest`.
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

/// So many pieces of these lengths go from each image to the next, which passes each on when it has come.
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

/// Image 0 deals slices out, one to each, and the slices pass on from image to image. How long slice `s` is, says
/// `slice`.
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
