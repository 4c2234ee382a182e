//! Atomic operations on a word of another PE, and random updates of a table that is spread over all PEs.

use lamellar::array::prelude::*;
use lamellar::memregion::prelude::*;

use crate::operations::Plan;
use crate::sequence::{following, power};

/// Words of the table on each PE.
const WORDS: usize = 1 << 23;
/// Words between the seeds of two PEs, more than a PE can use.
const APART: u64 = 1 << 40;
/// Updates of each PE to see whether they are right.
const TRIAL: usize = 50_000;

/// Measures `fetch_add`, `compare_exchange`, `gups` and `gups_atomic`.
pub fn measure(plan: &Plan) {
    if plan.wants("fetch_add") || plan.wants("compare_exchange") {
        single_word(plan);
    }
    if plan.wants("gups") {
        plain(plan);
    }
    if plan.wants("gups_atomic") {
        atomic(plan);
    }
}

fn single_word(plan: &Plan) {
    let (world, target) = (plan.world, plan.target());
    let words = AtomicArray::<u64>::new(world, world.num_pes(), Distribution::Block).block();
    let leads = world.my_pe() == 0;
    let fetch_add = |times| {
        for _ in 0..if leads { times } else { 0 } {
            words.fetch_add(target, 1).block();
        }
    };
    let compare_exchange = |times| {
        if !leads {
            return true;
        }
        let mut expected = words.load(target).block();
        (0..times).all(|_| {
            expected += 1;
            words
                .compare_exchange(target, expected - 1, expected)
                .block()
                .is_ok()
        })
    };

    fetch_add(10);
    plan.expect(compare_exchange(20), "an exchange fails");
    world.barrier_algorithm();
    plan.expect(
        words.load(target).block() == 30,
        "an atomic operation is wrong",
    );
    world.barrier_algorithm();

    if plan.wants("fetch_add") {
        plan.stopwatch.measure("fetch_add", 8, fetch_add);
    }
    if plan.wants("compare_exchange") {
        plan.stopwatch.measure("compare_exchange", 8, |times| {
            plan.expect(compare_exchange(times), "an exchange fails");
        });
    }
}

fn plain(plan: &Plan) {
    let (world, pes) = (plan.world, plan.world.num_pes());
    let table = world.alloc_shared_mem_region::<u64>(WORDS).block();
    let mut state = 0;
    let update = |state: &mut u64, times| {
        for _ in 0..times {
            *state = following(*state);
            let (pe, word) = (*state as usize / WORDS % pes, *state as usize % WORDS);
            // SAFETY: the table has no other users within a batch. That updates of the same word may race and be lost
            // is what this operation is; on this machine a put and a get are one move of a word.
            unsafe {
                let old = table.get(pe, word).block();
                table.put_blocking(pe, word, old ^ *state);
            }
        }
    };

    for round in 1..=2 {
        state = power(APART * world.my_pe() as u64);
        world.barrier_algorithm();
        update(&mut state, TRIAL);
        world.barrier_algorithm();
        // SAFETY: nobody writes between the barriers.
        let changed = unsafe { table.as_slice() }
            .iter()
            .filter(|&&word| word != 0)
            .count();
        plan.expect(round == 2 || changed > TRIAL / 2, "no update arrived");
        plan.expect(round == 1 || changed <= TRIAL / 100, "updates are wrong");
    }
    plan.stopwatch
        .measure("gups", 8, |times| update(&mut state, times));
}

fn atomic(plan: &Plan) {
    let (world, pes) = (plan.world, plan.world.num_pes());
    let table = AtomicArray::<u64>::new(world, WORDS * pes, Distribution::Block).block();
    let mut state = 0;
    let update = |state: &mut u64, times| {
        for _ in 0..times {
            *state = following(*state);
            table
                .bit_xor(*state as usize % (WORDS * pes), *state)
                .block();
        }
    };

    for round in 1..=2 {
        state = power(APART * world.my_pe() as u64);
        world.barrier_algorithm();
        update(&mut state, TRIAL);
        world.barrier_algorithm();
        let local = table.local_data();
        let changed = (0..local.len())
            .filter(|&word| local.at(word).load() != 0)
            .count();
        plan.expect(
            round == 2 || changed > TRIAL / 2,
            "no atomic update arrived",
        );
        plan.expect(round == 1 || changed == 0, "atomic updates are wrong");
        world.barrier_algorithm();
    }
    plan.stopwatch
        .measure("gups_atomic", 8, |times| update(&mut state, times));
}
