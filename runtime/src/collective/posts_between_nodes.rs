//! Posts between nodes: an image sends what it posts to each reader as words that say themselves whether they are there.
//!
//! It does so in teams of a few images on a node each. Each image divides its scratch space for posts among all: in the part of another one is
//! what that one has posted to it. A post lies at the same place in all these parts: a digest of the call and of all that came before it in the
//! team, the number of its bytes, and these. Each word is a signal of the fabric, and has seven bytes beside a *stamp*. So words may arrive in any
//! order, and no operation waits for another one; NCCL's protocol `LL` has a flag beside each four bytes, to the same end.
//!
//! The stamp is that of the period between two barriers for `READ`, in which no word is written twice. When all have been used, 1 to 255, there is a
//! period in which nobody posts, and all clear what they have received.
//!
//! An image that another one waits for in vain may have posted nothing to it, as it is in another call. So who has waited for a while looks at its
//! ring and its arrival, again and again, and is part of a deadlock only as long as it has found nothing.

use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;
use std::ptr;
use std::slice;
use std::time::{Duration, Instant};

use crate::collective::posts::{MOST_POSTED, MissingPost, NoPost, Post, call_in, first_difference};
use crate::image::descriptor::ALIGN;
use crate::image::team::Team;
use crate::job::control::TeamControl;
use crate::lockfree::arrival::Arrival;
use crate::lockfree::checked_barrier::BarrierState;
use crate::lockfree::eventcount::{self, Around, SpinPolicy, WaitStrategy};
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

/// The most bytes that an image can post.
const MOST_SENT: usize = 2048;

const WORD: usize = size_of::<u64>();

/// The bytes of a word beside its stamp, which is in the lowest eight bits.
const DATA: usize = WORD - 1;
const STAMP_BITS: u32 = u8::BITS;

/// The words before the bytes: most of the digest; the rest of it, and how many bytes there are.
const HEAD: usize = 2;
const REST_BITS: u32 = u64::BITS - STAMP_BITS;

/// The most words of a post.
const MOST_WORDS: usize = HEAD + MOST_SENT.div_ceil(DATA);

/// How long an image waits for a post before it looks at what the other does, and before it looks again.
const LOOK_AFTER: Duration = Duration::from_millis(20);

/// The room for a post of up to `most` bytes.
pub(super) fn room_of(most: usize) -> usize {
    (WORD * (HEAD + most.div_ceil(DATA))).next_multiple_of(ALIGN)
}

/// The words of a post.
fn pack<'a>(
    buffer: &'a mut [MaybeUninit<u64>; MOST_WORDS],
    digest: u64,
    bytes: &[u8],
    stamp: u8,
) -> &'a [u64] {
    let word = |data: u64| data << STAMP_BITS | u64::from(stamp);
    buffer[0].write(word(digest));
    buffer[1].write(word(
        digest >> REST_BITS | (bytes.len() as u64) << STAMP_BITS,
    ));
    let count = bytes.len().div_ceil(DATA);
    for (number, target) in buffer[HEAD..HEAD + count].iter_mut().enumerate() {
        let rest = &bytes[DATA * number..];
        // The shift drops the eighth byte, which is the first one of the next word.
        target.write(word(match rest.first_chunk() {
            Some(first) => u64::from_le_bytes(*first),
            None => rest
                .iter()
                .rev()
                .fold(0, |data, &byte| data << u8::BITS | u64::from(byte)),
        }));
    }
    // SAFETY: so many words were written.
    unsafe { slice::from_raw_parts(buffer.as_ptr().cast(), HEAD + count) }
}

/// The digest, and how many bytes follow.
fn unpack_head([first, second]: [u64; HEAD]) -> (u64, usize) {
    let digest = first >> STAMP_BITS | second >> STAMP_BITS << REST_BITS;
    (digest, (second >> (2 * STAMP_BITS)) as usize)
}

/// The bytes of a post, as they come.
#[repr(C, align(64))]
struct Unpacked {
    bytes: [MaybeUninit<u8>; MOST_SENT + WORD],
    used: usize,
}

impl Unpacked {
    fn new() -> Self {
        Self {
            bytes: [MaybeUninit::uninit(); MOST_SENT + WORD],
            used: 0,
        }
    }

    /// Adds those of the next word.
    #[inline]
    fn push(&mut self, word: u64) {
        let target = self.bytes[self.used..].first_chunk_mut::<WORD>();
        let data = (word >> STAMP_BITS).to_le_bytes().map(MaybeUninit::new);
        *target.expect("no post has more bytes") = data;
        self.used += DATA;
    }

    /// So many of them.
    fn first(&self, length: usize) -> &[u8] {
        assert!(length <= self.used);
        // SAFETY: so many bytes were written.
        unsafe { slice::from_raw_parts(self.bytes.as_ptr().cast(), length) }
    }
}

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

    /// Sends the post of this image to the images with these indices.
    #[cold]
    #[inline(never)]
    pub(super) fn send(&self, bytes: &[u8], readers: Range<usize>) {
        let (team, me) = (self.team, self.team.index());
        let mut buffer = [MaybeUninit::uninit(); MOST_WORDS];
        let words = pack(&mut buffer, self.digest(), bytes, team.stamp());
        let place = team.posted_part(me).start + self.start;
        let offset = team.scratch_offset() + 2 * BUFFER_BYTES + place;
        for reader in readers.filter(|&reader| reader != me) {
            let to = team.members()[reader] as usize;
            // SAFETY: the words lie in the part of this image in the reader's scratch space, as there is room for the post. They are signals that only
            // this image sets, and the reader clears them when all have arrived. It drops the team after a barrier, before which this image
            // completes its signals.
            unsafe { team.image().fabric().set_signals(to, offset, words) };
        }
    }

    /// Waits for the post of the image with this index, on another node, and calls `use_bytes` with all of its bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn receive<R>(&self, index: usize, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let words = &self.team.received(index)[self.start / WORD..];
        let head = [0, 1].map(|number| self.await_word(index, &words[number]));
        let (digest, length) = unpack_head(head);
        if digest != self.digest() || length > MOST_SENT {
            self.give_up(index, NoPost::Differs);
        }
        let mut unpacked = Unpacked::new();
        for word in &words[HEAD..HEAD + length.div_ceil(DATA)] {
            unpacked.push(self.await_word(index, word));
        }
        use_bytes(unpacked.first(length))
    }

    /// Waits until this word of the post of the image with this index has come.
    #[inline]
    fn await_word(&self, index: usize, word: &Signal) -> u64 {
        let mut patience = self.team.image().backoff.patience();
        for _ in 0..=patience.spins {
            if let Some(word) = self.arrived(word) {
                return word;
            }
            pause();
        }
        patience.spins = 0;
        self.await_signal(index, word, patience)
    }

    /// The word, if it has come.
    #[inline]
    fn arrived(&self, word: &Signal) -> Option<u64> {
        let word = word.sum();
        (word as u8 == self.team.stamp()).then_some(word)
    }

    /// As [`await_word`](Self::await_word), when the image has spun.
    #[cold]
    #[inline(never)]
    fn await_signal(&self, index: usize, word: &Signal, patience: SpinPolicy) -> u64 {
        let (team, image) = (self.team, self.team.image());
        let control = team.control(team.index());
        loop {
            let seen = word.sum();
            if let Some(word) = self.arrived(word) {
                return word;
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
                Err(NoPost::Stopped(Some(Stop::Failed))) if self.arrived(word).is_some() => {}
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
    use crate::testing::run;

    #[test]
    fn all_bytes_of_a_post_are_unpacked_from_its_words() {
        for length in (0..100).chain([MOST_SENT - 1, MOST_SENT]) {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 1) as u8).collect();
            let mut buffer = [MaybeUninit::uninit(); MOST_WORDS];
            let words = pack(&mut buffer, u64::MAX - 5, &bytes, 7);
            assert!(words.iter().all(|&word| word as u8 == 7));
            assert!(size_of_val(words) <= room_of(length));
            let (head, rest) = words.split_first_chunk().unwrap();
            assert_eq!(unpack_head(*head), (u64::MAX - 5, length));
            let mut unpacked = Unpacked::new();
            rest.iter().for_each(|&word| unpacked.push(word));
            assert_eq!(unpacked.first(length), bytes);
        }
    }

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
