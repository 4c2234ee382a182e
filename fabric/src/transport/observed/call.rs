//! What an observer sees of a call.

use crate::transport::atomic::AtomicOperation;
use crate::transport::movement::Movement;
use crate::transport::signal::SignalOperation;
use crate::transport::strided::{Run, Strided};

/// A call of a fabric's method.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    /// Writes, blocking or not.
    Put(Range<'a>),
    /// Reads, blocking or not.
    Get(Range<'a>),
    /// Reads and perhaps writes a word, atomically, blocking or not.
    Atomic(Range<'a>, AtomicOperation),
    /// Lets nonblocking operations make progress.
    Progress,
    /// Waits for a nonblocking operation on this image.
    Wait(usize),
    /// Orders the puts to this image.
    Fence(usize),
    /// Completes all operations.
    Quiet,
    /// Sends a message to this image.
    Send(usize),
    /// Writes the bytes of the first range, if there are any, and then changes the signal word that the second one is.
    PutSignal(Range<'a>, Range<'a>, SignalOperation),
    /// Completes all signals.
    QuietSignals,
    /// Looks for a message.
    Receive,
    /// Moves blocks of so many bytes among images.
    MoveBlocks(Movement, usize),
}

/// Bytes in the part of an image.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// The image.
    pub image: usize,
    /// Where they begin in its part.
    pub offset: usize,
    /// How many they are, from the first to the last.
    pub length: usize,
    /// Which of them.
    pub pieces: Pieces<'a>,
}

/// Which bytes of a range an operation is about.
#[derive(Clone, Copy, Debug)]
pub enum Pieces<'a> {
    /// All.
    One,
    /// The runs of a block.
    Block(&'a Strided<'a>),
    /// Runs of so many bytes. Their places count from that of the first, which begins the range.
    Listed(&'a [Run], usize),
}

impl Range<'_> {
    /// Bytes of all pieces.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self.pieces {
            Pieces::One => self.length,
            Pieces::Block(block) => block.bytes(),
            Pieces::Listed(runs, length) => runs.len() * length,
        }
    }

    /// How many pieces there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self.pieces {
            Pieces::One => 1,
            Pieces::Block(block) => block.bytes() / block.length.max(1),
            Pieces::Listed(runs, _) => runs.len(),
        }
    }
}
