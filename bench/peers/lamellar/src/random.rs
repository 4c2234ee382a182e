//! The random access of the Parallel Research Kernels: streams of random numbers update a table that is spread over all
//! PEs, which a second round of the same updates restores: `random LOG2SIZE UPDATE_RATIO VECTOR_LENGTH`.
//!
//! Each update is an atomic operation, so that none is lost.

use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::array::prelude::*;

use crate::report::{argument, conclude};
use crate::sequence::{following, power};

const SEED: u64 = 834_568_137_686_317_453;

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let (pe, pes) = (world.my_pe(), world.num_pes());
    let size = 1 << argument(world, arguments, 0, "log2 of the size", None);
    let updates = size * argument(world, arguments, 1, "update ratio", None);
    let streams = argument(world, arguments, 2, "vector length", None);
    let table = AtomicArray::<u64>::new(world, size, Distribution::Block).block();
    table
        .dist_iter_mut()
        .enumerate()
        .for_each(|(i, word)| word.store(i as u64))
        .block();

    world.barrier_algorithm();
    let start = Instant::now();
    for _ in 0..2 {
        for stream in (pe..streams).step_by(pes) {
            let mut state = power(SEED + (updates / streams * stream) as u64);
            for _ in 0..updates / (2 * streams) {
                state = following(state);
                table.bit_xor(state as usize % size, state).block();
            }
        }
        world.barrier_algorithm();
    }
    let seconds = start.elapsed().as_secs_f64();

    let local = table.local_data();
    let first = table.first_global_index_for_pe(pe).unwrap_or(0);
    let valid = (0..local.len()).all(|i| local.at(i).load() == (first + i) as u64);
    conclude(world, valid, "GUPS/s", 1e-9 * updates as f64, seconds);
}
