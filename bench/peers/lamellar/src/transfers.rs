//! Puts and gets of words and blocks, through shared memory regions, which are Lamellar's fastest way to the memory of
//! another PE.
//!
//! There are no columns: Lamellar has no strided transfers.

use std::hint::black_box;

use lamellar::memregion::prelude::*;

use crate::operations::Plan;

const WORDS: usize = 1024;
const LARGEST: usize = 64 << 20;
const BLOCKS: [usize; 8] = [
    8,
    64,
    1 << 10,
    8 << 10,
    64 << 10,
    512 << 10,
    4 << 20,
    LARGEST,
];

/// Measures `put`, `get`, `bulk_put` and `bulk_get`.
pub fn measure(plan: &Plan) {
    if plan.wants("put") || plan.wants("get") {
        words(plan);
    }
    if plan.wants("bulk_put") || plan.wants("bulk_get") {
        blocks(plan);
    }
}

fn words(plan: &Plan) {
    let (world, target) = (plan.world, plan.target());
    let region = world.alloc_shared_mem_region::<u64>(WORDS).block();
    let leads = world.my_pe() == 0;
    let put = |times| {
        for i in 0..if leads { times } else { 0 } {
            // SAFETY: nobody else uses the region within a batch, and a batch ends with a barrier.
            unsafe { region.put_blocking(target, i % WORDS, i as u64) };
        }
    };
    let get = |times| {
        let mut sum = 0;
        for i in 0..if leads { times } else { 0 } {
            // SAFETY: nobody writes to the region within a batch.
            sum += unsafe { region.get(target, i % WORDS) }.block();
        }
        sum
    };

    world.barrier_algorithm();
    put(WORDS);
    world.barrier_algorithm();
    if world.my_pe() == target {
        // SAFETY: nobody writes between the barriers.
        let arrived = unsafe { region.as_slice() };
        plan.expect(
            arrived.iter().copied().eq(0..WORDS as u64),
            "a put is wrong",
        );
    }
    plan.expect(
        !leads || get(WORDS) == (WORDS * (WORDS - 1) / 2) as u64,
        "a get is wrong",
    );

    if plan.wants("put") {
        plan.stopwatch.measure("put", 8, put);
    }
    if plan.wants("get") {
        plan.stopwatch.measure("get", 8, |times| {
            black_box(get(times));
        });
    }
}

fn blocks(plan: &Plan) {
    let (world, target) = (plan.world, plan.target());
    let leads = world.my_pe() == 0;
    let region = world.alloc_shared_mem_region::<u64>(LARGEST / 8).block();
    let source = world.alloc_one_sided_mem_region::<u64>(LARGEST / 8);
    // SAFETY: only this PE knows the region.
    for (i, word) in unsafe { source.as_mut_slice() }.iter_mut().enumerate() {
        *word = i as u64;
    }
    for bytes in BLOCKS {
        let length = bytes / 8;
        let block = source.sub_region(..length);
        let put = |times| {
            for _ in 0..if leads { times } else { 0 } {
                // SAFETY: nobody else uses the region within a batch, and nobody writes to the source.
                unsafe { region.put_buffer(target, 0, &block) }.block();
            }
        };
        let mut words = vec![0; length];
        let mut get = |times| {
            for _ in 0..if leads { times } else { 0 } {
                // A get takes a buffer and does not give it back; what is split off, though nothing, does.
                let mut buffer = LamellarBuffer::from_vec(world, std::mem::take(&mut words));
                let rest = buffer.split_off(length);
                // SAFETY: nobody writes to the region within a batch.
                unsafe { region.get_into_buffer(target, 0, buffer) }.block();
                words = rest.try_unwrap().unwrap_or_default();
            }
            words.last().copied()
        };

        world.barrier_algorithm();
        put(1);
        world.barrier_algorithm();
        if world.my_pe() == target {
            // SAFETY: nobody writes between the barriers.
            let arrived = &unsafe { region.as_slice() }[..length];
            plan.expect(
                arrived.iter().copied().eq(0..length as u64),
                "a block written is wrong",
            );
        }
        plan.expect(
            !leads || get(1) == Some(length as u64 - 1),
            "a block read is wrong",
        );
        world.barrier_algorithm();

        if plan.wants("bulk_put") {
            plan.stopwatch.measure("bulk_put", bytes, put);
        }
        if plan.wants("bulk_get") {
            plan.stopwatch.measure("bulk_get", bytes, |times| {
                black_box(get(times));
            });
        }
    }
}
