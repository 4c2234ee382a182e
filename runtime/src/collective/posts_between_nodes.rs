//! Posts between nodes: an image sends what it posts to each reader as words that say themselves whether they are there.
//!
//! It does so in teams of a few images on a node each. Each image divides its scratch space for posts among all: in the part of another one is
//! what that one has posted to it. A post lies at the same place in all these parts, as words with stamps (`stamped.rs`), which are signals of the fabric.
//!
//! The stamp is that of the period between two barriers for `READ`, in which no word is written twice. When all have been used, 1 to 255, there is a
//! period in which nobody posts, and all clear what they have received.
//!
//! An image that another one waits for in vain may have posted nothing to it, as it is in another call. So who has waited for a while looks at its
//! ring and its arrival, again and again, and is part of a deadlock only as long as it has found nothing.

use std::cell::Cell;
use std::mem::{self, MaybeUninit, offset_of};
use std::ops::Range;
use std::ptr;
use std::slice;
use std::time::{Duration, Instant};

use crate::collective::posting::block_of;
use crate::collective::posts::{MOST_POSTED, MissingPost, NoPost, Post, call_in, first_difference};
use crate::collective::stamped::{
    MOST_SENT, MOST_WORDS, Unpacked, WORD, length_of, pack, words_of,
};
use crate::image::team::Team;
use crate::job::control::TeamControl;
use crate::lockfree::arrival::Arrival;
use crate::lockfree::checked_barrier::BarrierState;
use crate::lockfree::eventcount::{self, Around, WaitStrategy};
use crate::lockfree::post_ring::PostRing;
use crate::primitives::pause;
use crate::waiting::between_nodes::refresh_shadow;
use crate::waiting::signalled::{NEVER, Signalled};
use crate::waiting::{Stop, Waiting};
use coarray_fabric::memory::region::{BUFFER_BYTES, POSTED_BYTES};
use coarray_fabric::transport::signal::{Signal, SignalOperation};

/// The most images of a team that post to each other from node to node.
const MOST_APART: usize = 8;

/// The bytes of each image's part.
const PART: usize = POSTED_BYTES / MOST_APART;

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
                Some(MOST_SENT)
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

impl Team {
    /// What marks the words of posts to other nodes until the next barrier for `READ`; 0 if there are none.
    pub(super) fn stamp(&self) -> u8 {
        (self.period.get() + 1) as u8
    }

    /// Before a barrier for `READ` among nodes.
    #[cold]
    pub(super) fn end_period(&self) {
        // So all that was posted has arrived before somebody posts to the same places, or clears them.
        self.image().fabric().quiet_signals();
        if self.stamp() == 0 {
            let others = (0..self.images()).filter(|&index| index != self.index());
            let words = others.flat_map(|index| self.received(index));
            words.for_each(|word| word.change(SignalOperation::Set(0)));
        }
    }

    /// What the image with this index, on another node, has posted to this one.
    fn received(&self, index: usize) -> &[Signal] {
        assert_ne!(index, self.index());
        let place = self.posted_bytes(self.index(), self.posted_part(index));
        // SAFETY: the part lies in this image's scratch space, aligned to a cache line. It is used as signals only: by those of that image, and
        // by this one when all of these are complete. All bytes are valid for that.
        unsafe { slice::from_raw_parts(place.cast(), PART / WORD) }
    }
}

impl Post<'_> {
    /// A hash of the call, of all that came before it in the team, and of the team.
    fn digest(&self) -> u64 {
        self.team.chain.get() ^ self.team.key.0
    }

    /// Sends the post of this image to the images with these indices; to each only its block, if blocks of so many bytes are for them.
    #[inline(never)]
    pub(super) fn send(&self, bytes: &[u8], readers: Range<usize>, block: Option<usize>) {
        let (team, me) = (self.team, self.team.index());
        let mut buffer = [MaybeUninit::uninit(); MOST_WORDS + MOST_APART * 2];
        let mut rest = &mut buffer[..];
        let mut pack_next = |bytes| {
            let words;
            (words, rest) = pack(mem::take(&mut rest), self.digest(), bytes, team.stamp());
            words
        };
        let mut whole = None;
        let mut all = [const { MaybeUninit::<(usize, &[u64])>::uninit() }; MOST_APART];
        let place = team.posted_part(me).start + self.start;
        let offset = team.scratch_offset() + 2 * BUFFER_BYTES + place;
        let mut count = 0;
        for reader in readers.filter(|&reader| reader != me) {
            let words = match block {
                Some(block) => pack_next(block_of(bytes, block, reader)),
                None => *whole.get_or_insert_with(|| pack_next(bytes)),
            };
            all[count].write((team.members()[reader] as usize, words));
            count += 1;
        }
        // SAFETY: the first `count` were written.
        let all = unsafe { slice::from_raw_parts(all.as_ptr().cast(), count) };
        // SAFETY: the words lie in the part of this image in each reader's scratch space, as there is room for the post. They are signals that only
        // this image sets, and the reader clears them when all have arrived. It drops the team after a barrier, before which this image
        // completes its signals.
        unsafe { team.image().fabric().set_signals(all, offset) };
    }

    /// Waits for the post of the image with this index, on another node, and calls `use_bytes` with all of its bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn receive<R>(&self, index: usize, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        use_bytes(self.receive_into(index, &mut Unpacked::new()))
    }

    /// As [`receive`](Self::receive), without what differs between operations.
    fn receive_into<'b>(&self, index: usize, unpacked: &'b mut Unpacked) -> &'b [u8] {
        let words = &self.team.received(index)[self.start / WORD..];
        let stamp = self.team.stamp();
        let head = self.await_word(index, stamp, &words[0]);
        let Some(length) = length_of(head, self.digest()) else {
            self.give_up(index, NoPost::Differs)
        };
        let words = words[1..1 + words_of(length)].iter();
        let bytes = unpacked.fill(words.map(|word| self.await_word(index, stamp, word)));
        &bytes[..length]
    }

    /// Waits until this word of the post of the image with this index has come: until it has the stamp.
    #[inline(always)]
    fn await_word(&self, index: usize, stamp: u8, word: &Signal) -> u64 {
        let seen = word.sum();
        match seen as u8 == stamp {
            true => seen,
            false => self.await_later(index, stamp, word),
        }
    }

    /// As [`await_word`](Self::await_word).
    #[inline(never)]
    fn await_later(&self, index: usize, stamp: u8, word: &Signal) -> u64 {
        let (team, image) = (self.team, self.team.image());
        let mut patience = image.backoff.patience();
        let has_come = || word.sum() as u8 == stamp;
        let spins = mem::take(&mut patience.spins);
        for _ in 0..spins {
            pause();
            if has_come() {
                return word.sum();
            }
        }
        let control = team.control(team.index());
        loop {
            let seen = word.sum();
            if seen as u8 == stamp {
                return seen;
            }
            let wait = || PutWait {
                post: self,
                index,
                watch: Signalled::new(
                    word,
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
                Err(NoPost::Stopped(Some(Stop::Failed))) if has_come() => {}
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
            // If it is the same, and what came before, it is on its way.
            return match first_difference(team, self.index) {
                None => Ok(()),
                Some(_) => Err(NoPost::Differs),
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
    use crate::lockfree::arrival::BESIDE;
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
                ring.post(number + 1, &[0; BESIDE], signature, 0, chain, false);
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
                    watch: Signalled::new(&team.received(1)[0], 0, waiting),
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
