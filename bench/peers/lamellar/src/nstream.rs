//! The triad of the Parallel Research Kernels, A = A + B + 3 * C, on each PE's share of LENGTH values:
//! `nstream ITERATIONS LENGTH [OFFSET]`.

use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::memregion::prelude::*;

use crate::report::{argument, conclude, share};

const FACTOR: f64 = 3.0;

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let iterations = argument(world, arguments, 0, "iterations", None);
    let total = argument(world, arguments, 1, "length", None);
    let offset = argument(world, arguments, 2, "offset", Some(0));
    let length = share(world.my_pe(), world.num_pes(), total).len();

    // Three arrays with a gap after each.
    let region = world.alloc_one_sided_mem_region::<f64>(3 * (length + offset));
    // SAFETY: only this PE knows the region, and this is the only reference into it.
    let space = unsafe { region.as_mut_slice() };
    let (a, rest) = space.split_at_mut(length + offset);
    let (b, c) = rest.split_at_mut(length + offset);
    let (a, b, c) = (&mut a[..length], &mut b[..length], &mut c[..length]);
    a.fill(0.0);
    b.fill(2.0);
    c.fill(2.0);

    let mut start = Instant::now();
    for iteration in 0..=iterations {
        if iteration == 1 {
            world.barrier_algorithm();
            start = Instant::now();
        }
        for ((a, b), c) in a.iter_mut().zip(&*b).zip(&*c) {
            *a += b + FACTOR * c;
        }
    }
    world.barrier_algorithm();
    let seconds = start.elapsed().as_secs_f64() / iterations as f64;

    let expected = 8.0 * (iterations + 1) as f64;
    let valid = a.iter().all(|a| (a - expected).abs() < 1e-8);
    conclude(world, valid, "MB/s", 1e-6 * 32.0 * total as f64, seconds);
}
