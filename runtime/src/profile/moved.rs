//! What one image has moved, by line of the program and by image: as others read it.

use std::ops::AddAssign;

use crate::profile::place::Place;

/// Operations, and the bytes that they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many operations: each call of a put, a get, an atomic operation, and so on, for each image that it goes to. A region, and the part of a list
    /// that is on one image, is one; a long value that is put in batches is several.
    pub operations: u64,
    /// Bytes.
    pub bytes: u64,
}

impl AddAssign for Moved {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.bytes += other.bytes;
    }
}

/// What one image, or several, have moved by the operations of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMoves {
    /// The line, and what it does: `put`, `get`, `atomic`, `put_notify`, the name of a collective operation.
    pub place: Place,
    /// To and from its own memory.
    pub own: Moved,
    /// To and from images with which it shares memory. Elsewhere these could be messages.
    pub near: Moved,
    /// To and from images of other nodes: messages.
    pub far: Moved,
    /// Pieces in one row that the operations were made of: a column of ten items is ten.
    pub pieces: u64,
    /// Runs of operations that each began where the one before ended.
    pub runs: u64,
    /// The distance in bytes from the beginning of an operation to that of the next, if it is the same for most, which go to one image.
    pub stride: Option<i64>,
    /// To how many images those of one image went, of that with the most; at least so many if they are more than 64.
    pub targets: u64,
    /// How many of them were asynchronous.
    pub issued: u64,
    /// How many of these were waited for before the image did anything else with other images.
    pub waited_at_once: u64,
}

impl LineMoves {
    /// All operations together.
    #[must_use]
    pub fn all(&self) -> Moved {
        let mut all = self.elsewhere();
        all += self.own;
        all
    }

    /// What would be messages if each image were on a node of its own.
    #[must_use]
    pub fn elsewhere(&self) -> Moved {
        let mut all = self.near;
        all += self.far;
        all
    }

    /// How many operations lie side by side, on the average.
    #[must_use]
    pub fn run_length(&self) -> f64 {
        self.all().operations as f64 / self.runs.max(1) as f64
    }

    /// Adds what another image has moved at the same line.
    pub fn join(&mut self, other: &Self) {
        self.own += other.own;
        self.near += other.near;
        self.far += other.far;
        self.pieces += other.pieces;
        self.runs += other.runs;
        self.stride = self.stride.filter(|&stride| other.stride == Some(stride));
        self.targets = self.targets.max(other.targets);
        self.issued += other.issued;
        self.waited_at_once += other.waited_at_once;
    }
}
