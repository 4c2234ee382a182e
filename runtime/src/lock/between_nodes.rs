//! Locks of images on other nodes.
//!
//! The words of a lock change on its own node only. Images of that node use it directly. An image of another node asks
//! the *owner*, the image that the lock is on, to try, to join the queue, to leave it, or to release the lock on its
//! behalf. So all images wait in one queue, first come, first served. The owner never waits for the images that it acts
//! for; an image that waits on another node sleeps on an eventcount of its own, which the answer advances. Each request
//! to acquire has one answer. It comes from the owner, or from the image of its node that hands the lock over.

use std::cell::Cell;
use std::time::Instant;

use crate::image::Image;
use crate::image::lock_answer::Outcome;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::lock::local::{LocalAcquirer, Queue};
use crate::lock::{Lock, Site};
use crate::lockfree::eventcount::SpinPolicy;
use crate::lockfree::lock_state::State;
use crate::lockfree::queue_lock::{Acquirer, NotAcquired, QueueLock, QueueNode};
use crate::messages::acks::acknowledge;
use crate::messages::acks::send_acked;
use crate::messages::messaging::own_address;
use crate::messages::messaging::send_message;
use crate::messages::quiet::quiet;
use crate::waiting::{Cause, Interruption};
use coarray_fabric::memory::locality::Place;

/// An image of another node that was handed a lock, and the number of its wait. It is notified when no image waits for
/// the notifier.
#[derive(Debug, Default)]
pub(crate) struct Successor(Cell<Option<(usize, u64)>>);

impl Successor {
    /// Notifies an image that the lock is handed over to it, or notes it for later.
    pub(crate) fn note(&self, image: &Image, successor: usize, number: u64) {
        if image.job.nodes.share(image.index, successor) {
            image.control(successor).queue.grant(number);
        } else {
            self.0.set(Some((successor, number)));
        }
    }

    /// Notifies the image that was noted, if any.
    #[inline]
    pub(crate) fn tell(&self, image: &Image, lock: &QueueLock) {
        if let Some((successor, number)) = self.0.take() {
            let outcome = match lock.poisoner() {
                Some(by) => Outcome::GrantedPoisoned(by),
                None => Outcome::Granted,
            };
            answer_about_lock(image, successor, number, outcome);
        }
    }
}

impl Image {
    /// The image that holds the lock at present.
    #[must_use]
    pub fn holder_of(&self, lock: Lock<'_>) -> Option<usize> {
        load_state(self, lock).holder()
    }

    /// The image that failed or panicked while it held the lock, since the poison was last cleared.
    #[must_use]
    pub fn poisoner_of(&self, lock: Lock<'_>) -> Option<usize> {
        load_state(self, lock).poisoner()
    }

    /// Clears the poison of a lock.
    pub fn clear_poison_of(&self, lock: Lock<'_>) {
        match lock.0 {
            Site::Local(lock) => lock.clear_poison(),
            Site::Remote(place) => {
                let message = Outgoing::new(MessageKind::ClearPoison).word(place.offset as u64);
                send_acked(self, place.image, &message);
            }
        }
    }
}

fn load_state(image: &Image, lock: Lock<'_>) -> State {
    match lock.0 {
        Site::Local(lock) => lock.load(),
        Site::Remote(place) => {
            // What this image sent to the owner before is part of the answer.
            quiet();
            fetch_state(image, place)
        }
    }
}

fn fetch_state(image: &Image, place: Place) -> State {
    let mut state = [0; 8];
    let offset = place.offset + QueueLock::STATE;
    // SAFETY: the source is an atomic word of a lock, to which no exclusive reference exists.
    unsafe {
        image
            .fabric()
            .get(place.image, offset, state.as_mut_ptr(), state.len())
    }
    State(u64::from_ne_bytes(state))
}

/// As [`lock`](Image::lock), for a lock on another node; or as [`try_lock`](Image::try_lock), if `waits` is false.
#[cold]
pub(crate) fn lock_remote(
    image: &Image,
    place: Place,
    locking: &LocalAcquirer<'_>,
    waits: bool,
) -> Result<(), NotAcquired> {
    let Some(network) = &image.network else {
        return Err(NotAcquired::Ended);
    };
    let node = &image.control(image.index).queue;
    let number = node.begin_wait();
    network.lock_answer.outcome.set(None);
    let ask = |kind, waits| {
        let message = Outgoing::new(kind);
        let message = message.words(&[place.offset as u64, number, u64::from(waits)]);
        send_message(image, place.image, &message);
    };
    ask(MessageKind::Lock, waits);
    let cause = AwaitingAnswer {
        queue: locking.queue(),
        place,
        waits,
    };
    if let Err(Interruption::TimedOut) = image.wait(node.granted(), number, cause) {
        ask(MessageKind::Withdraw, false);
        let cause = AwaitingAnswer {
            queue: locking.queue(),
            place,
            waits: false,
        };
        // It has no deadline, and no image fails alone.
        let _ = image.wait(node.granted(), number, cause);
    }
    match network.lock_answer.outcome.take() {
        Some(Outcome::Granted) => Ok(()),
        Some(Outcome::GrantedPoisoned(by)) => {
            unlock_remote(image, place, false);
            Err(NotAcquired::Poisoned(by))
        }
        Some(Outcome::Refused(error)) => Err(error),
        None => Err(NotAcquired::Ended),
    }
}

/// Releases a lock on another node.
#[cold]
pub(crate) fn unlock_remote(image: &Image, place: Place, poison: bool) {
    let message =
        Outgoing::new(MessageKind::Unlock).words(&[place.offset as u64, u64::from(poison)]);
    send_acked(image, place.image, &message);
}

fn answer_about_lock(here: &Image, image: usize, number: u64, outcome: Outcome) {
    if let Some(words) = outcome.to_words() {
        let message = Outgoing::new(MessageKind::LockAnswer)
            .word(number)
            .words(&words);
        send_message(here, image, &message);
    }
}

/// Handles the answer to request `number`.
pub(crate) fn handle_lock_answer(image: &Image, mut reader: Reader<'_>) {
    let (number, outcome) = (reader.word(), Outcome::from_words(reader.words()));
    if let Some(network) = &image.network {
        network.lock_answer.outcome.set(Some(outcome));
    }
    image.control(image.index).queue.grant(number);
}

/// Handles a request of an image of another node for a lock of this image.
///
/// # Safety
/// The first word of the message is the offset of a lock in this image's part, which is in use: no image has freed it.
pub(crate) unsafe fn handle_lock(
    here: &Image,
    from: usize,
    kind: MessageKind,
    mut reader: Reader<'_>,
) {
    let offset = reader.size();
    // SAFETY: a lock is at this offset, as the caller vouches: aligned and mapped, and all of it is atomic.
    let lock = unsafe { &*own_address(here, offset).cast::<QueueLock>() };
    let stand_in = StandIn {
        image: here,
        from,
        lock: here.job.region.offset_of(lock),
        successor: Successor::default(),
    };
    match kind {
        MessageKind::Lock => {
            let [number, waits] = reader.words();
            here.control(from).queue.expect(number);
            if let Some(outcome) = stand_in.ask(lock, waits != 0) {
                answer_about_lock(here, from, number, outcome);
            }
        }
        MessageKind::Withdraw => {
            let number = reader.word();
            if lock.give_up(&stand_in) == Ok(true) {
                let outcome = Outcome::Refused(NotAcquired::TimedOut);
                answer_about_lock(here, from, number, outcome);
            }
        }
        MessageKind::Unlock => {
            lock.unlock(&stand_in, reader.word() != 0);
            acknowledge(here, from);
        }
        _ => {
            lock.clear_poison();
            acknowledge(here, from);
        }
    }
    stand_in.successor.tell(here, lock);
}

/// An image of another node that acquires or releases a lock of this image.
struct StandIn<'a> {
    image: &'a Image,
    from: usize,
    lock: u64,
    successor: Successor,
}

impl StandIn<'_> {
    /// Acquires the lock, or joins its queue: then there is no answer yet.
    fn ask(&self, lock: &QueueLock, waits: bool) -> Option<Outcome> {
        let error = match lock.try_lock(self) {
            Err(NotAcquired::Busy(_)) if waits => match lock.take_or_join(self) {
                Ok(None) => return Some(Outcome::Granted),
                Ok(Some(_)) => return None,
                Err(error) => error,
            },
            Ok(()) => return Some(Outcome::Granted),
            Err(error) => error,
        };
        Some(Outcome::Refused(error))
    }
}

impl Acquirer for StandIn<'_> {
    fn me(&self) -> usize {
        self.from
    }

    fn lock(&self) -> u64 {
        self.lock
    }

    fn images(&self) -> usize {
        self.image.images
    }

    /// The shadow of an image of another node contains its node in the queues of this image's locks.
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
        self.image.has_ended()
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

/// Why an image waits for an answer about a lock on another node.
struct AwaitingAnswer<'a> {
    queue: Queue<'a>,
    place: Place,
    /// Whether the wait's deadline applies.
    waits: bool,
}

impl Cause for AwaitingAnswer<'_> {
    fn describe(&self) -> String {
        self.queue.describe()
    }

    fn awaited(&self) -> Option<usize> {
        let holder = if self.waits {
            let image = self.queue.image();
            fetch_state(image, self.place).holder()
        } else {
            None
        };
        // If no image holds it, the owner has not handled the request yet.
        Some(holder.unwrap_or(self.place.image))
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        self.queue.deadline().filter(|_| self.waits)
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::panic::Location;
    use std::sync::Mutex;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::image::team::Team;
    use crate::lock::LockKind;
    use crate::testing::run;

    /// Waits for the signal to go on.
    struct Idle;

    impl Cause for Idle {
        fn describe(&self) -> String {
            "waits for its cue".into()
        }

        fn awaited(&self) -> Option<usize> {
            Some(0)
        }

        fn has_failed(&self) -> bool {
            false
        }
    }

    /// How many images have joined the queue of a lock of this image's own.
    fn tickets(lock: Lock<'_>) -> u64 {
        match lock.0 {
            Site::Local(lock) => lock.tickets.load(Ordering::Relaxed),
            Site::Remote(_) => panic!("the lock is on another node"),
        }
    }

    #[test]
    fn images_of_several_nodes_get_a_lock_in_the_order_in_which_they_came() {
        const ARRIVALS: [usize; 5] = [5, 2, 4, 1, 3];
        for nodes in [1, 2, 3, 4, 6] {
            let order = Mutex::new(Vec::new());
            run(6, nodes, || {
                let team = Team::current();
                let (image, lock) = (team.image(), team.critical());
                let take = || image.lock(lock, LockKind::Critical, Location::caller(), None);
                if image.index == 0 {
                    take().unwrap();
                    for (joined, next) in ARRIVALS.into_iter().enumerate() {
                        image.advance_pair(next);
                        while tickets(lock) <= joined as u64 {
                            image.poll();
                            image.check_abort();
                            std::thread::yield_now();
                        }
                    }
                    assert_eq!(image.holder_of(lock), Some(0));
                } else {
                    let (cue, _) = image.pair_with(0);
                    image.wait(cue, 1, Idle).unwrap();
                    assert_eq!(image.holder_of(lock), Some(0));
                    take().unwrap();
                    assert_eq!(image.holder_of(lock), Some(image.index));
                    order.lock().unwrap().push(image.index);
                }
                // SAFETY: the image acquired the lock, and the test accesses nothing that it guards.
                unsafe { image.unlock(lock, false) };
            });
            assert_eq!(*order.lock().unwrap(), ARRIVALS, "{nodes} nodes");
        }
    }

    #[test]
    fn outcomes_travel_as_words() {
        let refusals = [
            NotAcquired::Busy(7),
            NotAcquired::AlreadyHeld,
            NotAcquired::Poisoned(1 << 20),
            NotAcquired::TimedOut,
        ];
        let granted = [Outcome::Granted, Outcome::GrantedPoisoned(3)];
        for outcome in refusals.map(Outcome::Refused).into_iter().chain(granted) {
            let words = outcome.to_words().expect("there is an answer");
            assert_eq!(Outcome::from_words(words), outcome);
        }
        assert_eq!(Outcome::Refused(NotAcquired::Ended).to_words(), None);
    }
}
