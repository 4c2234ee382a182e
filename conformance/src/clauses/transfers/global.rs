//! Items and parts that are named by something else than an image and an index there.

use coarray::grid::ImageGrid;
use coarray::places::ReadOnly;
use coarray::prelude::*;

use crate::check::Check;
use crate::ring::right;

const LENGTH: usize = 3000;

pub fn gather_and_scatter(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let items = LENGTH * images;
    let mut x = Coarray::<[u32]>::from_fn(LENGTH, |index| (LENGTH * me + index) as u32);
    // Some are near each other, some come twice, and they are on all images.
    let indices: Vec<usize> = (0..600).map(|i| i * i * 37 % items).collect();
    // Each image has items of its own on every image.
    let mine: Vec<usize> = (0..400)
        .map(|i| i * i * 11 % items / images * images + me)
        .collect();
    let value = |image: usize, position: usize| !((1000 * image + position) as u32);
    {
        let x = x.open();
        let mut seen = vec![0; indices.len()];
        x.global().gather_from(&indices, &mut seen);
        let named: Vec<u32> = indices.iter().map(|&index| index as u32).collect();
        check.same_items("gathered", &seen, &named);
        sync_all();
        let put: Vec<u32> = (0..mine.len()).map(|at| value(me, at)).collect();
        x.global().scatter_to(&mine, &put);
        let back = x.global().at(mine[399]).get();
        check.same("the last after the scatter", back, put[399]);
    }
    let mut expected: Vec<u32> = (0..items as u32).collect();
    for image in 0..images {
        for (position, &index) in mine.iter().enumerate() {
            expected[index - me + image] = value(image, position);
        }
    }
    let expected = &expected[LENGTH * me..][..LENGTH];
    check.same_items("the part after the scatter", &x, expected);
}

pub fn coordinates(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let columns = 1 + images / 2;
    let grid = match ImageGrid::in_rows_of(columns) {
        Ok(grid) => grid.with_periodic([false, true]),
        Err(error) => return check.that(false, || error.to_string()),
    };
    let mut x = Coarray::new([me, 0, 0]);
    {
        let x = x.open();
        for (row, column) in (0..3).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let image = columns * row + column;
            let seen = x.on(&grid).try_at([row, column]).map(|part| part[0].get());
            check.same(
                "by its coordinates",
                seen,
                (image < images).then_some(image),
            );
        }
        let [row, column] = grid.coordinates();
        x.on(&grid).at([row, column])[1].put(1 + me);
        if let Some(part) = x.on(&grid).neighbour([-1, 0]) {
            part[2].put(1 + me);
        }
    }
    let below = me + columns;
    let expected = [me, 1 + me, if below < images { 1 + below } else { 0 }];
    check.same("what oneself and the image below put", *x, expected);
}

pub fn columns(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let rows = 1 + images / 2;
    let grid = match ImageGrid::in_columns_of(rows) {
        Ok(grid) => grid,
        Err(error) => return check.that(false, || error.to_string()),
    };
    let x = Coarray::<[Coatomic<usize>; 2]>::new([Coatomic::new(me), Coatomic::new(0)]);
    for (column, row) in (0..3).flat_map(|column| (0..rows).map(move |row| (column, row))) {
        let image = rows * column + row;
        let seen = x.on(&grid).try_at([row, column]).map(|part| part[0].load());
        check.same(
            "by its coordinates",
            seen,
            (image < images).then_some(image),
        );
    }
    for (_, image) in grid.neighbours() {
        x.at(image)[1].add(1 + me);
    }
    sync_all();
    // Who is my neighbour has me as one.
    let expected: usize = grid.neighbours().map(|(_, image)| 1 + image).sum();
    check.same("what the neighbours added", x[1].load(), expected);
}

pub fn read_only(check: &mut Check) {
    let mut x = Coarray::<[[u64; 4]; 50]>::zeroed();
    let x = x.open();
    let there = x.at(right(1));
    let (seen, begin) = (there.read_only(), there[0].address());
    let rows = begin.read_only().up_to((begin + 50).into());
    check.same("how many rows", rows.len(), 50);
    for (number, row) in x.here().iter().enumerate() {
        row.put([number as u64; 4]);
    }
    sync_all();
    check.same("a row", seen[7].get(), [7; 4]);
    let column = seen.column(2).to_vec();
    check.same_items("a column", &column, &(0..50).collect::<Vec<u64>>());
    let firsts: Vec<u64> = rows
        .rev()
        .map(|row| {
            // SAFETY: `x` is open, and the rows lie in it; the get completes at once.
            let row: Option<&Coref<[u64; 4], ReadOnly>> = unsafe { row.as_coref() };
            row.map_or(u64::MAX, |row| row[0].get())
        })
        .collect();
    check.same_items("backwards", &firsts, &(0..50).rev().collect::<Vec<u64>>());
}
