//! Writing blocks that lie in the file in many short pieces, as the blocks of a grid that divides the last axis do.
//!
//! One system call for each piece would take far longer than moving the bytes, and an image must not write the bytes
//! between its pieces. So the images put their pieces together first, and each writes a long piece:
//!
//! ```text
//! image   0 1 0 1 0 1 0 1      has these pieces of a window of the file
//! image   0 0 0 0 1 1 1 1      writes these
//! ```
//! This is the two-phase method of del Rosario, Bordawekar and Choudhary (*Improved parallel I/O via a two-phase
//! run-time access strategy*, 1993), which MPI libraries use.

use std::fs::File;

use coarray::{Coarray, num_images, this_image};

use crate::error::Failed;
use crate::layout::{Layout, Run, Runs};
use crate::transfer::{swap_for_file, write_at};

/// The most that an image writes of a window: enough that barriers take little of the time.
const SHARE: usize = 2 << 20;

/// Room on every image for its share of a window.
pub(crate) struct Staging {
    share: Coarray<[u8]>,
}

impl Staging {
    /// Collective. For arrays of `bytes` bytes; none, on all images, if there is no memory for it.
    #[track_caller]
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let whole = bytes.div_ceil(num_images() as u64).next_multiple_of(8);
        let share = usize::try_from(whole).map_or(SHARE, |whole| whole.min(SHARE));
        Coarray::<[u8]>::try_zeroed(share)
            .ok()
            .map(|share| Self { share })
    }

    /// Collective. Writes the blocks of all images, in little endian, to a file whose global array starts at byte
    /// `offset`. This image's block is in `memory`. `seen` gets the bytes that this image writes, in the order of the
    /// file, and their offsets.
    #[track_caller]
    pub(crate) fn write(
        &mut self,
        file: &File,
        offset: u64,
        layout: &Layout,
        memory: &[u8],
        mut seen: impl FnMut(u64, &[u8]),
    ) -> Result<(), Failed> {
        let (images, bytes) = (num_images() as u64, layout.file_bytes());
        let share_bytes = self.share.len() as u64;
        let mut pieces = Pieces::of(layout);
        let mut outcome = Ok(());
        for window in 0..bytes.div_ceil(images * share_bytes) {
            let share = |image: usize| ((window * images + image as u64) * share_bytes).min(bytes);
            let open = self.share.try_open();
            let open = open.map_err(|failed| Failed::of_images(&failed))?;
            for image in 0..num_images() {
                let (place, start) = (open.at(image), share(image));
                pieces.up_to(share(image + 1), |piece| {
                    let at = (piece.file - start) as usize;
                    place[at..at + piece.bytes].put_from(&memory[piece.memory..][..piece.bytes]);
                });
            }
            open.close();
            let (start, end) = (share(this_image()), share(this_image() + 1));
            let own = &mut self.share[..(end - start) as usize];
            swap_for_file(layout.width(), own);
            seen(start, own);
            // An image that cannot write still gives the others their pieces.
            if outcome.is_ok() && !own.is_empty() {
                outcome = write_at(file, own, offset + start);
            }
        }
        outcome
    }
}

/// Bytes that lie one after the other in the file and in memory.
struct Piece {
    file: u64,
    memory: usize,
    bytes: usize,
}

/// The runs of a block, taken piece by piece.
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

    /// Gives `take` the pieces before this byte of the file that it has not got yet.
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
