//! Image grids and divisions into blocks, against counting and walking step by step.

use coarray::grid::{BlockCyclic, Blocks, GridError, ImageGrid, share, share_of};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, panic_of};
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
    fn in_column_order_the_number_is_that_of_the_reversed_coordinates(
        (extents, periodic, _) in grids(),
        offset in [-7isize..8, -7isize..8, -7isize..8],
    ) {
        Setting::of(extents.iter().product()).run(|| {
            let reversed = |mut numbers: [usize; 3]| {
                numbers.reverse();
                numbers
            };
            let mirror = ImageGrid::new(reversed(extents)).unwrap();
            let grid = ImageGrid::new(extents).unwrap().with_periodic(periodic);
            assert!(!grid.is_column_major());
            let grid = grid.with_column_major();
            assert!(grid.is_column_major());
            assert_eq!((grid.extents(), grid.periodic()), (extents, periodic));
            assert_eq!(grid.coordinates(), grid.coordinates_of(this_image()));
            let mirror = mirror.with_periodic([periodic[2], periodic[1], periodic[0]]);
            for image in 0..num_images() {
                let at = grid.coordinates_of(image);
                assert_eq!(at, reversed(mirror.coordinates_of(image)));
                assert_eq!(grid.image_at(at), image);
                let there = mirror.neighbour_of(image, [offset[2], offset[1], offset[0]]);
                assert_eq!(grid.neighbour_of(image, offset), there);
            }
        });
    }

    #[test]
    fn all_neighbours_are_those_in_each_direction(
        (extents, periodic, _) in grids(),
        column_major in any::<bool>(),
    ) {
        Setting::of(extents.iter().product()).run(|| {
            let mut grid = ImageGrid::new(extents).unwrap().with_periodic(periodic);
            if column_major {
                grid = grid.with_column_major();
            }
            let mut expected = Vec::new();
            for direction in positions([3; 3]) {
                let direction = direction.map(|step| step as isize - 1);
                if let (true, Some(image)) = (direction != [0; 3], grid.neighbour(direction)) {
                    expected.push((direction, image));
                }
            }
            assert_eq!(grid.neighbours().collect::<Vec<_>>(), expected);
        });
    }

    #[test]
    fn blocks_are_dealt_out_to_the_images_in_turn(
        (extents, _, _) in grids(),
        shape in [0usize..9, 1usize..9, 1usize..9],
        block in [1usize..4, 1usize..4, 1usize..10],
        column_major in any::<bool>(),
    ) {
        Setting::of(extents.iter().product()).run(|| {
            let mut grid = ImageGrid::new(extents).unwrap();
            if column_major {
                grid = grid.with_column_major();
            }
            let layout = BlockCyclic::new(shape, block, grid.clone()).unwrap();
            assert_eq!((layout.shape(), layout.block(), layout.grid()), (shape, block, &grid));
            // The hand of each image along each axis, by dealing out.
            let hands: [Vec<Vec<usize>>; 3] = std::array::from_fn(|axis| {
                let mut hands = vec![Vec::new(); extents[axis]];
                let cells: Vec<usize> = (0..shape[axis]).collect();
                for (number, block) in cells.chunks(block[axis]).enumerate() {
                    hands[number % extents[axis]].extend(block);
                }
                hands
            });
            for image in 0..num_images() {
                let at = grid.coordinates_of(image);
                let hand = |axis: usize| &hands[axis][at[axis]];
                let cells: [usize; 3] = std::array::from_fn(|axis| hand(axis).len());
                assert_eq!(layout.local_shape(image), cells);
                assert!(cells.iter().zip(layout.largest_shape()).all(|(mine, most)| *mine <= most));
                for local in positions(cells) {
                    let global = std::array::from_fn(|axis| hand(axis)[local[axis]]);
                    assert_eq!(layout.global(image, local), global);
                    assert_eq!(layout.locate(global), (image, local));
                }
            }
            let mut own: Vec<[usize; 3]> = Vec::new();
            for [i, j, k] in layout.own_blocks() {
                assert!([&i, &j, &k].iter().all(|range| !range.is_empty()));
                let corner = [i.start, j.start, k.start];
                let cells = positions([i.len(), j.len(), k.len()]);
                own.extend(cells.iter().map(|cell| [0, 1, 2].map(|axis| corner[axis] + cell[axis])));
            }
            own.sort_unstable();
            let mine = |cell: &[usize; 3]| layout.locate(*cell).0 == this_image();
            let expected: Vec<_> = positions(shape).into_iter().filter(mine).collect();
            assert_eq!(own, expected);
            let text = panic_of(|| layout.locate(shape));
            assert!(text.contains(&format!("no cell {shape:?}")), "{text}");
            let text = panic_of(|| layout.global(0, layout.local_shape(0)));
            assert!(text.contains("on image 0, whose cells have shape"), "{text}");
        });
    }

    #[test]
    fn shares_differ_by_one_item_at_most_and_may_be_empty(
        images in 1usize..20,
        items in 0usize..60,
    ) {
        Setting::of(images).run(|| {
            let lengths = lengths(items, images);
            let mut start = 0;
            for (image, length) in lengths.into_iter().enumerate() {
                assert_eq!(share_of(items, image), start..start + length);
                start += length;
            }
            assert_eq!(share(items), share_of(items, this_image()));
            let text = panic_of(|| share_of(items, images));
            assert!(text.contains(&format!("no image {images}: the team has {images}")), "{text}");
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

#[test]
fn layouts_that_cannot_be_dealt_out_are_refused() {
    Setting::of(5).run(|| {
        let rows = || ImageGrid::in_rows_of(3).unwrap();
        let line = || ImageGrid::new([1, 5]).unwrap();
        let refused = |shape, block, grid| BlockCyclic::new(shape, block, grid).unwrap_err();
        let error = refused([4, 4], [1, 0], line());
        assert_eq!(error, GridError::EmptyBlock { axis: 1 });
        assert!(
            error.to_string().contains("0 cells along axis 1"),
            "{error}"
        );
        let error = refused([4, 4], [1, 1], rows());
        assert!(
            matches!(error, GridError::NotFull { images: 5, .. }),
            "{error}"
        );
        let error = refused([usize::MAX, 4], [1, 1], line());
        assert!(matches!(error, GridError::TooLarge { .. }), "{error}");
        // Cells that can be counted, in one block that is as long as can be.
        let layout =
            BlockCyclic::new([3, isize::MAX as usize / 3], [usize::MAX; 2], line()).unwrap();
        assert_eq!(layout.local_shape(0), layout.shape());
        assert_eq!(layout.local_shape(4), [3, 0]);
        let last = layout.shape().map(|cells| cells - 1);
        assert_eq!(
            (layout.locate(last), layout.global(0, last)),
            ((0, last), last)
        );
        let alone = BlockCyclic::cyclic(layout.shape(), line()).unwrap();
        let (image, local) = alone.locate(last);
        assert_eq!(alone.global(image, local), last);
    });
}
