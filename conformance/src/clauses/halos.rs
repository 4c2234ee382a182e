//! 16. Halo arrays.

use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid, exchange_many};
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::ring::{left, right};

/// The section.
pub const SECTION: Section = Section {
    number: 16,
    title: "halo arrays",
    clauses: &[
        Clause::new(
            "16.1",
            "blocks cover the array, and each cell has one place",
            places,
        ),
        Clause::new(
            "16.2",
            "an exchange fills faces, edges and corners, round periodic axes too",
            everything,
        ),
        Clause::new(
            "16.3",
            "cells that have arrived are of this exchange, whoever is early or late",
            many_exchanges,
        ),
        Clause::new(
            "16.4",
            "an exchange of faces, or of a part of the width, leaves the other cells alone",
            parts,
        ),
        Clause::new(
            "16.5",
            "own cells can be read while an exchange is under way",
            overlap,
        ),
        Clause::new("16.6", "several arrays are exchanged at once", several),
        Clause::new(
            "16.7",
            "an array belongs to the team that has made it",
            teams,
        ),
        Clause::new(
            "16.8",
            "an image gets its cells whatever neighbours of its neighbours do",
            neighbours_only,
        ),
    ],
};

/// A cell that is not of one word.
#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Cell {
    round: u32,
    at: [u16; 3],
    odd: u16,
}

impl Cell {
    fn of(round: u32, at: [usize; 3]) -> Self {
        Self {
            round,
            at: at.map(|at| at as u16),
            odd: (round % 2) as u16,
        }
    }
}

/// At least `cells` cells for each image along each axis, periodic along the last two axes.
fn blocks(cells: [usize; 3]) -> Blocks<3> {
    let grid = ImageGrid::balanced().with_periodic([false, true, true]);
    let extents = grid.extents();
    let shape = std::array::from_fn(|axis| extents[axis] * cells[axis] + (extents[axis] - 1) % 3);
    Blocks::new(shape, grid).expect("there are cells for each image")
}

/// The cell of the whole array at `index` of this image's part, whose halos have width `halo`; none beyond the end.
fn global(blocks: &Blocks<3>, halo: usize, index: [usize; 3]) -> Option<[usize; 3]> {
    let range = blocks.own_range();
    let shape = blocks.shape();
    let first = range[0].start + index[0];
    let is_inside = first >= halo && first - halo < shape[0];
    is_inside.then(|| {
        std::array::from_fn(|axis| {
            (range[axis].start + index[axis] + shape[axis] - halo) % shape[axis]
        })
    })
}

/// Along how many axes an index lies in the halo, and how far out at most.
fn depth(blocks: &Blocks<3>, halo: usize, index: [usize; 3]) -> (usize, usize) {
    let range = blocks.own_range();
    let outside = |axis: usize| {
        let end = halo + range[axis].len();
        halo.saturating_sub(index[axis])
            .max((index[axis] + 1).saturating_sub(end))
    };
    let depths = [0, 1, 2].map(outside);
    let axes = depths.iter().filter(|&&depth| depth > 0).count();
    (axes, depths.into_iter().max().unwrap_or(0))
}

/// Fills an array for a round, has it exchanged, and checks all cells. `moves` takes the `depth` of a halo cell and
/// says whether the exchange fills it.
fn round(
    check: &mut Check,
    array: &mut HaloArray<Cell, 3>,
    round: u32,
    moves: impl Fn((usize, usize)) -> bool,
    exchange: impl FnOnce(&mut HaloArray<Cell, 3>),
) {
    let blocks = array.blocks().clone();
    let halo = array.halo().lower[0];
    let untouched = Cell::of(round, [9999; 3]);
    let own = |index| depth(&blocks, halo, index).0 == 0;
    for ((i, j, k), cell) in array.local_mut().indexed_iter_mut() {
        *cell = match global(&blocks, halo, [i, j, k]) {
            Some(at) if own([i, j, k]) => Cell::of(round, at),
            _ => untouched,
        };
    }
    exchange(array);
    let wrong = array.local().indexed_iter().find_map(|((i, j, k), &cell)| {
        let index = [i, j, k];
        let expected = match global(&blocks, halo, index) {
            Some(at) if own(index) || moves(depth(&blocks, halo, index)) => Cell::of(round, at),
            _ => untouched,
        };
        (cell != expected).then_some((index, cell, expected))
    });
    check.that(wrong.is_none(), || {
        format!("round {round}: index, cell and what it should be: {wrong:?}")
    });
}

fn places(check: &mut Check) {
    let blocks = blocks([2, 3, 1]);
    let own: usize = blocks.own_range().map(|range| range.len()).iter().product();
    let mut all = own;
    co_sum(&mut all);
    check.same("the cells of all", all, blocks.cells());
    let array = HaloArray::from_fn(&blocks, 1, |at| Cell::of(0, at)).expect("it fits");
    for ((i, j, k), &cell) in array.interior().indexed_iter() {
        let at = array.global_of([i, j, k]);
        check.same("a cell", cell, Cell::of(0, at));
        check.same("its place", blocks.locate(at), (this_image(), [i, j, k]));
    }
}

fn everything(check: &mut Check) {
    // One shape has long rows.
    for cells in [[2, 2, 2], [3, 2, 900]] {
        let mut array = HaloArray::filled(&blocks(cells), 2, Cell::of(0, [0; 3])).expect("it fits");
        round(check, &mut array, 1, |_| true, HaloArray::exchange);
    }
}

fn many_exchanges(check: &mut Check) {
    let mut array = HaloArray::filled(&blocks([1, 2, 3]), 1, Cell::of(0, [0; 3])).expect("it fits");
    for number in 1..100 {
        if (this_image() + number).is_multiple_of(3) {
            std::thread::yield_now();
        }
        round(
            check,
            &mut array,
            number as u32,
            |_| true,
            HaloArray::exchange,
        );
    }
}

fn parts(check: &mut Check) {
    let mut array = HaloArray::filled(&blocks([2, 2, 2]), 2, Cell::of(0, [0; 3])).expect("it fits");
    for number in 1..10 {
        let faces = Exchange::faces();
        round(
            check,
            &mut array,
            3 * number,
            |(axes, _)| axes == 1,
            |array| {
                array.exchange_with(&faces);
            },
        );
        let narrow = Exchange::all().width(1);
        round(
            check,
            &mut array,
            3 * number + 1,
            |(_, depth)| depth == 1,
            |array| {
                array.exchange_with(&narrow);
            },
        );
        round(
            check,
            &mut array,
            3 * number + 2,
            |_| true,
            HaloArray::exchange,
        );
    }
}

fn overlap(check: &mut Check) {
    let mut array = HaloArray::filled(&blocks([2, 3, 4]), 1, Cell::of(0, [0; 3])).expect("it fits");
    for number in 1..20 {
        let mut sum = 0;
        round(
            check,
            &mut array,
            number,
            |_| true,
            |array| {
                let exchanging = array.exchange_start();
                sum = exchanging.interior().iter().map(|cell| cell.round).sum();
                exchanging.finish();
            },
        );
        let cells = array.interior().len() as u32;
        check.same("the sum of all rounds", sum, number * cells);
    }
}

fn several(check: &mut Check) {
    let blocks = blocks([2, 2, 2]);
    let ring = ImageGrid::new([num_images()]).expect("all images");
    let ring = Blocks::new([2 * num_images()], ring.with_periodic([true])).expect("two for each");
    let mut other = HaloArray::filled(&ring, 1, 0u8).expect("it fits");
    let mut array = HaloArray::filled(&blocks, 1, Cell::of(0, [0; 3])).expect("it fits");
    for number in 1..20 {
        other.interior_mut().fill(number + this_image() as u8);
        round(
            check,
            &mut array,
            u32::from(number),
            |_| true,
            |array| {
                exchange_many(&mut [&mut other, array]);
            },
        );
        let sides = [other.local()[0], other.local()[3]];
        let expected = [left(1), right(1)].map(|image| number + image as u8);
        check.same("the cells of the neighbours", sides, expected);
    }
}

fn teams(check: &mut Check) {
    let mut whole = HaloArray::filled(&blocks([2, 1, 2]), 1, Cell::of(0, [0; 3])).expect("it fits");
    let team = Team::form(this_image() as u64 % 2);
    team.change(|| {
        let mut part =
            HaloArray::filled(&blocks([1, 2, 2]), 1, Cell::of(0, [0; 3])).expect("it fits");
        for number in 1..10 {
            round(check, &mut part, number, |_| true, HaloArray::exchange);
        }
    });
    round(check, &mut whole, 1, |_| true, HaloArray::exchange);
}

fn neighbours_only(check: &mut Check) {
    // Three images on a line; with any other number of images this is a plain exchange.
    let (me, last) = (this_image(), 2);
    let event = Coarray::new(Coevent::new());
    let line = ImageGrid::new([num_images()]).expect("all images");
    let line = Blocks::new([num_images()], line).expect("one for each");
    let mut array = HaloArray::filled(&line, 1, me).expect("it fits");
    if num_images() != last + 1 {
        return array.exchange();
    }
    if me == 1 {
        let exchanging = array.exchange_start();
        event.at(last).post();
        exchanging.finish();
    } else {
        event.wait();
        array.exchange();
        if me == last {
            event.at(0).post();
        }
    }
    let cells = array.local().to_vec();
    let expected = [[0, 0, 1], [0, 1, 2], [1, 2, 2]];
    check.same_items("the cells", &cells, &expected[me]);
}
