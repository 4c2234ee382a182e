//! Keeping a thread, and those that it starts, on one core: images that run one at a time are handed over fastest there.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Until it is dropped, this thread is on one core.
#[derive(Debug)]
pub(super) struct OnOneCore {
    /// Where it may be otherwise; none if it could not be kept.
    former: Option<CpuSet>,
}

impl OnOneCore {
    /// Tests that run at the same time are on different cores, also those of other processes, as far as their numbers follow each other.
    pub(super) fn begin() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let bind = || {
            let former = sched_getaffinity(None).ok()?;
            let usable = (0..CpuSet::MAX_CPU).filter(|&core| former.is_set(core));
            let turn = NEXT.fetch_add(1, Ordering::Relaxed) + std::process::id() as usize;
            let chosen = usable.cycle().nth(turn % former.count().max(1) as usize)?;
            let mut one = CpuSet::new();
            one.set(chosen);
            sched_setaffinity(None, &one).ok()?;
            Some(former)
        };
        Self { former: bind() }
    }
}

impl Drop for OnOneCore {
    fn drop(&mut self) {
        if let Some(former) = &self.former {
            // It may be forbidden meanwhile: then the thread stays.
            let _ = sched_setaffinity(None, former);
        }
    }
}
