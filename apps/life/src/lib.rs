//! The parts of the program `life`.
//!
//! * [`rle`] reads and writes patterns in the RLE format that Life programs exchange;
//! * [`block`] is the fast kernel: a rectangle of cells, one bit each, with a halo of one cell;
//! * [`serial`] is the slow and obvious torus against which the kernel is tested;
//! * [`decomposition`] divides a torus among images, [`torus`] computes it;
//! * [`picture`] draws a torus as a PNG file.
//!
//! A cell is named by its row and its column, both counted from 0, rows downwards.
//!
//! ```
//! use life::{block::Block, rle::Pattern};
//!
//! let glider = Pattern::parse("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!")?;
//! let mut torus = Block::new(16, 16);
//! let mut next = torus.clone();
//! for (row, column) in glider.alive() {
//!     torus.set(row, column, true);
//! }
//! for _ in 0..4 {
//!     torus.wrap();
//!     torus.step_into(&mut next);
//!     std::mem::swap(&mut torus, &mut next);
//! }
//! assert!(glider.alive().all(|(row, column)| torus.get(row + 1, column + 1)));
//! # Ok::<(), life::rle::RleError>(())
//! ```

pub mod block;
pub mod decomposition;
pub mod options;
pub mod picture;
pub mod rle;
pub mod serial;
pub mod torus;

#[cfg(test)]
mod patterns;
