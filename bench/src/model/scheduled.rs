//! The messages of algorithms that pass data on: by the schedules that the library itself carries out.

use std::collections::VecDeque;

use coarray_collectives::schedule::{Group, Plan, Schedule, Step};

use crate::model::network::{Network, Packet};

/// Images of which so many are on each node.
#[derive(Clone, Copy, Debug)]
pub struct Nodes {
    pub images: usize,
    pub per_node: usize,
}

impl Group for Nodes {
    fn images(&self) -> usize {
        self.images
    }

    fn node(&self, image: usize) -> usize {
        image / self.per_node
    }
}

/// Lets all images carry out their schedules; an element has `size` bytes.
pub fn carry_out(network: &mut Network, plan: &Plan, size: u64) {
    let mut images: Vec<Image> = Vec::new();
    images.resize_with(network.images(), Image::default);
    // Each image goes on until it waits for another, and again when that has sent something.
    let mut ready = Vec::new();
    for first in 0..images.len() {
        ready.push(first);
        while let Some(me) = ready.pop() {
            let schedule = images[me].schedule.take();
            let schedule = schedule.unwrap_or_else(|| plan.schedule(me));
            while let Some(step) = schedule.steps().get(images[me].next) {
                match step {
                    Step::Send { to, blocks, .. } => {
                        let bytes = plan.elements(blocks) as u64 * size;
                        let packet = network.send(me, *to, bytes);
                        images[*to].inbox.push((me, packet));
                        if images[*to].awaited == Some(me) {
                            images[*to].awaited = None;
                            ready.push(*to);
                        }
                    }
                    Step::Receive { from, .. } => match images[me].next_from(*from) {
                        Some(packet) => network.receive(me, packet),
                        None => {
                            images[me].awaited = Some(*from);
                            break;
                        }
                    },
                    Step::Stage { .. } | Step::Publish => {}
                }
                images[me].next += 1;
            }
            if images[me].awaited.is_some() {
                images[me].schedule = Some(schedule);
            }
        }
    }
}

/// All images do as image 0 does, at the same time.
pub fn all_alike(network: &mut Network, plan: &Plan, size: u64) {
    let schedule = plan.schedule(0);
    network.all_alike(|one| {
        let mut packets = VecDeque::new();
        for step in schedule.steps() {
            match step {
                Step::Send { blocks, .. } => {
                    let bytes = plan.elements(blocks) as u64 * size;
                    packets.push_back(one.send(0, 0, bytes));
                }
                Step::Receive { .. } => {
                    if let Some(packet) = packets.pop_front() {
                        one.receive(0, packet);
                    }
                }
                Step::Stage { .. } | Step::Publish => {}
            }
        }
    });
}

/// The progress of an image.
#[derive(Debug, Default)]
struct Image {
    /// While it waits.
    schedule: Option<Schedule>,
    /// The number of its next step.
    next: usize,
    /// The image from which it waits for a message.
    awaited: Option<usize>,
    inbox: Vec<(usize, Packet)>,
}

impl Image {
    fn next_from(&mut self, from: usize) -> Option<Packet> {
        let place = self.inbox.iter().position(|(sender, _)| *sender == from)?;
        Some(self.inbox.remove(place).1)
    }
}
