//! What the kernels share: arguments, and the report of the Parallel Research Kernels.

use std::ops::Range;

use lamellar::LamellarWorld;
use lamellar::memregion::prelude::*;

use crate::launch;

/// Collective. Says what is wrong, and ends the job.
pub fn fail(world: &LamellarWorld, what: &str) -> ! {
    if world.my_pe() == 0 {
        println!("ERROR: {what}");
    }
    // The first PE to end ends the job: not before the message is out.
    world.barrier_algorithm();
    launch::abandon()
}

/// A number from the command line, or the default; goes into the report, too.
pub fn argument(
    world: &LamellarWorld,
    arguments: &[String],
    position: usize,
    name: &str,
    default: Option<usize>,
) -> usize {
    let given = match arguments.get(position) {
        Some(text) => text
            .parse()
            .ok()
            .filter(|&number| number > 0 || default.is_some()),
        None => default,
    };
    let Some(number) = given else {
        fail(world, &format!("there is no number for {name}"));
    };
    if world.my_pe() == 0 {
        println!("{name:<20} = {number}");
    }
    number
}

/// Which of so many things a PE has; the first PEs have one more if need be.
pub fn share(pe: usize, pes: usize, total: usize) -> Range<usize> {
    let first = |pe: usize| pe * (total / pes) + pe.min(total % pes);
    first(pe)..first(pe + 1)
}

/// Collective. The values of all PEs.
pub fn gather(world: &LamellarWorld, value: f64) -> Vec<f64> {
    let values = world.alloc_shared_mem_region::<f64>(1).block();
    // SAFETY: nobody reads it before the barrier.
    unsafe { values.as_mut_slice()[0] = value };
    world.barrier_algorithm();
    // SAFETY: nobody writes after the barrier.
    let all = (0..world.num_pes())
        .map(|pe| unsafe { values.get(pe, 0) }.block())
        .collect();
    world.barrier_algorithm();
    all
}

/// Collective. Ends the report: how much was done in how long on the slowest PE; and the job, if the result is not valid.
///
/// The clock is read behind a barrier: where PEs outnumber cores, one may start when another has ended.
pub fn conclude(world: &LamellarWorld, valid: bool, unit: &str, amount: f64, seconds: f64) {
    let all_valid = gather(world, f64::from(u8::from(valid)))
        .iter()
        .all(|&valid| valid == 1.0);
    let slowest = gather(world, seconds).into_iter().fold(0.0, f64::max);
    if !all_valid {
        fail(world, "the solution does not validate");
    }
    if world.my_pe() == 0 {
        println!("Solution validates");
        println!(
            "Rate ({unit}): {:.6} Avg time (s): {slowest:.9}",
            amount / slowest
        );
    }
}
