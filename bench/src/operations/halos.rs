//! Exchange of the halo, one cell wide, of a periodic array of `f64` in three dimensions, four times as long on the first
//! two axes as on the third. The images divide the first axis; on the others, each is its own neighbour. The size is that of
//! the whole array; the largest has 512 x 512 x 128 cells.
//!
//! # The bounds
//! Each image copies layers of the same shapes within an array of its own, all images at once.

use coarray::grid::{Blocks, Exchange, GridError, HaloArray, ImageGrid};
use coarray::{error_stop_with, num_images, this_image};

use super::{Operation, Part, Trial};
use crate::baseline;
use crate::stopwatch::Action;

/// Beginning with what fits into caches.
const SIZES: &[usize] = &[512 << 10, 4 << 20, 32 << 20, 256 << 20];

/// `array.exchange()`: faces, edges and corners.
pub const HALO: Operation = Operation {
    name: "halo",
    sizes: SIZES,
    prepare: |bytes, _| trial(bytes, true).unwrap_or_else(|error| stop(&error)),
};

/// `array.exchange_with(&Exchange::faces())`.
pub const HALO_FACES: Operation = Operation {
    name: "halo_faces",
    sizes: SIZES,
    prepare: |bytes, _| trial(bytes, false).unwrap_or_else(|error| stop(&error)),
};

fn stop(error: &GridError) -> ! {
    error_stop_with(1, format_args!("cobench: {error}"))
}

/// Collective. An exchange, which was checked once, and its bound.
fn trial(bytes: usize, with_corners: bool) -> Result<Trial, GridError> {
    let blocks = divided(bytes)?;
    let bound = baseline::wrap(blocks.block_shape(this_image()), with_corners);
    Ok(Trial {
        own: exchange(&blocks, with_corners)?,
        bound: vec![Part::new(1.0, bound)],
    })
}

/// Collective. An array of so many bytes, or of more if there would be images without cells.
pub fn divided(bytes: usize) -> Result<Blocks<3>, GridError> {
    let cells = bytes / size_of::<f64>();
    let mut side = 1;
    while 16 * side * side * side < cells {
        side += 1;
    }
    let shape = [(4 * side).max(num_images()), 4 * side, side];
    let grid = ImageGrid::new([num_images(), 1, 1])?;
    Blocks::new(shape, grid.with_periodic([true; 3]))
}

/// Collective. The exchange, ready to run; checked once.
fn exchange(blocks: &Blocks<3>, with_corners: bool) -> Result<Action, GridError> {
    let mut array = HaloArray::filled(blocks, 1, UNTOUCHED)?;
    let wanted = match with_corners {
        true => Exchange::all(),
        false => Exchange::faces(),
    };
    let shape = blocks.shape();
    let first = blocks.own_range().map(|range| range.start);
    for ((i, j, k), cell) in array.interior_mut().indexed_iter_mut() {
        *cell = number([first[0] + i, first[1] + j, first[2] + k], shape);
    }
    array.exchange_with(&wanted);
    let block = blocks.block_shape(this_image());
    for ((i, j, k), &cell) in array.local().indexed_iter() {
        let local = [i, j, k];
        let wrapped = |axis: usize| (first[axis] + local[axis] + shape[axis] - 1) % shape[axis];
        let outside = (0..3).filter(|&axis| !(1..=block[axis]).contains(&local[axis]));
        let expected = match outside.count() {
            2 | 3 if !with_corners => UNTOUCHED,
            _ => number(std::array::from_fn(wrapped), shape),
        };
        assert_eq!(cell, expected, "cell {local:?} after the exchange");
    }
    Ok(Box::new(move |times| {
        for _ in 0..times {
            array.exchange_with(&wanted);
        }
    }))
}

/// In cells of the halo that nobody has written.
pub const UNTOUCHED: f64 = -1.0;

/// The number of a cell in the whole array.
fn number(cell: [usize; 3], shape: [usize; 3]) -> f64 {
    ((cell[0] * shape[1] + cell[1]) * shape[2] + cell[2]) as f64
}
