//! All images send to all: each sends one message after the other, and receives when it has time.
//!
//! Sending comes first: an image receives while it cannot send, or when it has sent everything.

use crate::model::machine::LogGp;
use crate::model::network::{Network, Packet};

/// The order in which an image serves the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The next image first, and on around: never two to the same image at a time.
    Around,
    /// Image 0 first, and then the others: all to the same image at a time.
    Ascending,
    /// Only those after it, the next one first.
    Later,
}

/// The lengths of the messages; a message of 0 bytes is not sent.
#[derive(Clone, Copy)]
pub enum Lengths<'a> {
    /// All equal.
    Equal(u64),
    /// By receiver.
    To(&'a dyn Fn(usize) -> u64),
    /// By sender.
    From(&'a dyn Fn(usize) -> u64),
}

impl Lengths<'_> {
    fn of(&self, from: usize, to: usize) -> u64 {
        match self {
            Self::Equal(bytes) => *bytes,
            Self::To(bytes) => bytes(to),
            Self::From(bytes) => bytes(from),
        }
    }

    fn longest(&self, images: usize) -> u64 {
        let all = (0..images).map(|image| self.of(image, image));
        all.max().unwrap_or_default()
    }

    fn has_sender(&self, image: usize) -> bool {
        !matches!(self, Self::From(bytes) if bytes(image) == 0)
    }

    fn has_receiver(&self, image: usize) -> bool {
        !matches!(self, Self::To(bytes) if bytes(image) == 0)
    }
}

/// Lets all images send to all, and continue together when the last message is received.
pub fn alltoall(network: &mut Network, order: Order, lengths: Lengths<'_>) {
    let start = network.time();
    let time = if network.is_exhaustive {
        all_messages(network, order, lengths)
    } else {
        slowest(&network.machine, network.images(), order, lengths)
    };
    network.go_on_at(start + time);
}

/// The time, simulating and counting every message.
fn all_messages(network: &mut Network, order: Order, lengths: Lengths<'_>) -> f64 {
    let (machine, images) = (network.machine, network.images());
    let mut packets: Vec<Vec<Packet>> = vec![Vec::new(); images];
    let mut sends: Vec<Vec<f64>> = vec![Vec::new(); images];
    for (from, sends) in sends.iter_mut().enumerate() {
        let mut start = 0.0;
        for to in receivers(order, images, from) {
            let bytes = lengths.of(from, to);
            if bytes == 0 {
                continue;
            }
            let arrival = start + machine.delivery(bytes);
            packets[to].push(Packet { arrival, bytes });
            sends.push(start);
            start += machine.step(bytes);
            network.note(from, to, bytes);
        }
    }
    let end = |(sends, mut packets): (Vec<f64>, Vec<Packet>)| {
        packets.sort_by(|one, other| one.arrival.total_cmp(&other.arrival));
        receive_between(&machine, sends.into_iter(), packets.into_iter())
    };
    sends.into_iter().zip(packets).map(end).fold(0.0, f64::max)
}

/// The receivers of an image, in order.
fn receivers(order: Order, images: usize, from: usize) -> Box<dyn Iterator<Item = usize>> {
    match order {
        Order::Around => Box::new((from + 1..from + images).map(move |to| to % images)),
        Order::Ascending => Box::new((0..images).filter(move |&to| to != from)),
        Order::Later => Box::new(from + 1..images),
    }
}

/// The time of the images that may be the last to finish, as if all messages were as long as the longest.
fn slowest(machine: &LogGp, images: usize, order: Order, lengths: Lengths<'_>) -> f64 {
    let bytes = lengths.longest(images);
    let last = |is: &dyn Fn(usize) -> bool| (0..images).rev().find(|&image| is(image));
    let candidates = match order {
        Order::Around => [Some(0), None, None],
        Order::Later => [Some(images - 1), Some(1.min(images - 1)), Some(0)],
        // The later an image is served, the later it finishes; if it sends, it also has less time.
        Order::Ascending => [
            last(&|image| lengths.has_receiver(image) && lengths.has_sender(image)),
            last(&|image| lengths.has_receiver(image) && !lengths.has_sender(image)),
            last(&|image| !lengths.has_receiver(image)),
        ],
    };
    let (step, delivery) = (machine.step(bytes), machine.delivery(bytes));
    let end = |image: usize| {
        let (sends, mut ranks) = traffic(images, order, lengths, image);
        ranks.sort_unstable();
        let sends = (0..sends).map(|rank| rank as f64 * step);
        let packets = ranks.into_iter().map(|rank| Packet {
            arrival: rank as f64 * step + delivery,
            bytes,
        });
        receive_between(machine, sends, packets)
    };
    candidates
        .into_iter()
        .flatten()
        .map(end)
        .fold(0.0, f64::max)
}

/// How many messages an image sends, and for each message that it receives how many its sender sent before.
fn traffic(images: usize, order: Order, lengths: Lengths<'_>, image: usize) -> (usize, Vec<usize>) {
    let others = || (0..images).filter(|&other| other != image);
    match order {
        Order::Around => (images - 1, (0..images - 1).collect()),
        Order::Later => (images - 1 - image, (0..image).collect()),
        Order::Ascending => {
            let sends = match lengths.has_sender(image) {
                true => others().filter(|&to| lengths.has_receiver(to)).count(),
                false => 0,
            };
            if !lengths.has_receiver(image) {
                return (sends, Vec::new());
            }
            let before = (0..image).filter(|&to| lengths.has_receiver(to)).count();
            let senders = others().filter(|&from| lengths.has_sender(from));
            // No image sends to itself.
            let rank = |from| before - usize::from(from < image && lengths.has_receiver(from));
            (sends, senders.map(rank).collect())
        }
    }
}

/// When an image that starts its sends at these times has also received these packets; both are in order.
fn receive_between(
    machine: &LogGp,
    sends: impl Iterator<Item = f64>,
    packets: impl Iterator<Item = Packet>,
) -> f64 {
    let overhead = machine.overhead;
    let (mut free, mut inward) = (0.0_f64, 0.0);
    let mut sends = sends.peekable();
    for packet in packets {
        let is_in = inward + machine.stream(packet.bytes);
        let mut start = free.max(packet.arrival).max(is_in);
        // A packet that is late only by rounding is in time.
        while let Some(send) = sends.next_if(|send| start + overhead > send * (1.0 + 1e-12)) {
            start = start.max(send + overhead);
        }
        free = start + overhead;
        inward = start + machine.gap;
    }
    sends.last().map_or(free, |send| free.max(send + overhead))
}
