//! Other coarrays: extents at run time, runs of another length on each image, blocks with halos; phases without races.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;

use crate::case::cases;

cases!("containers.rs":
    clean blocks_of_an_nd_coarray;
    racy item_of_an_nd_coarray;
    clean runs_of_their_own;
    racy run_of_another_image;
    clean rows_of_their_own;
    racy row_of_another_image;
    clean closed_then_open_then_closed;
    clean published_parts;
    clean halos_exchanged;
    clean halos_exchanged_while_the_interior_is_read;
    racy corner_of_a_halo_put_by_two_neighbours.from(3);
    racy block_of_an_open_halo_array;
);

fn blocks_of_an_nd_coarray() {
    let mut x = NdCoarray::<u32, 2>::zeroed([num_images(), 6]);
    let x = x.open();
    x.at(0).region((this_image(), ..)).fill(7);
    assert_eq!(x.at(0).region((this_image(), 4..)).to_vec(), [7, 7]);
}

fn item_of_an_nd_coarray() {
    let mut x = NdCoarray::<u32, 2>::zeroed([num_images(), 6]);
    let x = x.open();
    match this_image() {
        0 => x.at(1).region((0, ..)).fill(7), //~ race: put
        1 => {
            let _ = x.here()[[0, 5]].get(); //~ race: get
        }
        _ => x.here().region((.., 5)).fill(8),
    }
}

fn runs_of_their_own() {
    let mut x = Ragged::from_fn(3 + this_image(), |i| i);
    let x = x.open();
    x.here()[2 + this_image()].put(100);
    assert_eq!(x.at(1)[..2].to_vec(), [0, 1]);
    sync_all();
    assert_eq!(x.at(1)[3].get(), 100);
}

fn run_of_another_image() {
    let mut x = Ragged::from_fn(3 + this_image(), |i| i);
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).to_vec()), //~ race: get
        1 => x.here()[3].put(100),   //~ race: put
        _ => x.here().fill(0),
    }
}

fn rows_of_their_own() {
    let mut x = RaggedRows::from_fn(3, |row| vec![1.5; row + this_image()]);
    let x = x.open();
    x.here().row(1).fill(2.5);
    assert_eq!(x.at(1).row(2).to_vec(), [1.5; 3]);
}

fn row_of_another_image() {
    let mut x = RaggedRows::from_fn(3, |row| vec![1.5; row + this_image()]);
    let x = x.open();
    match this_image() {
        0 => x.at(1).row(2)[2].put(2.5), //~ race: put
        1 => {
            let _ = x.here().row(2).to_vec(); //~ race: get
        }
        _ => x.here().row(2).fill(3.5),
    }
}

fn closed_then_open_then_closed() {
    let mut x = Coarray::new([0; 8]);
    for round in 1..4 {
        x[this_image()] = round;
        {
            let x = x.open();
            let right = (this_image() + 1) % num_images();
            let theirs = x.at(right)[right].get();
            x.at(right)[this_image()].put(theirs);
        }
        let left = (this_image() + num_images() - 1) % num_images();
        assert_eq!(x[left], round);
        x[left] = 0;
    }
}

fn published_parts() {
    let mut x = Coarray::new([this_image(); 8]);
    for _ in 0..3 {
        {
            let x = x.publish();
            assert_eq!(x.at(0)[5].get() + x.at(1)[6].get() + x[7], 1 + this_image());
        }
        x[this_image()] = this_image();
    }
}

fn halos_exchanged() {
    let grid = ImageGrid::new([num_images()])
        .unwrap()
        .with_periodic([true]);
    let blocks = Blocks::new([4 * num_images()], grid).unwrap();
    let mut x = HaloArray::filled(&blocks, 1, 0).unwrap();
    for round in 1..4 {
        x.interior_mut().fill(round);
        x.exchange();
        assert!(x.local().iter().all(|&cell| cell == round));
    }
}

fn halos_exchanged_while_the_interior_is_read() {
    let grid = ImageGrid::new([num_images(), 1]).unwrap();
    let blocks = Blocks::new([3 * num_images(), 5], grid.with_periodic([true; 2])).unwrap();
    let mut x = HaloArray::filled(&blocks, 1, 0.5).unwrap();
    let mut sum = 0.0;
    for _ in 0..4 {
        let exchanging = x.exchange_start();
        sum += exchanging.interior().sum();
        exchanging.finish();
        x.interior_mut().fill(sum);
    }
}

fn corner_of_a_halo_put_by_two_neighbours() {
    let grid = ImageGrid::new([num_images(), 1]).unwrap();
    let blocks = Blocks::new([3 * num_images(), 5], grid).unwrap();
    let mut x = HaloArray::filled(&blocks, 1, 0.5).unwrap();
    let x = x.open();
    match this_image() {
        0 => x.with_halo(1).region((0, ..)).fill(1.5), //~ race: put
        2 => x.with_halo(1).region((.., 0)).fill(1.5), //~ race: put
        _ => assert_eq!(x.at(1)[[1, 1]].get(), 0.5),
    }
}

fn block_of_an_open_halo_array() {
    let grid = ImageGrid::new([num_images(), 1]).unwrap();
    let blocks = Blocks::new([3 * num_images(), 5], grid).unwrap();
    let mut x = HaloArray::filled(&blocks, 1, 0.5).unwrap();
    let x = x.open();
    match this_image() {
        0 => x.at(1).column(4).copy_from(&x.here().column(0)), //~ race: put
        1 => {
            let _ = x.here()[[2, 4]].get(); //~ race: get
        }
        _ => x.here().region((.., ..)).fill(2.5),
    }
}
