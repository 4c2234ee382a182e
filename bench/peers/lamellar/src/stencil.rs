//! The stencil of the Parallel Research Kernels, a star of radius 2 on a grid of N x N whose rows are distributed:
//! `stencil ITERATIONS N`.

use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::memregion::prelude::*;

use crate::report::{argument, conclude, fail, gather, share};

const RADIUS: usize = 2;
const NEAR: f64 = 0.25;
const FAR: f64 = 0.125;

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let (pe, pes) = (world.my_pe(), world.num_pes());
    let iterations = argument(world, arguments, 0, "iterations", None);
    let n = argument(world, arguments, 1, "N", None);
    if n <= 2 * RADIUS || share(pes - 1, pes, n).len() < RADIUS {
        fail(world, "the grid is too small for so many PEs");
    }
    let rows = share(pe, pes, n);
    // Two rows of the neighbour above, own rows, two of the neighbour below; on every PE room for as many as the first has.
    let input = world
        .alloc_shared_mem_region::<f64>((share(0, pes, n).len() + 2 * RADIUS) * n)
        .block();
    let own = RADIUS * n..(RADIUS + rows.len()) * n;
    let mut output = vec![0.0; rows.len() * n];
    // SAFETY: nobody reads before the barrier.
    let values = unsafe { input.as_mut_slice() };
    for (row, values) in rows.clone().zip(values[own.clone()].chunks_exact_mut(n)) {
        for (column, value) in values.iter_mut().enumerate() {
            *value = (row + column) as f64;
        }
    }

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_algorithm();
            start = Instant::now();
        }
        world.barrier_algorithm();
        let halo = RADIUS * n;
        // SAFETY: between the barriers own rows are only read; a PE's halos are written by its neighbours alone, each
        // its own, and read behind the second barrier.
        unsafe {
            if pe > 0 {
                let theirs = (RADIUS + share(pe - 1, pes, n).len()) * n;
                input
                    .put_buffer(
                        pe - 1,
                        theirs,
                        input.sub_region(own.start..own.start + halo),
                    )
                    .block();
            }
            if pe + 1 < pes {
                input
                    .put_buffer(pe + 1, 0, input.sub_region(own.end - halo..own.end))
                    .block();
            }
        }
        world.barrier_algorithm();
        // SAFETY: neighbours write to the halos behind the next barrier, and own rows belong to this PE.
        let values = unsafe { input.as_mut_slice() };
        apply(values, &mut output, n, rows.start);
        values[own.clone()]
            .iter_mut()
            .for_each(|value| *value += 1.0);
    }
    world.barrier_algorithm();
    let seconds = start.elapsed().as_secs_f64() / iterations as f64;

    let norm: f64 = gather(world, output.iter().map(|value| value.abs()).sum())
        .iter()
        .sum();
    let points = ((n - 2 * RADIUS) as f64).powi(2);
    let valid = (norm / points - 2.0 * (iterations + 1) as f64).abs() < 1e-8;
    conclude(world, valid, "MFlops/s", 1e-6 * 19.0 * points, seconds);
}

/// Adds the star of every inner point to the output; `first` is the row of the grid that this PE's begin with.
fn apply(input: &[f64], output: &mut [f64], n: usize, first: usize) {
    for (row, output) in output.chunks_exact_mut(n).enumerate() {
        if !(RADIUS..n - RADIUS).contains(&(first + row)) {
            continue;
        }
        let [up2, up1, here, down1, down2] = std::array::from_fn(|i| &input[(row + i) * n..][..n]);
        for column in RADIUS..n - RADIUS {
            output[column] += NEAR
                * (down1[column] - up1[column] + here[column + 1] - here[column - 1])
                + FAR * (down2[column] - up2[column] + here[column + 2] - here[column - 2]);
        }
    }
}
