//! Posts between nodes: an image puts what it posts to each reader, and a signal behind it.
//!
//! It does so in teams of a few images on a node each. Each image divides its scratch space for posts among all: in the part of another one
//! is what that one has put to it, and in its own what it puts to others. A post lies at the same place in all these parts: its head, a copy
//! of the slot in the ring of its image, and behind it the bytes that have no room inside. The signature in the head has the chain, and the key of
//! the team, so an older post in the same place is never taken for it.
//!
//! An image that another one waits for in vain may have put nothing to it, as it is in another call. So who has waited for a while looks at its
//! ring and its arrival, again and again, and is part of a deadlock only as long as it has found nothing.

use std::cell::Cell;
use std::mem::offset_of;
use std::ops::Range;
use std::ptr;
use std::time::{Duration, Instant};

use crate::collective::posts::{INSIDE, MOST_POSTED, MissingPost, NoPost, Post, call_in};
use crate::image::team::Team;
use crate::job::control::{MOST_APART, TeamControl, Told};
use crate::lockfree::arrival::{Arrival, Signature, WORDS};
use crate::lockfree::checked_barrier::BarrierState;
use crate::lockfree::eventcount::{self, Around, SpinPolicy, WaitStrategy};
use crate::lockfree::post_ring::PostRing;
use crate::primitives::pause;
use crate::waiting::between_nodes::refresh_shadow;
use crate::waiting::signalled::{NEVER, Signalled};
use crate::waiting::{Stop, Waiting};
use coarray_fabric::memory::region::{BUFFER_BYTES, POSTED_BYTES};
use coarray_fabric::transport::signal::SignalOperation;

/// The bytes of a post's head.
pub(super) const HEAD: usize = size_of::<Arrival>();

/// The bytes of each image's part.
const PART: usize = POSTED_BYTES / MOST_APART;

/// The most bytes that an image can put.
const MOST_PUT: usize = 2048;

/// How long an image waits for a post before it looks at what the other does, and before it looks again.
const LOOK_AFTER: Duration = Duration::from_millis(20);

impl Team {
    /// How many bytes images can post; none if they cannot: they are on several nodes, and many or not on a node each.
    #[inline]
    #[must_use]
    pub fn most_posted(&self) -> Option<usize> {
        match self.node_map() {
            None => Some(MOST_POSTED),
            Some(nodes) if nodes.count() == self.images() && self.images() <= MOST_APART => {
                Some(MOST_PUT)
            }
            Some(_) => None,
        }
    }

    /// Which bytes of the scratch space for posts are for those of the image with this index.
    #[inline]
    pub(super) fn posted_part(&self, index: usize) -> Range<usize> {
        match self.is_on_one_node() {
            true => 0..POSTED_BYTES,
            false => index * PART..(index + 1) * PART,
        }
    }
}

impl Post<'_> {
    /// The signature in the head: that of the call, and all that came before it in the team.
    fn marked(&self) -> Signature {
        let mut signature = *self.call.signature();
        signature[1] ^= self.team.chain.get() ^ self.team.key.0;
        signature
    }

    /// Puts the post of this image to the images with these indices.
    ///
    /// # Safety
    /// These are the words of its slot, and the bytes that have no room there lie behind its head.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn put(&self, words: &[u64; WORDS], readers: Range<usize>) {
        let (team, me) = (self.team, self.team.index());
        let start = team.posted_part(me).start + self.start;
        let length = match words[0] as usize {
            bytes if bytes <= INSIDE => HEAD,
            bytes => HEAD + bytes,
        };
        let source = team.posted_bytes(me, start..start + length);
        // SAFETY: the head lies in this image's scratch space, aligned to a cache line as all posts are, and is used as an arrival by this
        // image only. All of it are atomics.
        let head = unsafe { &*source.cast::<Arrival>() };
        head.bring(words);
        head.enter_silently(self.number + 1, &self.marked());
        let offset = team.scratch_offset() + 2 * BUFFER_BYTES + start;
        let place = team.identity().0 as usize + offset_of!(TeamControl, told);
        let signal = place + me * size_of::<Told>();
        let readers = || readers.clone().filter(|&reader| reader != me);
        let is_single = readers().nth(1).is_none();
        let fabric = team.image().fabric();
        if !is_single {
            // All are on their way at once before the first signal waits for its put.
            for reader in readers() {
                // SAFETY: the source was just written, and the target is the same place on the reader, which has finished with it: it lies behind
                // all that this image has put since the last barrier for `READ`.
                unsafe { fabric.put(team.members()[reader] as usize, offset, source, length) };
            }
        }
        for reader in readers() {
            let to = team.members()[reader] as usize;
            // SAFETY: as above for the bytes. The word is a signal of the team's structures there, which only this image changes, by this. The
            // reader drops the team after a barrier, before which this image completes its signals.
            unsafe {
                match is_single {
                    true => {
                        fabric.put_signal(to, offset, source, length, signal, self.tell(reader))
                    }
                    false => fabric.signal(to, signal, self.tell(reader)),
                }
            }
        }
    }

    /// What tells the image with this index of the post.
    fn tell(&self, reader: usize) -> SignalOperation {
        let number = self.number + 1;
        let nodes = self.team.node_map();
        let before = nodes.map_or(0, |nodes| nodes.told[reader].replace(number));
        SignalOperation::Add(number - before)
    }

    /// Waits for what the image with this index, on another node, has put here. Returns its head, and where in the scratch space for posts the
    /// bytes behind it begin.
    #[cold]
    #[inline(never)]
    pub(super) fn await_put(&self, index: usize) -> (&Arrival, usize) {
        let (team, me) = (self.team, self.team.index());
        let told = &team.control(me).told[index].0;
        let has_come = || told.sum() > self.number;
        let mut patience = team.image().backoff.patience();
        if !has_come()
            && !(0..patience.spins).any(|_| {
                pause();
                has_come()
            })
        {
            patience.spins = 0;
            self.await_signal(index, patience);
        }
        let start = team.posted_part(index).start + self.start;
        let head = team.posted_bytes(me, start..start + HEAD).cast::<Arrival>();
        // SAFETY: the place lies in this image's scratch space, aligned to a cache line as all posts are. Only puts change it, and the image
        // whose part it is puts nothing there before the next barrier if it made the same calls; all of it are atomics.
        let head = unsafe { &*head };
        if head.signal.count() != self.number + 1 || !head.agrees(&self.marked()) {
            self.give_up(index, NoPost::Differs);
        }
        (head, start + HEAD)
    }

    /// Waits until the image with this index has told of its post.
    #[cold]
    #[inline(never)]
    fn await_signal(&self, index: usize, patience: SpinPolicy) {
        let (team, image) = (self.team, self.team.image());
        let control = team.control(team.index());
        let told = &control.told[index].0;
        loop {
            let seen = told.sum();
            if seen > self.number {
                return;
            }
            let wait = || PutWait {
                post: self,
                index,
                watch: Signalled::new(
                    told,
                    seen,
                    Waiting::new(image, MissingPost { post: self, index }),
                ),
                looked: Cell::new(None),
            };
            // It stays as it is until this image posts again.
            let own = &control.posts.slot(self.number).signal;
            match eventcount::until(own, NEVER, patience, wait) {
                Err(NoPost::Stopped(None)) => {}
                // The image may have posted between the last check and its failure.
                Err(NoPost::Stopped(Some(Stop::Failed))) if told.sum() > self.number => {}
                Err(NoPost::Stopped(Some(stop))) => self.give_up(index, NoPost::Stopped(stop)),
                Err(NoPost::Differs) => self.give_up(index, NoPost::Differs),
                Err(NoPost::InOther(call)) => self.give_up(index, NoPost::InOther(call)),
                Ok(()) => unreachable!("no count comes so far"),
            }
        }
    }
}

/// Waits for the post of an image on another node.
struct PutWait<'a> {
    post: &'a Post<'a>,
    index: usize,
    watch: Signalled<'a, MissingPost<'a>>,
    /// When it slept first, or looked last at what the other image does.
    looked: Cell<Option<Instant>>,
}

impl PutWait<'_> {
    /// Finds out if the other image has posted something else, or is in another call.
    fn look(&self) -> Result<(), NoPost<Option<Stop>>> {
        // A copy that is made while the image posts or enters can have a count without what is counted, so what it says of another call is
        // not certain. The second one has all that the first one counts.
        self.look_once().or_else(|_| self.look_once())
    }

    fn look_once(&self) -> Result<(), NoPost<Option<Stop>>> {
        let Post { team, number, .. } = *self.post;
        let next = team.barriers() + 1;
        let arrivals = offset_of!(TeamControl, state) + offset_of!(BarrierState, arrivals);
        let arrival = arrivals + (next & 1) as usize * size_of::<Arrival>();
        let steps = offset_of!(TeamControl, steps);
        // SAFETY: the arrival and the steps of the team's structures are at these offsets, and made of atomics.
        let (arrival, steps) = unsafe {
            (
                fetch(team, self.index, arrival),
                fetch(team, self.index, steps),
            )
        };
        // Only now: the ring has all that the image posted before it came to these.
        refresh_posts(team, self.index);
        let slot = team.control(self.index).posts.slot(number);
        if slot.has_entered(number + 1) {
            // Perhaps for this image, and on its way.
            return match slot.agrees(self.post.call.signature()) {
                true => Ok(()),
                false => Err(NoPost::Differs),
            };
        }
        match call_in(team, self.index, next, &arrival, &steps) {
            Some(call) => Err(NoPost::InOther(call)),
            None => Ok(()),
        }
    }
}

impl<'a> Around for PutWait<'a> {
    type Inner = Signalled<'a, MissingPost<'a>>;
    type Stop = NoPost<Option<Stop>>;

    fn inner(&self) -> &Self::Inner {
        &self.watch
    }

    fn stop(stop: Option<Stop>) -> Self::Stop {
        NoPost::Stopped(stop)
    }

    fn check(&self) -> Result<(), Self::Stop> {
        WaitStrategy::check(&self.watch).map_err(NoPost::Stopped)
    }

    /// Before each time that it says that it sleeps, it looks.
    fn on_timeout(&self) -> Result<(), Self::Stop> {
        let now = Instant::now();
        let since = self.looked.get().unwrap_or(now);
        if now - since < LOOK_AFTER {
            self.looked.set(Some(since));
            return Ok(());
        }
        self.look()?;
        self.looked.set(Some(now));
        WaitStrategy::on_timeout(&self.watch).map_err(NoPost::Stopped)
    }
}

/// What is at this offset in the team's structures of the image with this index, which may change it meanwhile.
///
/// # Safety
/// A `T` is there, and it is made of atomics, so any bytes are valid and may be written through a shared reference.
#[cold]
#[inline(never)]
unsafe fn fetch<T: Default>(team: &Team, index: usize, offset: usize) -> T {
    let copy = T::default();
    let (image, offset) = (
        team.members()[index] as usize,
        team.identity().0 as usize + offset,
    );
    let target = ptr::from_ref(&copy).cast_mut().cast();
    // SAFETY: the team's structures stay, as this image is in a call of the team; the caller vouches for the `T` there. The target is this
    // image's alone.
    unsafe {
        let fabric = team.image().fabric();
        fabric.get(image, offset, target, size_of::<T>());
    }
    copy
}

/// Fetches the ring of an image on another node into its shadow here, in a team that posts.
#[cold]
pub(super) fn refresh_posts(team: &Team, index: usize) {
    if team.most_posted().is_some() {
        let (image, posts) = (
            team.members()[index] as usize,
            offset_of!(TeamControl, posts),
        );
        let offset = team.identity().0 as usize + posts;
        refresh_shadow(team.image(), image, offset, size_of::<PostRing>());
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::panic::Location;
    use std::sync::{Barrier, OnceLock};

    use super::*;
    use crate::call::Call;
    use crate::call::operation::Operation;
    use crate::testing::run;

    /// Image 1 has counted a post that it has not written yet: it has written the one behind it only.
    #[test]
    fn a_post_that_is_not_yet_there_is_no_other_one() {
        let together = Barrier::new(2);
        let found = OnceLock::new();
        run(2, 2, || {
            let team = Team::current();
            let call = Call::plain(Operation::SyncAll, Location::caller());
            let number = team.posts.get();
            let ring_of = |index| &team.control(index).posts;
            let ring = ring_of(team.index());
            let post_later = || {
                let (signature, chain) = (call.signature(), ring.chain());
                ring.post(number + 1, &[0; WORDS], signature, 0, chain, false);
            };
            if team.index() == 1 {
                post_later();
            }
            together.wait();
            if team.index() == 0 {
                let post = &Post {
                    team: &team,
                    call: &call,
                    number,
                    start: 0,
                };
                let missing = MissingPost { post, index: 1 };
                let waiting = Waiting::new(team.image(), missing);
                let wait = PutWait {
                    post,
                    index: 1,
                    watch: Signalled::new(&team.control(0).told[1].0, 0, waiting),
                    looked: Cell::new(None),
                };
                let is_same = wait.look().is_ok();
                found.set((is_same, ring_of(1).posted() > number)).unwrap();
                // In the barriers at the end of the job both have posted alike.
                post_later();
            }
            together.wait();
        });
        assert_eq!(found.get(), Some(&(true, true)));
    }
}
