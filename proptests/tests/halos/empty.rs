//! More images than cells: the last images have none, and take part in everything.

use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::ndarray::{Array, ArrayView1, Ix2};
use coarray::prelude::*;

#[coarray::test(images = [3, 4])]
fn an_image_may_lack_cells_along_any_axis() {
    for axis in 0..4 {
        let mut extents = [1; 4];
        extents[axis] = num_images();
        let blocks = Blocks::new([2; 4], ImageGrid::new(extents).unwrap()).unwrap();
        let mut u = HaloArray::from_fn(&blocks, 0, |at| at).unwrap();
        u.exchange();
        assert_eq!(u.interior().len(), u.local().len());
        assert_eq!(u.interior().is_empty(), this_image() > 1);
        let all = u.gather_global(2);
        assert!(all.is_none_or(|all| all.len() == 16 && all[[1, 0, 1, 0]] == [1, 0, 1, 0]));
    }
}

/// Grids of all images, the second one the other way round.
fn grids() -> [ImageGrid<2>; 2] {
    let images = num_images();
    [[images, 1], [1, images]].map(|extents| ImageGrid::new(extents).unwrap())
}

fn cell([i, j]: [usize; 2]) -> u32 {
    (100 * i + j) as u32
}

#[coarray::test(images = [1, 2, 3, 5, 8])]
fn images_without_cells_take_part() {
    let images = num_images();
    for shape in [[1, 1], [2, 7], [4, 1], [3, 3]] {
        let [rows, columns] = grids().map(|grid| Blocks::new(shape, grid).unwrap());
        let whole = Array::from_shape_fn(Ix2(shape[0], shape[1]), |(i, j)| cell([i, j]));
        let mut u = HaloArray::from_fn(&rows, 0, cell).unwrap();
        let mine = rows.own_range();
        assert_eq!(u.interior().dim(), (mine[0].len(), shape[1]));
        let is_mine =
            |((i, j), &value): ((usize, usize), &u32)| value == cell([mine[0].start + i, j]);
        assert!(u.local().indexed_iter().all(is_mine));
        u.exchange();
        for root in 0..images {
            let gathered = u.gather_global(root);
            assert!(gathered.is_none_or(|all| all == whole));
        }
        // Halos along the axis on which nobody lacks cells.
        let [ring, _] = grids();
        let ring = ring.with_periodic([false, true]);
        let ring = Blocks::new(shape, ring).unwrap();
        let mut w = HaloArray::from_fn(&ring, [(0, 0), (1, 1)], cell).unwrap();
        w.exchange();
        assert_eq!(w.local().dim(), (mine[0].len(), shape[1] + 2));
        let wraps = |(i, row): (usize, ArrayView1<'_, u32>)| {
            row[0] == cell([mine[0].start + i, shape[1] - 1])
        };
        assert!(w.local().outer_iter().enumerate().all(wraps));
        assert!(w.gather_global(0).is_none_or(|all| all == whole));
        let mut v = HaloArray::filled(&columns, 0, 0).unwrap();
        gmove(&u, &mut v).unwrap();
        let root = images - 1; // without cells, if any is
        assert!(v.gather_global(root).is_none_or(|all| all == whole));
        let doubled = &whole * 2;
        let given = (this_image() == root).then(|| doubled.view());
        v.scatter_global(root, given).unwrap();
        assert!(v.gather_global(0).is_none_or(|all| all == doubled));
        // The global indices of a coarray that is divided so.
        let most = columns.block_shape(0).iter().product();
        let mut x = Coarray::<[u32]>::from_fn(most, |_| 0);
        for (place, value) in x.iter_mut().zip(v.interior()) {
            *place = *value;
        }
        let x = x.open();
        let all: Vec<usize> = (0..shape[0] * shape[1]).collect();
        let mut values = vec![0; all.len()];
        (&x).in_blocks(&columns).gather_from(&all, &mut values);
        assert!(doubled.iter().eq(&values));
        x.close();
        let open = u.open();
        let (image, [i, j]) = rows.locate([shape[0] - 1, 0]);
        assert_eq!(open.at(image)[[i, j]].get(), cell([shape[0] - 1, 0]));
    }
}
