//! Writing blocks that lie in the file in many short pieces, as those of a grid that divides the last axis do.
//!
//! One call of the operating system for each piece would take far longer than moving the bytes, and none may write the bytes
//! between its own. So the images hand each other their pieces first, and each writes a long one:
//!
//! ```text
//! image   0 1 0 1 0 1 0 1      has these pieces of a window of the file
//! image   0 0 0 0 1 1 1 1      writes these
//! ```
//! This is the two-phase method of del Rosario, Bordawekar and Choudhary (*Improved parallel I/O via a two-phase run-time access strategy*,
//! 1993), which MPI libraries use.

use std::fs::File;

use coarray::{co_alltoallv, num_images, this_image};

use crate::error::Failed;
use crate::layout::{Layout, Run, Runs};
use crate::transfer::{swap_for_file, write_at};

/// What an image writes of a window: as much as makes the calls' own time small.
const SHARE: u64 = 1 << 20;

/// Collective. Writes the blocks of all images, little endian, to a file whose global array starts at byte `offset`. This
/// image's is `own`, in `memory`; `blocks` tells what all images have, as if each block were alone in memory. `seen` gets what this
/// image writes, in the order of the file, and where.
pub(crate) fn write_together(
    file: &File,
    offset: u64,
    own: &Layout,
    memory: &[u8],
    blocks: &[Layout],
    mut seen: impl FnMut(u64, &[u8]),
) -> Result<(), Failed> {
    let (images, bytes) = (num_images() as u64, own.file_bytes());
    let mut sending = Pieces::of(own);
    let mut receiving: Vec<Pieces> = blocks.iter().map(Pieces::of).collect();
    let mut buffer = Vec::new();
    let mut outcome = Ok(());
    for window in 0..bytes.div_ceil(images * SHARE) {
        let share = |image: u64| ((window * images + image) * SHARE).min(bytes);
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for image in 1..=images {
            let mut part = Vec::new();
            sending.up_to(share(image), |piece| {
                part.extend_from_slice(&memory[piece.memory..][..piece.bytes]);
            });
            swap_for_file(own.width(), &mut part);
            parts.push(part);
        }
        let received = co_alltoallv(&parts);
        let (start, end) = (share(this_image() as u64), share(this_image() as u64 + 1));
        buffer.resize((end - start) as usize, 0);
        for (pieces, received) in receiving.iter_mut().zip(&received) {
            let mut rest = &received[..];
            pieces.up_to(start, |_| ());
            pieces.up_to(end, |piece| {
                let (now, later) = rest.split_at(piece.bytes);
                buffer[(piece.file - start) as usize..][..piece.bytes].copy_from_slice(now);
                rest = later;
            });
        }
        seen(start, &buffer);
        // An image that cannot write goes on handing out what the others need.
        if outcome.is_ok() && !buffer.is_empty() {
            outcome = write_at(file, &buffer, offset + start);
        }
    }
    outcome
}

/// Bytes that lie one after the other in the file and in memory.
struct Piece {
    file: u64,
    memory: usize,
    bytes: usize,
}

/// The runs of a block, taken little by little.
struct Pieces {
    runs: Runs,
    width: usize,
    rest: Option<Piece>,
}

impl Pieces {
    fn of(layout: &Layout) -> Self {
        let (mut runs, width) = (layout.runs(), layout.width());
        let rest = runs.next().map(|run| Piece::of(&run, width));
        Self { runs, width, rest }
    }

    /// Gives `take` everything before this byte of the file that it has not got yet.
    fn up_to(&mut self, end: u64, mut take: impl FnMut(Piece)) {
        while let Some(piece) = self.rest.take_if(|piece| piece.file < end) {
            let now = piece
                .bytes
                .min((end - piece.file).try_into().unwrap_or(usize::MAX));
            self.rest = match piece.bytes - now {
                0 => self.runs.next().map(|run| Piece::of(&run, self.width)),
                later => Some(Piece {
                    file: piece.file + now as u64,
                    memory: piece.memory + now,
                    bytes: later,
                }),
            };
            take(Piece {
                bytes: now,
                ..piece
            });
        }
    }
}

impl Piece {
    fn of(run: &Run, width: usize) -> Self {
        Self {
            file: run.file,
            memory: run.memory,
            bytes: run.cells * width,
        }
    }
}
