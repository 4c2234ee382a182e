//! What synchronisations hand from image to image: clocks, kept by what the images synchronise through.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::check::clock::Clock;
use crate::check::shadow::{GRANULE, Granule};
use crate::check::sites::Line;
use coarray_fabric::memory::locality::Place;

/// A barrier: of which team, and the how manyth there.
pub(crate) type MeetingKey = (u64, u32, u64);

/// The team of all images.
const ALL: u64 = 0;

/// A collective operation, in the same way.
pub(crate) type CollectiveKey = (u64, u32, u64);

/// What synchronisations hand on in a job.
#[derive(Debug)]
pub(crate) struct Order {
    /// When each image has come to the last two barriers of all.
    arrivals: Box<[[AtomicU32; 2]]>,
    /// Barriers of other teams.
    meetings: Shared<HashMap<MeetingKey, Meeting>>,
    collectives: Shared<HashMap<CollectiveKey, Brought>>,
    /// The locks and events of each image, by their offsets.
    locks: Box<[Shared<BTreeMap<usize, Clock>>]>,
    events: Box<[Shared<BTreeMap<usize, Event>>]>,
    pairs: Shared<HashMap<(usize, usize, u64), Clock>>,
    keys: Shared<HashMap<u64, Clock>>,
    /// The fences of each image, and how many there are.
    fences: Box<[(AtomicUsize, Mutex<Vec<Fence>>)]>,
    /// What atomic operations on a granule tell those that come later, beyond what the last one does.
    chains: Shared<HashMap<Granule, Clock>>,
    chained: AtomicUsize,
}

#[derive(Debug, Default)]
struct Shared<T>(Mutex<T>);

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Meeting {
    clock: Clock,
    left: usize,
}

#[derive(Debug, Default)]
struct Brought {
    /// What each image that has come knew at its last fence.
    clocks: HashMap<usize, Option<Arc<Clock>>>,
    left: usize,
}

/// The posts to an event.
#[derive(Debug, Default)]
struct Event {
    posters: BTreeMap<usize, Posts>,
    consumed: u64,
}

/// The posts of one image.
#[derive(Debug, Default)]
struct Posts {
    count: u64,
    /// Those that have been consumed for certain, and left the queue.
    taken: u64,
    queue: VecDeque<Arc<Clock>>,
}

/// A fence.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    /// When: what comes after it has a later time.
    time: u32,
    /// For which image; none for all.
    pub(crate) target: Option<usize>,
    clock: Arc<Clock>,
    pub(crate) line: Line,
}

impl Order {
    pub(crate) fn new(images: usize) -> Self {
        Self {
            arrivals: (0..images).map(|_| Default::default()).collect(),
            meetings: Shared::default(),
            collectives: Shared::default(),
            locks: (0..images).map(|_| Shared::default()).collect(),
            events: (0..images).map(|_| Shared::default()).collect(),
            pairs: Shared::default(),
            keys: Shared::default(),
            fences: (0..images).map(|_| Default::default()).collect(),
            chains: Shared::default(),
            chained: AtomicUsize::new(0),
        }
    }

    /// The slots of a barrier of all images, which are used again when all have left it.
    fn arrivals((team, _, number): MeetingKey) -> Option<usize> {
        (team == ALL).then_some((number % 2) as usize)
    }

    /// An image comes to a barrier.
    pub(crate) fn arrive(&self, meeting: MeetingKey, image: usize, clock: &Clock) {
        if let Some(slot) = Self::arrivals(meeting) {
            // Relaxed: the barrier orders it before `depart`.
            return self.arrivals[image][slot].store(clock.time(image), Ordering::Relaxed);
        }
        let mut meetings = self.meetings.lock();
        meetings.entry(meeting).or_default().clock.join(clock);
    }

    /// It leaves the barrier, which so many images enter.
    pub(crate) fn depart(&self, meeting: MeetingKey, images: usize, clock: &mut Clock) {
        if let Some(slot) = Self::arrivals(meeting) {
            // Nobody knows more of an image than that itself.
            let times = self.arrivals.iter();
            return clock.reach(times.map(|times| times[slot].load(Ordering::Relaxed)));
        }
        let mut meetings = self.meetings.lock();
        leave(
            &mut meetings,
            meeting,
            images,
            |met| clock.join(&met.clock),
            |met| &mut met.left,
        );
    }

    /// An image comes to a collective operation that is no barrier, with what it knew at its last fence.
    pub(crate) fn bring(&self, collective: CollectiveKey, image: usize) {
        let last = self
            .fences(image)
            .iter()
            .rev()
            .find(|fence| fence.target.is_none())
            .cloned();
        let clock = last.map(|fence| fence.clock);
        self.collectives
            .lock()
            .entry(collective)
            .or_default()
            .clocks
            .insert(image, clock);
    }

    /// It leaves the operation, which so many images enter, with what these have brought.
    pub(crate) fn take(
        &self,
        collective: CollectiveKey,
        images: usize,
        from: impl Iterator<Item = usize>,
        clock: &mut Clock,
    ) {
        let mut collectives = self.collectives.lock();
        let join = |brought: &mut Brought| {
            for image in from {
                if let Some(Some(known)) = brought.clocks.get(&image) {
                    clock.join(known);
                }
            }
        };
        leave(&mut collectives, collective, images, join, |brought| {
            &mut brought.left
        });
    }

    /// An image is about to post an event.
    pub(crate) fn post(&self, event: Place, image: usize, clock: Clock) {
        let mut events = self.events[event.image].lock();
        let event = events.entry(event.offset).or_default();
        let posts = event.posters.entry(image).or_default();
        posts.count += 1;
        posts.queue.push_back(Arc::new(clock));
    }

    /// The image of an event has consumed posts. Those that it has for certain are ordered before: whatever others of the posts so far it has consumed, some
    /// of an image's must be among them. Returns whether it may have consumed others.
    pub(crate) fn consume(&self, event: Place, posts: u64, clock: &mut Clock) -> bool {
        let mut events = self.events[event.image].lock();
        let event = events.entry(event.offset).or_default();
        event.consumed += posts;
        let total: u64 = event.posters.values().map(|posts| posts.count).sum();
        for posts in event.posters.values_mut() {
            let others = total - posts.count;
            while posts.taken < event.consumed.saturating_sub(others)
                && let Some(post) = posts.queue.pop_front()
            {
                clock.join(&post);
                posts.taken += 1;
            }
        }
        let taken: u64 = event.posters.values().map(|posts| posts.taken).sum();
        taken < event.consumed
    }

    /// An image is about to release a lock.
    pub(crate) fn unlock(&self, lock: Place, clock: &Clock) {
        let mut locks = self.locks[lock.image].lock();
        locks.entry(lock.offset).or_default().join(clock);
    }

    /// It has acquired one.
    pub(crate) fn lock(&self, lock: Place, clock: &mut Clock) {
        if let Some(last) = self.locks[lock.image].lock().get(&lock.offset) {
            clock.join(last);
        }
    }

    /// An image comes to its call of `sync_images` with another one, the how manyth.
    pub(crate) fn meet(&self, from: usize, to: usize, number: u64, clock: &Clock) {
        self.pairs.lock().insert((from, to, number), clock.clone());
    }

    /// It has met the other.
    pub(crate) fn has_met(&self, from: usize, to: usize, number: u64, clock: &mut Clock) {
        if let Some(other) = self.pairs.lock().remove(&(from, to, number)) {
            clock.join(&other);
        }
    }

    /// The program says that what has this key releases.
    pub(crate) fn release(&self, key: u64, clock: &Clock) {
        self.keys.lock().entry(key).or_default().join(clock);
    }

    /// And that it acquires.
    pub(crate) fn acquire(&self, key: u64, clock: &mut Clock) {
        if let Some(other) = self.keys.lock().get(&key) {
            clock.join(other);
        }
    }

    fn fences(&self, image: usize) -> MutexGuard<'_, Vec<Fence>> {
        self.fences[image]
            .1
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// An image has come to a fence.
    pub(crate) fn fence(
        &self,
        image: usize,
        time: u32,
        target: Option<usize>,
        clock: Clock,
        line: Line,
    ) {
        let clock = Arc::new(clock);
        self.fences(image).push(Fence {
            time,
            target,
            clock,
            line,
        });
        // Release pairs with the Acquire in `fences_before`: who sees what came after a fence sees that there is one.
        self.fences[image].0.fetch_add(1, Ordering::Release);
    }

    /// An image has left a barrier of all: what its fences tell is known.
    pub(crate) fn forget_fences(&self, image: usize) {
        if self.fences[image].0.load(Ordering::Relaxed) > 0 {
            self.fences(image).clear();
            self.fences[image].0.store(0, Ordering::Relaxed);
        }
    }

    /// What an image tells that sees what another one wrote to memory of `target` at a time: what that did before its last fence. Returns whether
    /// there is such a fence.
    pub(crate) fn fences_before(
        &self,
        image: usize,
        time: u32,
        target: usize,
        clock: &mut Clock,
    ) -> bool {
        if self.fences[image].0.load(Ordering::Acquire) == 0 {
            return false;
        }
        let fences = self.fences(image);
        let end = fences.partition_point(|fence| fence.time < time);
        let is_found = [None, Some(target)].map(|to| {
            let last = fences[..end].iter().rev().find(|fence| fence.target == to);
            last.inspect(|fence| clock.join(&fence.clock)).is_some()
        });
        is_found.contains(&true)
    }

    /// The first fence of an image from this time on, for another target.
    pub(crate) fn fence_for_others(&self, image: usize, time: u32, target: usize) -> Option<Fence> {
        let fences = self.fences(image);
        let is_for_others = |fence: &&Fence| fence.target.is_some_and(|to| to != target);
        fences
            .iter()
            .filter(|fence| fence.time >= time)
            .find(is_for_others)
            .cloned()
    }

    /// Whether an image has come to a fence for this target from this time on.
    pub(crate) fn has_fenced(&self, image: usize, time: u32, target: usize) -> bool {
        let fences = self.fences(image);
        let is_for_it = |fence: &Fence| fence.target.is_none_or(|to| to == target);
        fences
            .iter()
            .any(|fence| fence.time >= time && is_for_it(fence))
    }

    /// Keeps what an atomic operation has found, for those that find what it leaves.
    pub(crate) fn chain(&self, granule: Granule, found: &Clock) {
        let mut chains = self.chains.lock();
        chains.entry(granule).or_default().join(found);
        // Release pairs with the Acquire in `chained`.
        self.chained.store(chains.len(), Ordering::Release);
    }

    /// What was kept for a granule.
    pub(crate) fn chained(&self, granule: Granule, clock: &mut Clock) {
        if self.chained.load(Ordering::Acquire) == 0 {
            return;
        }
        if let Some(kept) = self.chains.lock().get(&granule) {
            clock.join(kept);
        }
    }

    /// Another object begins at these bytes of a part: nothing is known of its locks and events. The heap begins at `heap` there.
    pub(crate) fn forget(&self, image: usize, bytes: &Range<usize>, heap: usize) {
        remove_range(&mut self.events[image].lock(), bytes);
        remove_range(&mut self.locks[image].lock(), bytes);
        if self.chained.load(Ordering::Acquire) > 0 {
            let is_there = |granule: &Granule| {
                let offset = heap + granule.number * GRANULE;
                granule.image == image && bytes.contains(&offset)
            };
            self.chains.lock().retain(|granule, _| !is_there(granule));
        }
    }
}

/// An image takes from an entry; the last of so many images removes it.
fn leave<K: Copy + Eq + Hash, T: Default>(
    entries: &mut HashMap<K, T>,
    key: K,
    images: usize,
    take: impl FnOnce(&mut T),
    left: impl FnOnce(&mut T) -> &mut usize,
) {
    let entry = entries.entry(key).or_default();
    take(entry);
    let left = left(entry);
    *left += 1;
    if *left >= images {
        entries.remove(&key);
    }
}

/// Removes what is kept for places in a range.
fn remove_range<T>(places: &mut BTreeMap<usize, T>, bytes: &Range<usize>) {
    let mut from_there = places.split_off(&bytes.start);
    places.append(&mut from_there.split_off(&bytes.end));
}
