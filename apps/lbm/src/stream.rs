//! Streaming and collision in one pass: the populations that arrive in cells collide there.

use std::array;

use coarray::ndarray::{ArrayView3, ArrayViewMut3, Axis};

use lbm::lattice::{LANES, Q, WEIGHTS, collide};

/// Lets the populations `arriving` in some cells collide there. Lines along the last axis lie in one piece.
pub(crate) fn advance(
    arriving: &[ArrayView3<'_, f64>; Q],
    cells: &mut [ArrayViewMut3<'_, f64>; Q],
    relaxation: f64,
) {
    let (planes, lines, _) = cells[0].dim();
    for plane in 0..planes {
        for line in 0..lines {
            let from = array::from_fn(|number| {
                let line = arriving[number]
                    .index_axis(Axis(0), plane)
                    .index_axis_move(Axis(0), line);
                line.to_slice().expect("lines lie in one piece")
            });
            let to = cells.each_mut().map(|cells| {
                let line = cells
                    .index_axis_mut(Axis(0), plane)
                    .index_axis_move(Axis(0), line);
                line.into_slice().expect("lines lie in one piece")
            });
            advance_line(&from, to, relaxation);
        }
    }
}

fn advance_line(from: &[&[f64]; Q], mut to: [&mut [f64]; Q], relaxation: f64) {
    let length = to[0].len();
    for start in (0..length).step_by(LANES) {
        let lanes = LANES.min(length - start);
        // Lanes without a cell hold a fluid at rest.
        let mut populations = WEIGHTS.map(|weight| [weight; LANES]);
        for (lanes_of, from) in populations.iter_mut().zip(from) {
            match from[start..].first_chunk() {
                Some(chunk) => *lanes_of = *chunk,
                None => lanes_of[..lanes].copy_from_slice(&from[start..][..lanes]),
            }
        }
        collide(&mut populations, relaxation);
        for (lanes_of, to) in populations.iter().zip(&mut to) {
            match to[start..].first_chunk_mut() {
                Some(chunk) => *chunk = *lanes_of,
                None => to[start..][..lanes].copy_from_slice(&lanes_of[..lanes]),
            }
        }
    }
}
