//! A watchdog over a fabric: an operation that takes longer than the peer timeout ends the process, since MPI and OpenSHMEM may hang in it
//! for ever when a node is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::transport::observed::{Call, Observer};

/// Observes a fabric of whose operations none may take longer than a limit.
#[derive(Debug)]
pub struct Watchdog {
    started: Instant,
    /// When the operation that is in flight began, in milliseconds after that; 0 for none.
    busy_since: Arc<AtomicU64>,
}

impl Watchdog {
    /// `give_up` is called on another thread, while the operation hangs.
    #[must_use]
    pub fn new(limit: Duration, give_up: impl Fn() + Send + 'static) -> Self {
        let started = Instant::now();
        let busy_since = Arc::new(AtomicU64::new(0));
        let watched = Arc::downgrade(&busy_since);
        std::thread::spawn(move || {
            while let Some(busy_since) = watched.upgrade() {
                let since = busy_since.load(Ordering::Relaxed);
                let now = started.elapsed().as_millis() as u64;
                if since > 0 && now.saturating_sub(since) >= limit.as_millis() as u64 {
                    give_up();
                }
                drop(busy_since);
                std::thread::sleep(limit / 8);
            }
        });
        Self {
            started,
            busy_since,
        }
    }
}

impl Observer for Watchdog {
    fn observe<R>(
        &self,
        _: Call<'_>,
        perform: impl FnOnce() -> R,
        _: impl FnOnce(&R) -> bool,
    ) -> R {
        let now = self.started.elapsed().as_millis() as u64;
        // Relaxed: the thread that reads it reads nothing else.
        self.busy_since.store(now.max(1), Ordering::Relaxed);
        let result = perform();
        self.busy_since.store(0, Ordering::Relaxed);
        result
    }
}
