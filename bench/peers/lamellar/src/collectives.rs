//! Barriers, allocation and collective operations.
//!
//! There are no events, locks or barriers of pairs in Lamellar. Sums over shared memory are of integers: of floating-point
//! numbers they end in a panic.

use lamellar::BroadcastInput;
use lamellar::memregion::prelude::*;

use crate::operations::Plan;

const LARGEST: usize = 8 << 20;

/// Measures `sync_all`, `alloc`, `co_sum` and `co_broadcast`.
pub fn measure(plan: &Plan) {
    let world = plan.world;
    if plan.wants("sync_all") {
        plan.stopwatch.measure("sync_all", 0, |times| {
            for _ in 0..times {
                world.barrier_algorithm();
            }
        });
    }
    if plan.wants("alloc") {
        plan.stopwatch.measure("alloc", 4096, |times| {
            for _ in 0..times {
                drop(world.alloc_shared_mem_region::<f64>(512).block());
            }
        });
    }
    if plan.wants("co_sum") {
        sums(plan);
    }
    if plan.wants("co_broadcast") {
        broadcasts(plan);
    }
}

fn sums(plan: &Plan) {
    let (world, pes) = (plan.world, plan.world.num_pes());
    let region = world.alloc_shared_mem_region::<u64>(LARGEST / 8).block();
    // SAFETY: nobody reads it before the barrier.
    unsafe { region.as_mut_slice() }.fill((world.my_pe() + 1) as u64);
    world.barrier_algorithm();
    for length in lengths() {
        let add = |times| {
            let mut sums = Vec::new();
            for _ in 0..times {
                // SAFETY: nobody writes to the region.
                sums = unsafe { region.sum_all(0, length) }.block();
            }
            sums
        };
        let (sums, expected) = (add(1), (pes * (pes + 1) / 2) as u64);
        plan.expect(
            sums.len() == length && sums.iter().all(|&sum| sum == expected),
            "a sum is wrong",
        );
        plan.stopwatch.measure("co_sum", 8 * length, |times| {
            add(times);
        });
    }
}

fn broadcasts(plan: &Plan) {
    let world = plan.world;
    let leads = world.my_pe() == 0;
    let region = world.alloc_shared_mem_region::<f64>(LARGEST / 8).block();
    // SAFETY: nobody reads it before the barrier.
    unsafe { region.as_mut_slice() }.fill((world.my_pe() + 1) as f64);
    world.barrier_algorithm();
    for length in lengths() {
        let broadcast = |times| {
            let mut values = None;
            for _ in 0..times {
                let part = if leads {
                    BroadcastInput::Root(0)
                } else {
                    BroadcastInput::NotRoot(0)
                };
                // SAFETY: nobody writes to the region.
                values = unsafe { region.broadcast_from_pe(part, length) }.block();
            }
            values
        };
        // The root need not receive what it has.
        let arrived = broadcast(1).is_some_and(|values| values == vec![1.0; length]);
        plan.expect(leads || arrived, "a broadcast is wrong");
        plan.stopwatch.measure("co_broadcast", 8 * length, |times| {
            broadcast(times);
        });
    }
}

fn lengths() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(8), |bytes| Some(4 * bytes))
        .take_while(|&bytes| bytes <= LARGEST)
        .map(|bytes| bytes / 8)
}
