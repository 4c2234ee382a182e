//! A watchdog around a fabric: an operation that takes longer than the peer timeout ends the process, since MPI and OpenSHMEM may hang in it
//! for ever when a node is lost.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::fabric::{Fabric, Message};
use crate::transport::request::{Buffer, Request};

/// A fabric of whose operations none may take longer than silence may last.
#[derive(Debug)]
pub struct Watchdog {
    fabric: Rc<dyn Fabric>,
    started: Instant,
    /// When the operation that is in flight began, in milliseconds after that; 0 for none.
    busy_since: Arc<AtomicU64>,
}

impl Watchdog {
    /// Watches over `fabric`. `give_up` is called on another thread, while the operation hangs.
    pub fn new(
        fabric: Rc<dyn Fabric>,
        limit: Duration,
        give_up: impl Fn() + Send + 'static,
    ) -> Self {
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
            fabric,
            started,
            busy_since,
        }
    }

    fn watch<R>(&self, operate: impl FnOnce(&dyn Fabric) -> R) -> R {
        let now = self.started.elapsed().as_millis() as u64;
        self.busy_since.store(now.max(1), Ordering::Relaxed);
        let result = operate(&*self.fabric);
        self.busy_since.store(0, Ordering::Relaxed);
        result
    }
}

impl Fabric for Watchdog {
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        // SAFETY: the caller vouches for source and target, as `Fabric::put` asks.
        self.watch(|fabric| unsafe { fabric.put(image, offset, source, length) })
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: the caller vouches for the place, as `Fabric::put_word` asks.
        self.watch(|fabric| unsafe { fabric.put_word(image, offset, word) })
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        // SAFETY: the caller vouches for source and target, as `Fabric::get` asks.
        self.watch(|fabric| unsafe { fabric.get(image, offset, target, length) })
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_put` asks.
        self.watch(|fabric| unsafe { fabric.issue_put(image, offset, source) })
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_get` asks.
        self.watch(|fabric| unsafe { fabric.issue_get(image, offset, target) })
    }

    fn progress(&self) -> bool {
        self.watch(|fabric| fabric.progress())
    }

    fn wait(&self, request: &Request) {
        self.watch(|fabric| fabric.wait(request));
    }

    fn fence(&self, image: usize) {
        self.watch(|fabric| fabric.fence(image));
    }

    fn quiet(&self) {
        self.watch(|fabric| fabric.quiet());
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        // SAFETY: the caller vouches for the word, as `Fabric::atomic` asks.
        self.watch(|fabric| unsafe { fabric.atomic(image, offset, word, operation) })
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        // SAFETY: the caller vouches for the message, as `Fabric::send` asks.
        self.watch(|fabric| unsafe { fabric.send(image, message) });
    }

    unsafe fn signal(&self, image: usize, message: &[u8]) {
        // SAFETY: the caller vouches for the message, as `Fabric::signal` asks.
        self.watch(|fabric| unsafe { fabric.signal(image, message) });
    }

    unsafe fn receive(&self) -> Option<Message> {
        // SAFETY: the caller handles the message, as `Fabric::receive` asks.
        self.watch(|fabric| unsafe { fabric.receive() })
    }
}
