//! A pair of fences of which one side pays nothing: of two threads that each write one word and then read the other's, at least one sees the
//! other's write, if one has the light fence in between and the other the heavy one.
//!
//! The light fence only keeps the compiler from reordering. The heavy one makes the kernel interrupt each processor that runs a thread of
//! the processes concerned: as if that thread had a full fence there.
//!
//! D. Dice, H. Huang, M. Yang, *Asymmetric Dekker synchronization* (2001); M. Desnoyers, `membarrier(2)`.

use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

use rustix::thread::{MembarrierCommand, membarrier};

/// Whether the other side may be in another process.
static REACHES_PROCESSES: AtomicBool = AtomicBool::new(false);

/// The fence for the side that must be fast.
#[inline]
pub fn light_fence() {
    compiler_fence(Ordering::SeqCst);
}

/// The fence for the other side. Returns whether the kernel has done its part: without that the light one fences nothing.
#[must_use]
pub fn heavy_fence() -> bool {
    fence(Ordering::SeqCst);
    if cfg!(miri) {
        return false;
    }
    if REACHES_PROCESSES.load(Ordering::Relaxed) {
        return membarrier(MembarrierCommand::GlobalExpedited).is_ok();
    }
    let fence = || membarrier(MembarrierCommand::PrivateExpedited).is_ok();
    // The first one in a process must register it.
    fence() || membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok() && fence()
}

/// Makes heavy fences of this process reach all processes that have called this, and theirs this one. Returns whether theirs do.
#[must_use]
pub fn reach_processes() -> bool {
    REACHES_PROCESSES.store(true, Ordering::Relaxed);
    !cfg!(miri) && membarrier(MembarrierCommand::RegisterGlobalExpedited).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use super::*;

    #[test]
    fn of_two_threads_one_sees_what_the_other_wrote() {
        const ROUNDS: u32 = 2000;
        if !heavy_fence() {
            return;
        }
        let (words, start) = ([const { AtomicU32::new(0) }; 2], Barrier::new(2));
        let side = |own: usize, fence: fn()| {
            let seen = (1..=ROUNDS).map(|round| {
                start.wait();
                words[own].store(round, Ordering::Relaxed);
                fence();
                let seen = words[1 - own].load(Ordering::Relaxed) == round;
                start.wait();
                seen
            });
            seen.collect::<Vec<bool>>()
        };
        let (light, heavy) = thread::scope(|scope| {
            let light = scope.spawn(|| side(0, light_fence));
            let heavy = side(1, || assert!(heavy_fence()));
            (light.join().unwrap(), heavy)
        });
        assert!(light.iter().zip(&heavy).all(|(light, heavy)| light | heavy));
    }
}
