//! Locks of the image's own node: it changes their words itself, and waits on its own node of the queue.

use std::time::Instant;

use crate::image::Image;
use crate::lock::{Lock, Wanting};
use crate::lockfree::eventcount::{Eventcount, SpinPolicy};
use crate::lockfree::queue_lock::{Acquirer, QueueLock, QueueNode, Waiter, Wake};
use crate::waiting::{Cause, Interruption};

/// An image that acquires or releases a lock of its own node.
pub(super) struct LocalAcquirer<'a> {
    image: &'a Image,
    pub(super) queue_lock: &'a QueueLock,
    wanting: Wanting,
}

impl<'a> LocalAcquirer<'a> {
    pub(super) fn new(image: &'a Image, queue_lock: &'a QueueLock, wanting: Wanting) -> Self {
        Self {
            image,
            queue_lock,
            wanting,
        }
    }
}

impl Acquirer for LocalAcquirer<'_> {
    fn me(&self) -> usize {
        self.image.index
    }

    fn lock(&self) -> u64 {
        self.image.job.region.offset_of(self.queue_lock)
    }

    fn images(&self) -> usize {
        self.image.images
    }

    fn node(&self, image: usize) -> &QueueNode {
        &self.image.control(image).queue
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
struct Queue<'a> {
    locking: &'a LocalAcquirer<'a>,
    /// The failure epoch when it last checked the queue.
    failure_epoch: u32,
}

impl Cause for Queue<'_> {
    fn describe(&self) -> String {
        let LocalAcquirer {
            image,
            queue_lock,
            wanting,
        } = self.locking;
        wanting.describe(image, Lock::local(queue_lock))
    }

    fn awaited(&self) -> Option<usize> {
        self.locking.queue_lock.holder()
    }

    fn has_failed(&self) -> bool {
        self.locking.failure_epoch() != self.failure_epoch
    }

    fn deadline(&self) -> Option<Instant> {
        self.locking.wanting.deadline
    }
}
