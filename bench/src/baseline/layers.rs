//! Layers of a three-dimensional array, copied within the memory of one image.

use std::hint::black_box;

/// Axes.
const AXES: usize = 3;

/// A part of an array.
#[derive(Clone, Copy, Debug)]
struct Cuboid {
    start: [usize; AXES],
    length: [usize; AXES],
}

/// An array with a halo of width 1 around a block, in private memory.
struct Private {
    cells: Vec<f64>,
    extents: [usize; AXES],
}

/// A function that fills the halo of width 1 around a block of this shape, in private memory, with the block's own
/// cells, a number of times: on each axis the last layer goes before the first, and the first behind the last. An
/// exchange has to move as many bytes. `with_corners` says whether edges and corners are filled as well.
pub fn wrap(block: [usize; AXES], with_corners: bool) -> impl FnMut(usize) {
    let extents = block.map(|cells| cells + 2);
    let mut array = Private {
        // Written once, so that the pages exist.
        cells: black_box(vec![-0.0; extents.iter().product()]),
        extents,
    };
    move |times| {
        for _ in 0..times {
            array.wrap(with_corners);
            black_box(&mut array.cells);
        }
    }
}

impl Private {
    #[inline(never)]
    fn wrap(&mut self, with_corners: bool) {
        for axis in 0..AXES {
            let last = self.extents[axis] - 2;
            for (from, to) in [(last, 0), (1, last + 1)] {
                self.copy(self.layer(axis, from, with_corners), axis, to);
            }
        }
    }

    /// The range at `index` on an axis; with corners, also the halos of the axes before.
    fn layer(&self, axis: usize, index: usize, with_corners: bool) -> Cuboid {
        let has_halo = |other: usize| with_corners && other < axis;
        Cuboid {
            start: std::array::from_fn(|other| match other {
                _ if other == axis => index,
                _ if has_halo(other) => 0,
                _ => 1,
            }),
            length: std::array::from_fn(|other| match other {
                _ if other == axis => 1,
                _ if has_halo(other) => self.extents[other],
                _ => self.extents[other] - 2,
            }),
        }
    }

    /// Copies a cuboid to where it begins at `index` on `axis`.
    fn copy(&mut self, source: Cuboid, axis: usize, index: usize) {
        let mut target = source.start;
        target[axis] = index;
        let row_of = |start: [usize; AXES], i: usize, j: usize| {
            ((start[0] + i) * self.extents[1] + start[1] + j) * self.extents[2] + start[2]
        };
        let [planes, rows, length] = source.length;
        for i in 0..planes {
            for j in 0..rows {
                let (from, to) = (row_of(source.start, i, j), row_of(target, i, j));
                if length == 1 {
                    self.cells[to] = self.cells[from];
                } else {
                    self.cells.copy_within(from..from + length, to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halo_is_filled_with_the_cells_of_the_other_end() {
        let block = [2, 3, 4];
        for with_corners in [false, true] {
            let extents = block.map(|cells| cells + 2);
            let places = || {
                let [planes, rows, columns] = extents;
                (0..planes).flat_map(move |i| {
                    (0..rows).flat_map(move |j| (0..columns).map(move |k| [i, j, k]))
                })
            };
            // The expected number of the cell, counted from 1, and on how many axes it lies outside.
            let number = |place: [usize; AXES]| {
                (0..AXES).fold((0, 0), |(number, outside), axis| {
                    let wrapped = (place[axis] + block[axis] - 1) % block[axis];
                    let is_inside = (1..=block[axis]).contains(&place[axis]);
                    (number * 10 + wrapped + 1, outside + usize::from(!is_inside))
                })
            };
            let value = |place, most: usize| match number(place) {
                (number, outside) if outside <= most => number as f64,
                _ => 0.0,
            };
            let mut array = Private {
                cells: places().map(|place| value(place, 0)).collect(),
                extents,
            };
            array.wrap(with_corners);
            let most = if with_corners { AXES } else { 1 };
            let expected: Vec<f64> = places().map(|place| value(place, most)).collect();
            assert_eq!(array.cells, expected);
        }
    }
}
