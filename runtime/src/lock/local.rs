//! Locks of the image's own node: it changes their words itself, and waits on its own node of the queue.

use std::panic::Location;
use std::time::Instant;

use crate::image::Image;
use crate::lock::between_nodes::Successor;
use crate::lock::{Lock, LockKind, Site};
use crate::lockfree::eventcount::{Eventcount, SpinPolicy};
use crate::lockfree::queue_lock::{Acquirer, QueueNode, Waiter, Wake};
use crate::waiting::{Cause, Interruption};

/// An image that acquires or releases a lock of its own node.
pub(crate) struct LocalAcquirer<'a> {
    pub(super) image: &'a Image,
    pub(super) lock: Lock<'a>,
    kind: LockKind,
    pub(super) caller: &'static Location<'static>,
    deadline: Option<Instant>,
    pub(super) successor: Successor,
}

impl<'a> LocalAcquirer<'a> {
    pub(super) fn new(
        image: &'a Image,
        lock: Lock<'a>,
        kind: LockKind,
        caller: &'static Location<'static>,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            image,
            lock,
            kind,
            caller,
            deadline,
            successor: Successor::default(),
        }
    }

    /// Records why the image waits in the queue from now on.
    pub(crate) fn queue(&self) -> Queue<'_> {
        Queue {
            locking: self,
            failure_epoch: self.failure_epoch(),
        }
    }
}

impl Acquirer for LocalAcquirer<'_> {
    fn me(&self) -> usize {
        self.image.index
    }

    fn lock(&self) -> u64 {
        let region = &self.image.job.region;
        region.offset_of_address(self.lock.address(self.image))
    }

    fn images(&self) -> usize {
        self.image.images
    }

    fn node(&self, image: usize) -> &QueueNode {
        &self.image.control(image).queue
    }

    fn grant(&self, successor: usize, number: u64) {
        self.successor.note(self.image, successor, number);
    }

    fn has_failed(&self, image: usize) -> bool {
        self.image.has_failed(image)
    }

    fn has_ended(&self) -> bool {
        self.image.job.has_ended()
    }

    fn patience(&self) -> SpinPolicy {
        self.image.backoff.patience()
    }

    fn yields(&self) -> u32 {
        self.image.yields()
    }

    fn yield_core(&self) -> bool {
        self.image.yield_core()
    }
}

impl Waiter for LocalAcquirer<'_> {
    fn failure_epoch(&self) -> u32 {
        self.image.job.region.job().failure_epoch()
    }

    fn wait(&self, granted: &Eventcount, number: u64, failure_epoch: u32) -> Result<(), Wake> {
        let queue = Queue {
            locking: self,
            failure_epoch,
        };
        match self.image.wait(granted, number, queue) {
            Ok(()) => Ok(()),
            Err(Interruption::Failed) => Err(Wake::ImagesFailed),
            Err(Interruption::TimedOut) => Err(Wake::TimedOut),
        }
    }
}

/// Why an image waits in the queue of a lock.
pub(crate) struct Queue<'a> {
    locking: &'a LocalAcquirer<'a>,
    /// The failure epoch when it last checked the queue.
    failure_epoch: u32,
}

impl Queue<'_> {
    pub(crate) fn image(&self) -> &Image {
        self.locking.image
    }
}

impl Cause for Queue<'_> {
    fn describe(&self) -> String {
        let LocalAcquirer {
            image,
            lock,
            kind,
            caller,
            ..
        } = self.locking;
        match kind {
            LockKind::Mutex => {
                format!(
                    "waits in lock at {caller} for {}",
                    image.describe_mutex(*lock)
                )
            }
            LockKind::Critical => format!("waits to enter the critical section at {caller}"),
        }
    }

    fn awaited(&self) -> Option<usize> {
        match self.locking.lock.0 {
            Site::Local(lock) => lock.holder(),
            // `AwaitingAnswer` asks the owner.
            Site::Remote(_) => None,
        }
    }

    fn has_failed(&self) -> bool {
        self.locking.failure_epoch() != self.failure_epoch
    }

    fn deadline(&self) -> Option<Instant> {
        self.locking.deadline
    }
}
