//! The queue of a lock, as its owner changes it.

use crate::lockfree::lock_state::{NotAcquired, QUEUED, State};
use crate::lockfree::queue_lock::{Acquirer, QueueLock};
use crate::primitives::Ordering;

impl QueueLock {
    /// As the owner: acquires the lock if no image holds it; otherwise marks it as queued.
    pub(super) fn enter(&self, user: &impl Acquirer) -> Result<(), NotAcquired> {
        let state = loop {
            let state = State(self.state.fetch_or(QUEUED, Ordering::AcqRel));
            match state.holder() {
                Some(holder) if user.has_failed(holder) => self.pass_on(user, Some(holder)),
                Some(holder) => return Err(NotAcquired::Busy(holder)),
                None => break state,
            }
        };
        let entered = match state.poisoner() {
            Some(by) => Err(NotAcquired::Poisoned(by)),
            None => Ok(()),
        };
        let holder = entered.is_ok().then(|| user.me());
        self.update(|state| state.held_by(holder).queued(false));
        entered
    }

    /// As the owner, if the holder is this image or has failed: hands the lock to the first in the queue.
    pub(super) fn pass_on(&self, user: &impl Acquirer, poisoner: Option<usize>) {
        let successor = self.pop(user);
        let queued = self.head.get().is_some();
        self.update(|state| {
            state
                .held_by(successor)
                .queued(queued)
                .poisoned_by(poisoner)
        });
        if let Some(successor) = successor {
            let node = user.node(successor);
            node.lock.store(0, Ordering::Relaxed);
            node.granted.advance_to(node.number.load(Ordering::Relaxed));
        }
    }

    /// As the owner: removes the first image in the queue that has not failed.
    fn pop(&self, user: &impl Acquirer) -> Option<usize> {
        while let Some(first) = self.head.get() {
            self.head.set(user.node(first).next.get());
            if !user.has_failed(first) {
                return Some(first);
            }
        }
        None
    }

    /// As the owner: joins the queue. Returns the number of the wait.
    pub(super) fn join(&self, user: &impl Acquirer) -> u64 {
        let node = user.node(user.me());
        // Relaxed here and wherever the nodes are accessed: the word `owner` orders all changes of the queue.
        let number = node.number.load(Ordering::Relaxed) + 1;
        let ticket = self.tickets.load(Ordering::Relaxed) + 1;
        self.tickets.store(ticket, Ordering::Relaxed);
        node.number.store(number, Ordering::Relaxed);
        node.ticket.store(ticket, Ordering::Relaxed);
        node.lock.store(user.lock(), Ordering::Relaxed);
        self.append(user, user.me());
        number
    }

    fn append(&self, user: &impl Acquirer, image: usize) {
        user.node(image).next.set(None);
        match self.tail.get().filter(|_| self.head.get().is_some()) {
            Some(last) => user.node(last).next.set(Some(image)),
            None => self.head.set(Some(image)),
        }
        self.tail.set(Some(image));
    }

    /// As the owner: removes this image from the queue.
    pub(super) fn withdraw(&self, user: &impl Acquirer) {
        let me = user.me();
        let next = user.node(me).next.get();
        let mut before = None;
        let mut image = self.head.get();
        while let Some(other) = image.filter(|&other| other != me) {
            before = image;
            image = user.node(other).next.get();
        }
        match before {
            Some(before) => user.node(before).next.set(next),
            None => self.head.set(next),
        }
        if next.is_none() {
            self.tail.set(before);
        }
        user.node(me).lock.store(0, Ordering::Relaxed);
    }

    /// As the owner after one that died: rebuilds the queue.
    #[cold]
    pub(super) fn repair(&self, user: &impl Acquirer) {
        let holder = self.load().holder();
        let mut waiters: Vec<(u64, usize)> = (0..user.images())
            .filter(|&image| Some(image) != holder && !user.has_failed(image))
            .filter(|&image| user.node(image).lock.load(Ordering::Relaxed) == user.lock())
            .map(|image| (user.node(image).ticket.load(Ordering::Relaxed), image))
            .collect();
        waiters.sort_unstable();
        self.head.set(None);
        for &(_, image) in &waiters {
            self.append(user, image);
        }
        self.update(|state| state.queued(!waiters.is_empty()));
    }
}
