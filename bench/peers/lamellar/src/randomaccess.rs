//! The RandomAccess of the HPC Challenge: four times as many random updates as the table has words, of which a PE may
//! hold back 1024: `randomaccess LOG2SIZE`.

use std::time::Instant;

use lamellar::LamellarWorld;
use lamellar::array::prelude::*;

use crate::report::{argument, conclude, share};
use crate::sequence::{following, power};

const LOOK_AHEAD: usize = 1024;

pub fn run(world: &LamellarWorld, arguments: &[String]) {
    let pe = world.my_pe();
    let size: usize = 1 << argument(world, arguments, 0, "log2 of the size", None);
    let table = AtomicArray::<u64>::new(world, size, Distribution::Block).block();
    table.dist_iter_mut().enumerate().for_each(|(i, word)| word.store(i as u64)).block();

    world.barrier();
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
    let mut remaining = own.len();
    while remaining > 0 {
        let count = remaining.min(LOOK_AHEAD);
        let values: Vec<u64> = (0..count)
            .map(|_| {
                state = following(state);
                state
            })
            .collect();
        let words: Vec<usize> = values.iter().map(|&value| value as usize % table.len()).collect();
        table.batch_bit_xor(words, values).block();
        remaining -= count;
    }
    world.barrier();
}
