//! The clocks of the images, which messages advance.
//!
//! An algorithm is a sequence of sends and receives in a possible order: those of each image are in the order of its
//! program, and each message is sent before it is received. An image waits only for what it receives, so the order
//! between images does not matter.

use crate::model::machine::LogGp;

/// A network with its images, all of which begin at time 0.
#[derive(Clone, Debug)]
pub struct Network {
    pub machine: LogGp,
    clocks: Vec<Clock>,
    /// Every message is simulated, even if all images do the same at the same time.
    pub is_exhaustive: bool,
    log: Option<Vec<Message>>,
}

/// The progress of an image.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// When it can start the next operation.
    free: f64,
    /// When the first byte of its next message can leave.
    out: f64,
    /// When the first byte of the next message can arrive.
    inward: f64,
    sent: u32,
    received: u32,
    signals: u32,
}

/// A message that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub bytes: u64,
}

/// A message in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    pub arrival: f64,
    pub bytes: u64,
}

/// Counts of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// With data.
    pub messages: u64,
    /// Without.
    pub signals: u64,
    /// The most messages with data that one image sent, or received if that is more.
    pub most: u64,
}

/// Up to this number of images, simulating every message takes no time.
const FEW: usize = 256;

impl Network {
    /// A network of so many images.
    pub fn new(machine: LogGp, images: usize) -> Self {
        Self {
            machine,
            clocks: vec![Clock::default(); images],
            is_exhaustive: images <= FEW,
            log: None,
        }
    }

    /// The same, simulating and recording every message.
    #[cfg(test)]
    pub fn exhaustive(machine: LogGp, images: usize) -> Self {
        Self {
            is_exhaustive: true,
            log: Some(Vec::new()),
            ..Self::new(machine, images)
        }
    }

    /// The messages with data.
    #[cfg(test)]
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = self.log.clone().unwrap_or_default();
        messages.sort_unstable();
        messages
    }

    pub fn images(&self) -> usize {
        self.clocks.len()
    }

    /// `from` sends a message to `to`.
    pub fn send(&mut self, from: usize, to: usize, bytes: u64) -> Packet {
        let clock = &mut self.clocks[from];
        let machine = &self.machine;
        let start = clock.free.max(clock.out - machine.overhead);
        let stream = machine.stream(bytes);
        clock.free = start + machine.overhead;
        clock.out = clock.free + stream + machine.gap;
        let arrival = start + machine.delivery(bytes);
        self.note(from, to, bytes);
        Packet { arrival, bytes }
    }

    /// `to` receives a message.
    pub fn receive(&mut self, to: usize, packet: Packet) {
        let clock = &mut self.clocks[to];
        let is_in = clock.inward + self.machine.stream(packet.bytes);
        let start = clock.free.max(packet.arrival).max(is_in);
        clock.free = start + self.machine.overhead;
        clock.inward = start + self.machine.gap;
    }

    /// Counts a message.
    pub fn note(&mut self, from: usize, to: usize, bytes: u64) {
        if bytes == 0 {
            self.clocks[from].signals += 1;
            return;
        }
        self.clocks[from].sent += 1;
        self.clocks[to].received += 1;
        if let Some(log) = &mut self.log {
            log.push(Message { from, to, bytes });
        }
    }

    /// When the last image is done.
    pub fn time(&self) -> f64 {
        self.clocks
            .iter()
            .map(|clock| clock.free)
            .fold(0.0, f64::max)
    }

    /// Sets all clocks: no image continues earlier, and all messages have arrived.
    pub fn go_on_at(&mut self, time: f64) {
        for clock in &mut self.clocks {
            (clock.free, clock.out, clock.inward) = (time, time, time);
        }
    }

    /// All images do as one of them does, which sends to itself.
    pub fn all_alike(&mut self, one: impl FnOnce(&mut Self)) {
        let mut alone = Self::new(self.machine, 1);
        one(&mut alone);
        self.go_on_at(self.time() + alone.time());
    }

    /// The counts.
    pub fn tally(&self) -> Tally {
        let sum =
            |count: fn(&Clock) -> u32| self.clocks.iter().map(move |clock| u64::from(count(clock)));
        let most = |count: fn(&Clock) -> u32| sum(count).max().unwrap_or_default();
        Tally {
            messages: sum(|clock| clock.sent).sum(),
            signals: sum(|clock| clock.signals).sum(),
            most: most(|clock| clock.sent).max(most(|clock| clock.received)),
        }
    }
}
