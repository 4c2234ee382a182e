//! Halo arrays of any shape on any grid of images.

use std::ops::Range;

use coarray::grid::{Blocks, Halo, HaloArray, ImageGrid};
use coarray::ndarray::{ArrayView, Dim, Dimension};
use coarray_proptests::{Sample, Setting, bits, mix};
use proptest::prelude::*;
use proptest::sample::Index;

/// An array, and two ways to divide it among the images of a job.
#[derive(Clone, Debug)]
pub struct Case<const D: usize> {
    pub setting: Setting,
    pub shape: [usize; D],
    pub ways: [Way<D>; 2],
    pub root: usize,
    /// Some of the cells, or none.
    pub slice: [Range<usize>; D],
    pub seed: u64,
}

/// A way to divide an array.
#[derive(Clone, Copy, Debug)]
pub struct Way<const D: usize> {
    extents: [usize; D],
    periodic: [bool; D],
    halo: Halo<D>,
}

/// The ways to write a number as a product of `D` numbers.
fn factorisations<const D: usize>(number: usize) -> Vec<[usize; D]> {
    fn rest(number: usize, axes: usize) -> Vec<Vec<usize>> {
        if axes == 0 {
            return if number == 1 { vec![vec![]] } else { vec![] };
        }
        let factors = (1..=number).filter(|factor| number.is_multiple_of(*factor));
        factors
            .flat_map(|factor| {
                let rest = rest(number / factor, axes - 1);
                rest.into_iter().map(move |mut rest| {
                    rest.push(factor);
                    rest
                })
            })
            .collect()
    }
    rest(number, D)
        .into_iter()
        .map(|factors| factors.try_into().expect("there are D of them"))
        .collect()
}

/// Any case.
pub fn any_case<const D: usize>() -> impl Strategy<Value = Case<D>> {
    let ways = (any::<[Index; 2]>(), any::<u64>());
    let cells = (prop::collection::vec(0usize..6, D), any::<u64>());
    let rest = (
        any::<Index>(),
        prop::collection::vec(any::<[Index; 2]>(), D),
    );
    (Setting::anywhere(), ways, cells, rest).prop_map(
        |(setting, (grids, widths), (more, seed), (root, ends))| {
            let possible = factorisations::<D>(setting.images);
            let grids = grids.map(|grid| possible[grid.index(possible.len())]);
            let shape: [usize; D] =
                std::array::from_fn(|axis| grids[0][axis].max(grids[1][axis]) + more[axis]);
            let way = |which: usize| {
                let extents = grids[which];
                // A halo holds cells of the next image only.
                let width = |axis: usize, side: u64| {
                    let any = mix(widths, (which * D + axis) as u64 * 2 + side) % 3;
                    (any as usize).min(shape[axis] / extents[axis])
                };
                Way {
                    extents,
                    periodic: std::array::from_fn(|axis| mix(seed, axis as u64).is_multiple_of(2)),
                    halo: Halo {
                        lower: std::array::from_fn(|axis| width(axis, 0)),
                        upper: std::array::from_fn(|axis| width(axis, 1)),
                    },
                }
            };
            Case {
                setting,
                shape,
                ways: [way(0), way(1)],
                root: root.index(setting.images),
                slice: std::array::from_fn(|axis| {
                    let [one, other] = ends[axis].map(|end| end.index(shape[axis] + 1));
                    one.min(other)..one.max(other)
                }),
                seed,
            }
        },
    )
}

impl<const D: usize> Case<D>
where
    Dim<[usize; D]>: Dimension,
{
    /// Runs `body` on each image.
    #[track_caller]
    pub fn run(&self, body: impl Fn() + Sync) {
        self.setting.run_in(4 << 20, body);
    }

    /// The value of a cell of the whole array.
    pub fn value<T: Sample>(&self, cell: [usize; D]) -> T {
        T::sample(mix(self.seed, number(cell, self.shape)))
    }

    /// Collective. The array with its values, or, if it is not `full`, without; divided in one of the ways. Each cell of the
    /// halo has a value of its own.
    pub fn array<T: Sample>(&self, way: usize, full: bool) -> HaloArray<T, D> {
        let Way {
            extents,
            periodic,
            halo,
        } = self.ways[way];
        let mut grid = ImageGrid::new(extents).unwrap().with_periodic(periodic);
        if (self.seed + way as u64).is_multiple_of(3) {
            grid = grid.with_column_major();
        }
        let blocks = Blocks::new(self.shape, grid).unwrap();
        let mut array = HaloArray::filled(&blocks, halo, T::sample(0)).unwrap();
        let mut local = array.local_mut();
        for (index, cell) in local.iter_mut().enumerate() {
            *cell = T::sample(mix(!self.seed, index as u64));
        }
        if full {
            let first = blocks.own_range().map(|range| range.start);
            let shape = blocks.block_shape(coarray::this_image());
            for (index, cell) in array.interior_mut().iter_mut().enumerate() {
                let local = place(index, shape);
                *cell = self.value(std::array::from_fn(|axis| first[axis] + local[axis]));
            }
        }
        array
    }

    /// Whether an array divided in one of the ways has the values of the case, or, if it is not `full`, those that it was
    /// made with; and its halo is as it was made.
    #[track_caller]
    pub fn check<T: Sample>(&self, array: &HaloArray<T, D>, way: usize, full: bool) {
        let expected = self.array::<T>(way, full);
        let (found, expected) = (cells(array.local()), cells(expected.local()));
        assert!(
            bits(&found[..]) == bits(&expected[..]),
            "{found:?} instead of {expected:?}"
        );
    }

    /// The cells of a part of the whole array.
    pub fn part<T: Sample>(&self, part: &[Range<usize>; D]) -> Vec<T> {
        let shape = part.clone().map(|range| range.len());
        let value = |index| {
            let local = place(index, shape);
            self.value(std::array::from_fn(|axis| part[axis].start + local[axis]))
        };
        (0..shape.iter().product()).map(value).collect()
    }

    /// The indices of the whole array.
    pub fn whole(&self) -> [Range<usize>; D] {
        self.shape.map(|cells| 0..cells)
    }
}

/// The cells of a view, row by row.
pub fn cells<T: Sample, const D: usize>(view: ArrayView<'_, T, Dim<[usize; D]>>) -> Vec<T>
where
    Dim<[usize; D]>: Dimension,
{
    view.iter().copied().collect()
}

/// The cell with that number, row by row.
fn place<const D: usize>(mut number: usize, shape: [usize; D]) -> [usize; D] {
    let mut cell = [0; D];
    for axis in (0..D).rev() {
        cell[axis] = number % shape[axis];
        number /= shape[axis];
    }
    cell
}

fn number<const D: usize>(cell: [usize; D], shape: [usize; D]) -> u64 {
    cell.iter()
        .zip(&shape)
        .fold(0, |number, (&at, &cells)| number * cells as u64 + at as u64)
}
