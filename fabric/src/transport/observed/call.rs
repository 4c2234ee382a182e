//! What an observer sees of a call.

use crate::transport::atomic::AtomicOperation;
use crate::transport::movement::Movement;
use crate::transport::signal::SignalOperation;
use crate::transport::strided::{Run, Strided, StridedAxis};

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
    /// Writes the bytes of the first range, if there are any, and then changes the signal word that the second one is. If several words are set,
    /// the first range is all of them, and the second one the last.
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

    /// Calls `each` with the offset and the length of each piece.
    pub fn each_piece(&self, mut each: impl FnMut(usize, usize)) {
        match self.pieces {
            Pieces::One => each(self.offset, self.length),
            Pieces::Block(block) => {
                each_run(self.offset, block.axes, &mut |offset| {
                    each(offset, block.length)
                });
            }
            Pieces::Listed(runs, length) => {
                let first = runs.first().map_or(0, |run| run.to);
                for run in runs {
                    each(self.offset.wrapping_add_signed(run.to - first), length);
                }
            }
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

/// Calls `each` with the offset of each run of a block that begins at `offset`, the outermost of its axes last.
fn each_run(offset: usize, axes: &[StridedAxis], each: &mut impl FnMut(usize)) {
    let Some((outermost, inner)) = axes.split_last() else {
        return each(offset);
    };
    for index in 0..outermost.count {
        each_run(offset + index * outermost.there.unsigned_abs(), inner, each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_where_the_runs_are() {
        let axis = |count, there| StridedAxis {
            count,
            here: 0,
            there,
        };
        let block = Strided {
            length: 4,
            axes: &[axis(2, 10), axis(2, 100)],
        };
        let run = |to| Run { to, from: 0 };
        let runs = [run(30), run(36)];
        for (pieces, expected) in [
            (Pieces::One, vec![(1000, 8)]),
            (
                Pieces::Block(&block),
                vec![(1000, 4), (1010, 4), (1100, 4), (1110, 4)],
            ),
            (Pieces::Listed(&runs, 2), vec![(1000, 2), (1006, 2)]),
        ] {
            let range = Range {
                image: 0,
                offset: 1000,
                length: 8,
                pieces,
            };
            let mut found = Vec::new();
            range.each_piece(|offset, length| found.push((offset, length)));
            assert_eq!(found, expected);
        }
    }
}
