//! Phases, halos, collectives, teams and conveyors.

use coarray::asynchronous::co_sum_async;
use coarray::collectives::{co_exscan_of, co_sum_reproducible};
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::irregular::{Adds, Conveyor, ConveyorOptions, Hops};
use coarray::prelude::*;

/// Heat in a ring of cells, as one array computes it.
pub fn heat_in_one_dimension() {
    const CELLS: usize = 6;
    let grid = ImageGrid::new([num_images()])
        .unwrap()
        .with_periodic([true]);
    let blocks = Blocks::new([CELLS], grid).unwrap();
    let mut array = HaloArray::from_fn(&blocks, 1, |[cell]| (cell * cell) as u64).unwrap();
    let mut whole: Vec<u64> = (0..CELLS).map(|cell| (cell * cell) as u64).collect();
    for _ in 0..3 {
        array.exchange();
        let old = array.local().to_owned();
        let mut interior = array.interior_mut();
        for cell in 0..interior.len() {
            interior[[cell]] = old[[cell]] + 2 * old[[cell + 1]] + old[[cell + 2]];
        }
        whole = (0..CELLS)
            .map(|cell| {
                whole[(cell + CELLS - 1) % CELLS] + 2 * whole[cell] + whole[(cell + 1) % CELLS]
            })
            .collect();
    }
    let [own] = blocks.own_range();
    assert!(array.interior().iter().eq(&whole[own]));
}

/// A glider on a torus, on images in two rows of two; after four steps it is one cell further down and right.
pub fn life_in_two_dimensions() {
    const SIDE: usize = 6;
    let glider = [[0, 1], [1, 2], [2, 0], [2, 1], [2, 2]];
    let grid = ImageGrid::new([2, num_images() / 2])
        .unwrap()
        .with_periodic([true; 2]);
    let blocks = Blocks::new([SIDE; 2], grid).unwrap();
    let mut array =
        HaloArray::from_fn(&blocks, 1, |cell| u8::from(glider.contains(&cell))).unwrap();
    for _ in 0..4 {
        let exchanging = array.exchange_start();
        exchanging.finish();
        let old = array.local().to_owned();
        for ((i, j), cell) in array.interior_mut().indexed_iter_mut() {
            let block = old.slice(coarray::ndarray::s![i..i + 3, j..j + 3]);
            let alive = block.sum();
            *cell = u8::from(alive == 3 || alive == 4 && *cell == 1);
        }
    }
    let moved = glider.map(|[i, j]| [i + 1, j + 1]);
    for ((i, j), &cell) in array.interior().indexed_iter() {
        let global = array.global_of([i, j]);
        assert_eq!(cell == 1, moved.contains(&global), "{global:?}");
    }
}

pub fn histogram_of_adds() {
    const ITEMS: usize = 6;
    let (me, images) = (this_image(), num_images());
    let bins = Coarray::<[Coatomic<u64>; 2]>::from_fn(|_| Coatomic::new(0));
    {
        let mut adds = Adds::new(|image| &bins.at(image)[..]);
        for item in 0..ITEMS {
            let bin = (item + me) % (2 * images);
            adds.add(bin / 2, bin % 2, 1);
        }
    }
    sync_all();
    let own: u64 = bins.iter().map(Coatomic::load).sum();
    assert_eq!(co_sum_of(own), (ITEMS * images) as u64);
}

/// Packets are small, so that images wait for room.
pub fn conveyor_of_small_packets() {
    const ITEMS: usize = 12;
    let images = num_images();
    let mut conveyor = Conveyor::<usize>::with_options(ConveyorOptions {
        packet_bytes: 16,
        hops: Hops::Two,
    });
    let mut next = vec![0; images];
    let items = (0..ITEMS).map(|item| (item % images, item / images));
    conveyor.convey(items, |source, item| {
        assert_eq!(item, next[source]);
        next[source] += 1;
    });
    assert_eq!(next, vec![ITEMS / images; images]);
}

pub fn teams_that_compute_apart() {
    let me = this_image();
    let team = Team::form(me as u64 % 2);
    let mut x = Coarray::new(me);
    let sum = team.change(|| {
        sync_all();
        let mine = co_sum_of(me);
        let inner = Coarray::new(Coatomic::new(0));
        inner.at(0).add(me);
        sync_all();
        assert_eq!(inner.at(0).load(), mine);
        mine
    });
    assert_eq!(
        co_sum_of(if team.this_image() == 0 { sum } else { 0 }),
        (0..num_images()).sum()
    );
    *x += 1;
    let x = x.publish();
    assert_eq!(
        x.at((me + 1) % num_images()).get(),
        (me + 1) % num_images() + 1
    );
}

pub fn collectives_one_after_the_other() {
    let (me, images) = (this_image(), num_images());
    let later = co_sum_async(me as u64);
    assert_eq!(co_max_of(me), images - 1);
    let mut root = me;
    co_broadcast(&mut root, images - 1);
    assert_eq!(root, images - 1);
    assert_eq!(co_exscan_of(me, 0, |a, b| a + b), (0..me).sum());
    assert_eq!(later.wait(), (0..images as u64).sum());
    let mut sum = [1e16, 1.0, -1e16, 1.0][me];
    co_sum_reproducible(&mut sum);
    assert_eq!(sum, [1e16, 1e16, 1.0, 2.0][images - 1]);
}

/// Each image writes its own part, and reads that of the next.
pub fn phases_and_barriers() {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::new([0; 4]);
    for step in 1..3 {
        *x = [me + step; 4];
        let x = x.open();
        let next = (me + step) % images;
        assert_eq!(x.at(next).get(), [next + step; 4]);
        sync_all();
        x.at(next).put([me; 4]);
        sync_all();
        assert_eq!(x.here().get(), [(me + images - step % images) % images; 4]);
    }
}
