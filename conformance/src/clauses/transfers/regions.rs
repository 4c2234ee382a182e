//! Blocks of arrays of several dimensions.

use coarray::asynchronous::async_scope;
use coarray::places::Every;
use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

const ROWS: usize = 6;

/// Short rows, and rows that are longer than what fabrics stage.
const SHORT: usize = 5;
const LONG: usize = 300;

type Planes<const COLUMNS: usize> = [[[i64; COLUMNS]; ROWS]; 4];

/// All items of all images are different.
fn planes<const COLUMNS: usize>(image: usize) -> Planes<COLUMNS> {
    std::array::from_fn(|plane| {
        std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                (((10 * image + plane) * ROWS + row) * COLUMNS + column) as i64
            })
        })
    })
}

/// Start, end and step of each dimension.
type Block = [(usize, usize, usize); 3];

fn blocks_of<const COLUMNS: usize>() -> [Block; 5] {
    [
        [(0, 4, 1), (0, ROWS, 1), (0, COLUMNS, 1)],
        [(1, 3, 1), (2, 5, 1), (1, COLUMNS - 1, 1)],
        [(0, 4, 1), (0, ROWS, 1), (COLUMNS - 1, COLUMNS, 1)],
        [(0, 4, 3), (1, ROWS, 2), (0, COLUMNS, 2)],
        [(3, 4, 1), (0, ROWS, 5), (0, COLUMNS, 1)],
    ]
}

fn selection(block: Block) -> [Every<std::ops::Range<usize>>; 3] {
    block.map(|(start, end, step)| (start..end).every(step))
}

/// Calls `each` for every item of the block.
fn visit<const COLUMNS: usize>(
    planes: &mut Planes<COLUMNS>,
    block: Block,
    mut each: impl FnMut(&mut i64),
) {
    let [in_planes, rows, columns] = block.map(|(start, end, step)| (start..end).step_by(step));
    for plane in in_planes {
        for row in rows.clone() {
            columns
                .clone()
                .for_each(|column| each(&mut planes[plane][row][column]));
        }
    }
}

fn items<const COLUMNS: usize>(mut planes: Planes<COLUMNS>, block: Block) -> Vec<i64> {
    let mut items = Vec::new();
    visit(&mut planes, block, |item| items.push(*item));
    items
}

pub fn blocks(check: &mut Check) {
    for is_in_flight in [false, true] {
        each_block::<SHORT>(check, is_in_flight);
        each_block::<LONG>(check, is_in_flight);
    }
}

fn each_block<const COLUMNS: usize>(check: &mut Check, is_in_flight: bool) {
    for block in blocks_of::<COLUMNS>() {
        let mut x = Coarray::new(planes::<COLUMNS>(this_image()));
        {
            let x = x.open();
            let expected = items(planes::<COLUMNS>(right(1)), block);
            let region = x.at(right(1)).region(selection(block));
            let mut seen = vec![0; expected.len()];
            match is_in_flight {
                false => region.get_into(&mut seen),
                true => async_scope(|scope| drop(region.get_into_async(&mut seen, scope))),
            }
            check.same_items(format!("got {block:?}"), &seen, &expected);
            sync_all();
            let values: Vec<i64> = (0..expected.len() as i64).map(|item| -item - 1).collect();
            match is_in_flight {
                false => region.put_from(&values),
                true => async_scope(|scope| drop(region.put_from_async(&values, scope))),
            }
            sync_all();
            let seen = x.at(right(2)).region(selection(block)).to_vec();
            check.same_items(format!("got {block:?} after a put"), &seen, &values);
        }
        let (mut expected, mut next) = (planes::<COLUMNS>(this_image()), 0);
        visit(&mut expected, block, |item| {
            next -= 1;
            *item = next;
        });
        let (seen, expected) = (x.as_flattened().as_flattened(), expected.as_flattened());
        let what = format!("the planes after a put of {block:?}");
        check.same_items(what, seen, expected.as_flattened());
    }
}

pub fn in_order(check: &mut Check) {
    let mut x = Coarray::<[[i64; LONG]; ROWS]>::zeroed();
    {
        let x = x.open();
        let there = x.at(right(1));
        for round in 1..50 {
            there[2].put_from(&[round; LONG]);
            let (middle, column) = (there.region((.., 100..200)), there.region((.., 100)));
            middle.put_from(&[-round; 100 * ROWS]);
            column.fill(7);
            let seen = there[2].get();
            check.same("left of the block", seen[99], round);
            check.same("the column in it", seen[100], 7);
            check.same("in the block", seen[101], -round);
            there[3][150].put(8);
            let seen = middle.to_vec();
            check.same("a put after that of the block", seen[350], 8);
            check.same("beside it", seen[351], -round);
        }
    }
}

pub fn copies(check: &mut Check) {
    let mut x = Coarray::new(planes::<SHORT>(this_image()));
    {
        let x = x.open();
        let from = x.at(right(1)).region((1, 1..5, 2));
        x.at(left(1)).region((0, 0, 1..)).copy_from(&from);
        sync_all();
        let there = x.at(right(1));
        let copied = there
            .region((2, 1.., 1..))
            .copy_from_async(&there.region((2, ..5, ..4)));
        copied.wait();
    }
    let mut expected = planes::<SHORT>(this_image());
    let source = planes::<SHORT>(right(2));
    for item in 0..4 {
        expected[0][0][1 + item] = source[1][1 + item][2];
    }
    let old = expected[2];
    for row in 1..ROWS {
        expected[2][row][1..].copy_from_slice(&old[row - 1][..4]);
    }
    let (seen, expected) = (x.as_flattened().as_flattened(), expected.as_flattened());
    check.same_items("the planes", seen, expected.as_flattened());
}

pub fn run_time_extents(check: &mut Check) {
    for extents in [[1, 1], [3, 5], [7, 2 + num_images()], [40, 300]] {
        let value =
            |image: usize, [i, j]: [usize; 2]| ((image * extents[0] + i) * extents[1] + j) as i64;
        let mut x = NdCoarray::<i64, 2>::from_fn(extents, |index| value(this_image(), index));
        let (last_row, last_column) = (extents[0] - 1, extents[1] - 1);
        {
            let x = x.open();
            let there = x.at(right(1));
            let seen = there[[last_row, last_column]].get();
            check.same(
                "the last place",
                seen,
                value(right(1), [last_row, last_column]),
            );
            let row: Vec<i64> = (0..extents[1])
                .map(|j| value(right(1), [last_row, j]))
                .collect();
            check.same_items("the last row", &there.row(last_row).to_vec(), &row);
            let column: Vec<i64> = (0..extents[0])
                .map(|i| value(right(1), [i, last_column]))
                .collect();
            check.same_items(
                "the last column",
                &there.column(last_column).to_vec(),
                &column,
            );
            sync_all();
            drop(there.region((.., ..last_column)).fill_async(-1)); // complete when the phase ends
            there[[last_row, last_column]].put(-2);
        }
        let mut expected = Vec::new();
        for i in 0..extents[0] {
            expected.resize(expected.len() + last_column, -1);
            expected.push(if i == last_row {
                -2
            } else {
                value(this_image(), [i, last_column])
            });
        }
        check.same_items(format!("extents {extents:?}"), x.as_slice(), &expected);
    }
}
