//! Partners at doubling distances.

use crate::model::network::{Network, Packet};

/// In each round image `i` sends to image `i + distance`, and the distance doubles, up to the number of images: the
/// dissemination barrier (Hensgen, Finkel and Manber 1988), and backwards the concatenation of Bruck and others (1997).
/// `bytes` gives the length of a message by the distance.
pub fn around(network: &mut Network, bytes: impl Fn(usize) -> u64, backwards: bool) {
    let images = network.images();
    let distances = || std::iter::successors(Some(1), |distance| Some(2 * distance));
    let distances = distances().take_while(|&distance| distance < images);
    if !network.is_exhaustive {
        network.all_alike(|one| {
            for distance in distances {
                let packet = one.send(0, 0, bytes(distance));
                one.receive(0, packet);
            }
        });
        return;
    }
    for distance in distances {
        let ahead = if backwards {
            images - distance
        } else {
            distance
        };
        let to = |image| (image + ahead) % images;
        let send = |image| network.send(image, to(image), bytes(distance));
        let packets: Vec<Packet> = (0..images).map(send).collect();
        for (image, packet) in packets.into_iter().enumerate() {
            network.receive(to(image), packet);
        }
    }
}

/// Partners exchange what they have combined. Beyond a power of two, images give their values to the one before them,
/// and get the results from there.
pub fn exchange(network: &mut Network, bytes: u64) {
    let images = network.images();
    let rounds = images.ilog2();
    let extra = images - (1 << rounds);
    let image_of = |number: usize| match number < extra {
        true => 2 * number,
        false => number + extra,
    };
    if !network.is_exhaustive && extra == 0 {
        network.all_alike(|one| {
            for _ in 0..rounds {
                let packet = one.send(0, 0, bytes);
                one.receive(0, packet);
            }
        });
        return;
    }
    for number in 0..extra {
        let packet = network.send(2 * number + 1, 2 * number, bytes);
        network.receive(2 * number, packet);
    }
    for round in 0..rounds {
        let partner = |number: usize| image_of(number ^ (1 << round));
        let numbers = 0..1_usize << rounds;
        let send = |number| network.send(image_of(number), partner(number), bytes);
        let packets: Vec<Packet> = numbers.map(send).collect();
        for (number, packet) in packets.into_iter().enumerate() {
            network.receive(partner(number), packet);
        }
    }
    for number in 0..extra {
        let packet = network.send(2 * number, 2 * number + 1, bytes);
        network.receive(2 * number + 1, packet);
    }
}

/// In each round image `i` sends to image `i + distance`, if there is one, and the distance doubles (Hillis and Steele
/// 1986).
pub fn scan(network: &mut Network, bytes: u64) {
    let images = network.images();
    let mut distance = 1;
    while distance < images {
        let send = |image| network.send(image, image + distance, bytes);
        let packets: Vec<Packet> = (0..images - distance).map(send).collect();
        for (image, packet) in packets.into_iter().enumerate() {
            network.receive(image + distance, packet);
        }
        distance *= 2;
    }
}
