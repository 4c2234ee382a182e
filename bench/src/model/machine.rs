//! What a message costs, in nanoseconds.
//!
//! D. Culler, R. Karp, D. Patterson, A. Sahay, K. E. Schauser, E. Santos, R. Subramonian, T. von Eicken, *LogP: towards a
//! realistic model of parallel computation*, PPoPP 1993; for long messages A. Alexandrov, M. F. Ionescu, K. E.
//! Schauser, C. Scheiman, *LogGP: incorporating long messages into the LogP model*, SPAA 1995.

/// The parameters of a network and of the images at its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGp {
    /// L: from when the last byte has left the sender until it is at the receiver.
    pub latency: f64,
    /// o: how long an image is busy with sending or receiving a message.
    pub overhead: f64,
    /// g: the least time between two messages that one image sends, and between two that it receives.
    pub gap: f64,
    /// G: the time for each byte after the first.
    pub per_byte: f64,
}

impl LogGp {
    /// From the first byte of a message to the last.
    pub fn stream(&self, bytes: u64) -> f64 {
        bytes.saturating_sub(1) as f64 * self.per_byte
    }

    /// From the start of a send to the earliest start of the next.
    pub fn step(&self, bytes: u64) -> f64 {
        self.overhead.max(self.gap + self.stream(bytes))
    }

    /// From the start of a send until the receiver can take the message.
    pub fn delivery(&self, bytes: u64) -> f64 {
        self.overhead + self.stream(bytes) + self.latency
    }
}
