//! Images that are early or late by chance never see cells of an earlier or a later exchange.

use std::hint::spin_loop;
use std::thread::yield_now;

use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
use coarray::this_image;
use coarray_proptests::{Setting, mix};

const SHAPE: [usize; 2] = [7, 6];

/// Takes a random time.
fn dawdle(seed: u64) {
    match seed % 64 {
        0 => (0..seed / 64 % 3).for_each(|_| yield_now()),
        1..24 => (0..seed / 64 % 300).for_each(|_| spin_loop()),
        _ => {}
    }
}

/// What a cell holds: the step, and where it is.
fn cell(step: u32, [i, j]: [usize; 2]) -> [u32; 2] {
    [step, (i * SHAPE[1] + j) as u32]
}

/// Exchanges so often, in one way or another, and looks at every cell each time.
fn run(setting: Setting, extents: [usize; 2], steps: u32) {
    setting.run(|| {
        let grid = ImageGrid::new(extents).unwrap().with_periodic([true, true]);
        let blocks = Blocks::new(SHAPE, grid).unwrap();
        let mut array = HaloArray::filled(&blocks, 1, cell(0, [0, 0])).unwrap();
        let [rows, columns] = blocks.own_range();
        let (height, width) = (rows.len(), columns.len());
        let wrap = |start: usize, local: usize, cells: usize| (start + local + cells - 1) % cells;
        for step in 1..=steps {
            let all_know = mix(7, u64::from(step));
            let own = mix(this_image() as u64, u64::from(step));
            let mut interior = array.interior_mut();
            for i in 0..height {
                for j in 0..width {
                    interior[[i, j]] = cell(step, [rows.start + i, columns.start + j]);
                }
            }
            dawdle(own);
            let faces_only = all_know.is_multiple_of(8);
            let exchange = if faces_only {
                Exchange::faces()
            } else {
                Exchange::all()
            };
            if own & 32 == 0 {
                array.exchange_with(&exchange);
            } else {
                let exchanging = array.exchange_start_with(&exchange);
                dawdle(own >> 8);
                exchanging.finish();
            }
            dawdle(own >> 16);
            let local = array.local();
            for i in 0..height + 2 {
                for j in 0..width + 2 {
                    let is_corner = (i == 0 || i > height) && (j == 0 || j > width);
                    if faces_only && is_corner {
                        continue;
                    }
                    let global = [
                        wrap(rows.start, i, SHAPE[0]),
                        wrap(columns.start, j, SHAPE[1]),
                    ];
                    assert_eq!(local[[i, j]], cell(step, global), "step {step}");
                }
            }
        }
    });
}

#[test]
fn a_hundred_thousand_exchanges_with_random_delays_mix_nothing_up() {
    run(Setting::of(2), [2, 1], 80_000);
    run(Setting::of(3), [1, 3], 15_000);
    run(Setting::of(4), [2, 2], 5_000);
}

#[test]
fn exchanges_with_random_delays_mix_nothing_up_without_direct_access() {
    let setting = |images, nodes| Setting {
        direct: false,
        nodes,
        ..Setting::of(images)
    };
    run(setting(2, 1), [1, 2], 4_000);
    run(setting(4, 1), [2, 2], 1_000);
    run(setting(4, 2), [2, 2], 200);
}
