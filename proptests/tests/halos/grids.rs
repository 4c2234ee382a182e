//! Image grids and divisions into blocks, against counting and walking step by step.

use coarray::grid::{Blocks, ImageGrid};
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

/// All positions in a grid, the last coordinate counting fastest.
fn positions(extents: [usize; 3]) -> Vec<[usize; 3]> {
    let [a, b, c] = extents;
    let rows = (0..a).flat_map(|i| (0..b).map(move |j| (i, j)));
    rows.flat_map(|(i, j)| (0..c).map(move |k| [i, j, k]))
        .collect()
}

/// Where one comes to from `at` by so many steps along an axis with so many images.
fn walk(mut at: usize, steps: isize, images: usize, is_periodic: bool) -> Option<usize> {
    for _ in 0..steps.unsigned_abs() {
        at = match (steps > 0, is_periodic) {
            (true, _) if at + 1 < images => at + 1,
            (false, _) if at > 0 => at - 1,
            (true, true) => 0,
            (false, true) => images - 1,
            (_, false) => return None,
        };
    }
    Some(at)
}

/// The blocks along an axis: cells are dealt out one by one, and each block is as long as its hand.
fn lengths(cells: usize, images: usize) -> Vec<usize> {
    let mut lengths = vec![0; images];
    (0..cells).for_each(|cell| lengths[cell % images] += 1);
    lengths
}

/// A grid of at most 18 images, which axes are periodic, and the cells of an array.
fn grids() -> impl Strategy<Value = ([usize; 3], [bool; 3], [usize; 3])> {
    let extents = [1usize..4, 1usize..4, 1usize..3];
    (
        extents,
        any::<[bool; 3]>(),
        [0usize..6, 0usize..6, 0usize..6],
    )
        .prop_map(|(extents, periodic, more)| {
            let cells = std::array::from_fn(|axis| extents[axis] + more[axis]);
            (extents, periodic, cells)
        })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn the_number_of_an_image_is_the_row_major_index_of_its_coordinates(
        (extents, periodic, _) in grids(),
        offset in [-7isize..8, -7isize..8, -7isize..8],
    ) {
        let positions = positions(extents);
        Setting::of(positions.len()).run(|| {
            let grid = ImageGrid::new(extents).unwrap().with_periodic(periodic);
            assert_eq!((grid.extents(), grid.periodic()), (extents, periodic));
            assert_eq!((grid.images(), grid.coordinates()), (num_images(), positions[this_image()]));
            for (image, &position) in positions.iter().enumerate() {
                assert_eq!((grid.image_at(position), grid.coordinates_of(image)), (image, position));
                let step = |axis: usize| {
                    walk(position[axis], offset[axis], extents[axis], periodic[axis])
                };
                let there = (|| Some([step(0)?, step(1)?, step(2)?]))();
                let there = there.map(|there| grid.image_at(there));
                assert_eq!(grid.neighbour_of(image, offset), there);
                assert!(image != this_image() || grid.neighbour(offset) == there);
            }
        });
    }

    #[test]
    fn blocks_differ_by_one_cell_at_most_and_the_longer_ones_come_first(
        (extents, _, cells) in grids(),
    ) {
        let (positions, everywhere) = (positions(extents), self::positions(cells));
        Setting::of(positions.len()).run(|| {
            let blocks = Blocks::new(cells, ImageGrid::new(extents).unwrap()).unwrap();
            assert_eq!((blocks.shape(), blocks.cells()), (cells, everywhere.len()));
            assert_eq!(blocks.own_range(), blocks.range(this_image()));
            for (image, position) in positions.iter().enumerate() {
                let range = blocks.range(image);
                for axis in 0..3 {
                    let lengths = lengths(cells[axis], extents[axis]);
                    let before: usize = lengths[..position[axis]].iter().sum();
                    assert_eq!(range[axis], before..before + lengths[position[axis]]);
                    assert_eq!(blocks.block_shape(image)[axis], lengths[position[axis]]);
                }
            }
            for &cell in &everywhere {
                let holds = |image: &usize| {
                    let range = blocks.range(*image);
                    (0..3).all(|axis| range[axis].contains(&cell[axis]))
                };
                let owners: Vec<usize> = (0..num_images()).filter(holds).collect();
                let (owner, local) = blocks.locate(cell);
                assert_eq!(owners, [owner], "of cell {cell:?}");
                assert_eq!(blocks.global(owner, local), cell);
            }
        });
    }

    #[test]
    fn a_balanced_grid_is_the_one_of_all_that_is_promised(
        images in 1usize..25,
        factors in [1usize..6, 1usize..6, 1usize..6],
    ) {
        let all = positions([images; 3]).into_iter().map(|grid| grid.map(|extent| extent + 1));
        let all: Vec<[usize; 3]> = all.filter(|grid| grid.iter().product::<usize>() == images).collect();
        // All blocks are alike, so that what an image exchanges depends on its neighbours alone.
        let cells = factors.map(|factor| factor * images);
        let exchanged = |grid: &[usize; 3]| {
            let block = [0, 1, 2].map(|axis| cells[axis] / grid[axis]);
            let face = |axis: usize| {
                let neighbours = (grid[axis] - 1).min(2);
                neighbours * block.iter().product::<usize>() / block[axis]
            };
            face(0) + face(1) + face(2)
        };
        let least = all.iter().map(exchanged).min().unwrap();
        let narrowest = all.iter().map(|grid| grid.iter().copied().max().unwrap()).min().unwrap();
        Setting::of(images).run(|| {
            let cube = ImageGrid::<3>::balanced().extents();
            assert!(all.contains(&cube) && cube.is_sorted_by(|a, b| a >= b), "{cube:?}");
            assert_eq!(cube[0], narrowest);
            let fitting = ImageGrid::balanced_for(cells).unwrap().extents();
            assert!(all.contains(&fitting), "{fitting:?}");
            assert_eq!(exchanged(&fitting), least, "{fitting:?} of {cells:?}");
            // With fewer cells than images along an axis, only some grids are left, or none.
            let fits = |grid: &&[usize; 3]| (0..3).all(|axis| grid[axis] <= factors[axis]);
            match ImageGrid::balanced_for(factors) {
                Ok(grid) => assert!(all.iter().filter(fits).any(|one| *one == grid.extents())),
                Err(_) => assert_eq!(all.iter().filter(fits).count(), 0),
            }
        });
    }
}
