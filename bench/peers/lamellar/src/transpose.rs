//! The transposition of the Parallel Research Kernels, B = B + Aᵀ, then A = A + 1, of matrices whose columns are
//! distributed: `transpose ITERATIONS ORDER [TILE]`.

use std::ops::Range;
use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::memregion::prelude::*;

use crate::report::{argument, conclude, fail, gather, share};

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let (pe, pes) = (world.my_pe(), world.num_pes());
    let iterations = argument(world, arguments, 0, "iterations", None);
    let order = argument(world, arguments, 1, "order", None);
    let tile = match argument(world, arguments, 2, "tile", Some(32)) {
        0 => order,
        tile => tile,
    };
    if order < pes {
        fail(world, "there are more PEs than columns");
    }
    let columns = |pe| share(pe, pes, order);
    let own = columns(pe);
    let width = own.len();
    let block = columns(0).len().pow(2);
    // What goes to each PE, and what came from each.
    let sent = world.alloc_one_sided_mem_region::<f64>(block * pes);
    let received = world.alloc_shared_mem_region::<f64>(block * pes).block();
    let mut a: Vec<f64> = own
        .clone()
        .flat_map(|column| (0..order).map(move |row| (order * column + row) as f64))
        .collect();
    let mut b = vec![0.0; order * width];

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_algorithm();
            start = Instant::now();
        }
        // Others may still read what came in the iteration before.
        world.barrier_algorithm();
        for other in (pe..pes).chain(0..pe) {
            let part = other * block..other * block + width * columns(other).len();
            // SAFETY: only this PE knows the region, and no put is under way.
            transpose(
                &a,
                order,
                columns(other),
                &mut unsafe { sent.as_mut_slice() }[part.clone()],
                tile,
            );
            // SAFETY: nobody else puts here, and it is read behind the barrier.
            unsafe { received.put_buffer(other, pe * block, sent.sub_region(part)) }.block();
        }
        world.barrier_algorithm();
        // SAFETY: it is written behind the next barrier.
        let received = unsafe { received.as_slice() };
        for other in 0..pes {
            let rows = columns(other);
            for (b, received) in b
                .chunks_exact_mut(order)
                .zip(received[other * block..].chunks_exact(rows.len()))
            {
                b[rows.clone()]
                    .iter_mut()
                    .zip(received)
                    .for_each(|(b, received)| *b += received);
            }
        }
        a.iter_mut().for_each(|a| *a += 1.0);
    }
    world.barrier_algorithm();
    let seconds = start.elapsed().as_secs_f64() / iterations as f64;

    let additions = (iterations * (iterations + 1)) as f64 / 2.0;
    let deviation: f64 = own
        .zip(b.chunks_exact(order))
        .flat_map(|(column, b)| b.iter().enumerate().map(move |(row, b)| (column, row, b)))
        .map(|(column, row, b)| {
            (b - additions - (iterations + 1) as f64 * (order * row + column) as f64).abs()
        })
        .sum();
    let valid = gather(world, deviation).iter().sum::<f64>() < 1e-8;
    conclude(
        world,
        valid,
        "MB/s",
        2e-6 * 8.0 * (order as f64).powi(2),
        seconds,
    );
}

/// Some rows of this PE's columns, as columns, tile by tile.
fn transpose(a: &[f64], order: usize, rows: Range<usize>, block: &mut [f64], tile: usize) {
    let width = a.len() / order;
    for first_column in (0..width).step_by(tile) {
        for first_row in (0..rows.len()).step_by(tile) {
            for row in first_row..rows.len().min(first_row + tile) {
                for column in first_column..width.min(first_column + tile) {
                    block[row * width + column] = a[column * order + rows.start + row];
                }
            }
        }
    }
}
