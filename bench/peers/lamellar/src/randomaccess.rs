//! The RandomAccess of the HPC Challenge: four times as many random updates as the table has words, of which a PE may
//! hold back 1024: `randomaccess LOG2SIZE`.
//!
//! Each update is an atomic operation of its own. Lamellar's batches of them are active messages, which over shared memory
//! take several times as long.

use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::array::prelude::*;

use crate::report::{argument, conclude, share};
use crate::sequence::{following, power};

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let pe = world.my_pe();
    let size: usize = 1 << argument(world, arguments, 0, "log2 of the size", None);
    let table = AtomicArray::<u64>::new(world, size, Distribution::Block).block();
    table
        .dist_iter_mut()
        .enumerate()
        .for_each(|(i, word)| word.store(i as u64))
        .block();

    world.barrier_algorithm();
    let start = Instant::now();
    update(world, &table, 4 * size);
    let seconds = start.elapsed().as_secs_f64();

    update(world, &table, 4 * size);
    let local = table.local_data();
    let first = table.first_global_index_for_pe(pe).unwrap_or(0);
    let valid = (0..local.len()).all(|i| local.at(i).load() == (first + i) as u64);
    conclude(world, valid, "GUPS/s", 1e-9 * 4.0 * size as f64, seconds);
}

/// Collective. Makes so many updates from the beginning of the sequence.
fn update(world: &LamellarWorld, table: &AtomicArray<u64>, total: usize) {
    let own = share(world.my_pe(), world.num_pes(), total);
    let mut state = power(own.start as u64);
    for _ in own {
        state = following(state);
        table.bit_xor(state as usize % table.len(), state).block();
    }
    world.barrier_algorithm();
}
