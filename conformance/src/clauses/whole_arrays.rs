//! 17. Whole arrays: on one image and back, and from one division to another.

use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::ndarray::Array;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::ring::right;

/// The section.
pub const SECTION: Section = Section {
    number: 17,
    title: "whole arrays",
    clauses: &[
        Clause::new(
            "17.1",
            "the root gets the whole array, as it was when the others entered",
            gathered,
        ),
        Clause::new("17.2", "the root gets the part that it asks for", slices),
        Clause::new(
            "17.3",
            "each image gets its block of the root's array, and its halo stays",
            scattered,
        ),
        Clause::new(
            "17.4",
            "an array that is moved to another division, and back, is the same",
            moved,
        ),
        Clause::new(
            "17.5",
            "an open array has the blocks of all images, with their halos, and nothing else changes",
            opened,
        ),
    ],
};

/// An array divided into these blocks, whose cells all differ.
fn array(shape: [usize; 2], extents: [usize; 2], halo: usize) -> HaloArray<u64, 2> {
    let grid = ImageGrid::new(extents);
    let blocks = grid.and_then(|grid| Blocks::new(shape, grid));
    let made = blocks.and_then(|blocks| {
        let mut array = HaloArray::filled(&blocks, halo, UNTOUCHED)?;
        fill(&mut array, 0);
        Ok(array)
    });
    made.unwrap_or_else(|error| panic!("{error}"))
}

/// The value of halo cells that nothing was copied to.
const UNTOUCHED: u64 = 7;

fn value(cell: [usize; 2], step: usize) -> u64 {
    (1_000_000 * step + 1000 * cell[0] + cell[1] + 10) as u64
}

fn fill(array: &mut HaloArray<u64, 2>, step: usize) {
    let [rows, columns] = array.blocks().own_range();
    for ((i, j), cell) in array.interior_mut().indexed_iter_mut() {
        *cell = value([rows.start + i, columns.start + j], step);
    }
}

fn found(array: &HaloArray<u64, 2>) -> Vec<u64> {
    array.local().iter().copied().collect()
}

/// One row and one column of images.
fn grids() -> [[usize; 2]; 2] {
    [[num_images(), 1], [1, num_images()]]
}

fn gathered(check: &mut Check) {
    for extents in grids() {
        let mut u = array([2 * num_images(), 3 * num_images()], extents, 1);
        for step in 0..20 {
            fill(&mut u, step);
            let root = step % num_images();
            let whole = u.gather_global(root);
            check.same(
                "whether there is an array",
                whole.is_some(),
                this_image() == root,
            );
            for ((i, j), &cell) in whole.iter().flat_map(|whole| whole.indexed_iter()) {
                check.same(format!("cell {i}, {j}"), cell, value([i, j], step));
            }
        }
    }
}

fn slices(check: &mut Check) {
    for extents in grids() {
        let u = array([2 * num_images(), 3 * num_images()], extents, 1);
        let (rows, columns) = (1..num_images() + 1, num_images() - 1..3 * num_images());
        let part = u.gather_slice(0, [rows.clone(), columns.clone()]);
        for ((i, j), &cell) in part.iter().flat_map(|part| part.indexed_iter()) {
            let expected = value([rows.start + i, columns.start + j], 0);
            check.same(format!("cell {i}, {j} of the part"), cell, expected);
        }
    }
}

fn scattered(check: &mut Check) {
    for extents in grids() {
        let shape = [2 * num_images(), 3 * num_images()];
        let mut u = array(shape, extents, 1);
        let before = found(&u);
        for step in 0..20 {
            let root = step % num_images();
            let whole = Array::from_shape_fn(shape, |(i, j)| value([i, j], step));
            let given = (this_image() == root).then(|| whole.view());
            let outcome = u.scatter_global(root, given);
            check.that(outcome.is_ok(), || format!("step {step}: {outcome:?}"));
            let mut expected = array(shape, extents, 1);
            fill(&mut expected, step);
            check.same_items(format!("step {step}"), &found(&u), &found(&expected));
        }
        check.same("the number of cells", found(&u).len(), before.len());
    }
}

fn moved(check: &mut Check) {
    let shape = [2 * num_images(), 3 * num_images()];
    let [rows, columns] = grids();
    let (mut from, mut to) = (array(shape, rows, 1), array(shape, columns, 2));
    for step in 1..20 {
        fill(&mut from, step);
        let there = gmove(&from, &mut to);
        let mut expected = array(shape, columns, 2);
        fill(&mut expected, step);
        check.same_items(format!("step {step}"), &found(&to), &found(&expected));
        from.interior_mut().fill(0);
        let back = gmove(&to, &mut from);
        let mut expected = array(shape, rows, 1);
        fill(&mut expected, step);
        check.same_items(
            format!("step {step}, back"),
            &found(&from),
            &found(&expected),
        );
        let outcomes = (there, back);
        check.same("the outcomes", outcomes, (Ok(()), Ok(())));
    }
}

fn opened(check: &mut Check) {
    let (next, shape) = (right(1), [2 * num_images() + 1, 3 * num_images()]);
    for extents in grids() {
        let mut u = array(shape, extents, 2);
        let before = found(&u);
        let range = u.blocks().range(next);
        {
            let u = u.open();
            let there = u.at(next);
            check.same(
                "the extents of the block",
                there.extents(),
                range.clone().map(|range| range.len()),
            );
            let seen = there.column(2).to_vec();
            let expected: Vec<u64> = range[0]
                .clone()
                .map(|i| value([i, range[1].start + 2], 0))
                .collect();
            check.same_items("a column of another block", &seen, &expected);
            sync_all();
            there[[1, 1]].put(1);
            u.with_halo(next)[[0, 1]].put(2);
        }
        let columns = u.local().ncols();
        let mut expected = before;
        expected[3 * columns + 3] = 1;
        expected[1] = 2;
        check.same_items("the block and its halo", &found(&u), &expected);
    }
}
