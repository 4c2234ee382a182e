//! Posts of blocking collectives: an image posts what others need of it, and waits only for those of which it needs something.
//!
//! All images make them in the same order with barriers. So every barrier compares, with the calls, a hash of all posts before: the
//! *chain*. And an image that waits for a post finds out if the other has come to a barrier or to steps without it.
//!
//! How an image posts is in `posting.rs`; to images on other nodes posts go as signals: see `posts_between_nodes.rs`.

use std::ops::Range;

use crate::call::Call;
use crate::collective::barrier::{describe_call, disagree};
use crate::collective::describe::describe_recorded;
use crate::collective::posts_between_nodes::refresh_posts;
use crate::image::descriptor::ALIGN;
use crate::image::team::Team;
use crate::job::control::Steps;
use crate::job::image_failed::ImageFailed;
use crate::lockfree::arrival::{Arrival, BESIDE, IS_FULL, Signature};
use crate::lockfree::barrier::Barrier;
use crate::lockfree::eventcount::{self, Around, WaitStrategy};
use crate::lockfree::post_ring::POSTS;
use crate::waiting::{Cause, Stop, Waiting};
use coarray_fabric::memory::region::{BUFFER_BYTES, POSTED_BYTES};
use coarray_fabric::system::primitives::prefetch_to_read;

/// Up to so many bytes lie in the slot of the post, behind their length; more in the scratch space.
pub(super) const INSIDE: usize = (BESIDE - 1) * size_of::<u64>();

/// So many bytes are asked for before it is known that they are there.
pub(super) const AHEAD: usize = 4 * ALIGN;

/// A blocking collective to which this image has posted. While this lives, the image makes no other collective call of the team.
#[derive(Debug)]
pub struct Post<'a> {
    pub(super) team: &'a Team,
    pub(super) call: &'a Call,
    pub(super) number: u64,
    /// Where in its part of the scratch space this image's post begins, and so those of all images whose calls were the same.
    pub(super) start: usize,
}

impl Drop for Post<'_> {
    fn drop(&mut self) {
        self.team.in_epoch.set(false);
    }
}

impl Team {
    /// Bytes of the scratch space for posts of the image with this index.
    pub(super) fn posted_bytes(&self, index: usize, range: Range<usize>) -> *mut u8 {
        assert!(range.start <= range.end && range.end <= POSTED_BYTES);
        let before = 2 * BUFFER_BYTES + range.start;
        self.scratch(index).wrapping_add(before)
    }

    /// What this image publishes of a call when it enters a barrier.
    #[inline]
    pub(crate) fn mark(&self, barrier: Barrier, call: &Call) -> Signature {
        let mut signature = barrier.mark(call.signature());
        signature[1] ^= self.chain.get();
        signature
    }

    /// What the image with this index published in the last barrier, without its chain and payload.
    pub(crate) fn unmark(&self, index: usize, mut signature: Signature) -> Signature {
        if signature[0] & IS_FULL != 0 {
            signature[0] ^= IS_FULL;
            signature[BESIDE] = 0;
        }
        refresh_posts(self, index);
        // The image is still in the barrier.
        signature[1] ^= self.control(index).posts.chain();
        signature
    }
}

/// The most bytes that an image can post to others on its node.
pub const MOST_POSTED: usize = POSTED_BYTES / 8;

impl Post<'_> {
    /// Waits for the post of the image with this index, and calls `use_bytes` with all of its bytes; they are aligned to a cache line. Those
    /// in `wanted` are asked for at once.
    ///
    /// If the image is in another collective, or has failed, the job ends with a report. If the job has ended, the
    /// image unwinds.
    #[inline]
    pub fn read<R>(
        &self,
        index: usize,
        wanted: Range<usize>,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> R {
        #[repr(align(64))]
        struct Inside([[u8; size_of::<u64>()]; BESIDE - 1]);

        let team = self.team;
        if !team.is_local(index) {
            return self.receive(index, use_bytes);
        }
        let [length, first, second] = self.await_slot(index, wanted).words_beside();
        let length = length as usize;
        if length <= INSIDE {
            let inside = Inside([first, second].map(u64::to_ne_bytes));
            return use_bytes(&inside.0.as_flattened()[..length]);
        }
        let start = first as usize;
        let place = team.posted_bytes(index, start..start + length);
        // SAFETY: the image wrote these bytes of its scratch space before it posted, in this call: the signatures are equal. It writes them again
        // only after a barrier, for which this image calls no function of the program that still reads them: another collective of the team is
        // refused until `self` is dropped.
        use_bytes(unsafe { std::slice::from_raw_parts(place, length) })
    }

    /// Waits for the post of an image on this node.
    #[inline]
    fn await_slot(&self, index: usize, wanted: Range<usize>) -> &Arrival {
        let slot = self.team.control(index).posts.slot(self.number);
        if wanted.end > INSIDE && wanted.end <= POSTED_BYTES - self.start {
            let scratch = self.team.posted_bytes(index, self.start..POSTED_BYTES);
            let first = scratch.wrapping_add(wanted.start);
            for line in (0..wanted.len().min(AHEAD)).step_by(ALIGN) {
                prefetch_to_read(first.wrapping_add(line));
            }
        }
        if !slot.has_entered(self.number + 1) {
            self.await_post(slot, index);
        }
        if !slot.agrees(self.call.signature()) {
            self.give_up(index, NoPost::Differs);
        }
        slot
    }

    /// Waits until the post is there.
    fn await_post(&self, slot: &Arrival, index: usize) {
        let team = self.team;
        let patience = team.image().backoff.patience();
        let wait = || PostWait {
            post: self,
            index,
            watch: Waiting::new(team.image(), MissingPost { post: self, index }),
        };
        let end = eventcount::until(&slot.signal, self.number + 1, patience, wait);
        match end {
            // The image may have posted between the last check and its failure.
            Err(NoPost::Stopped(Stop::Failed)) if slot.has_entered(self.number + 1) => {}
            end => end.unwrap_or_else(|why| self.give_up(index, why)),
        }
    }

    /// Ends the job, or unwinds, because the post does not come.
    #[cold]
    #[inline(never)]
    pub(super) fn give_up(&self, index: usize, why: NoPost<Stop>) -> ! {
        let team = self.team;
        match why {
            NoPost::Stopped(Stop::Failed) => {
                let failed = ImageFailed::new(vec![index]);
                team.fail_because(&failed, &self.call.describe(team))
            }
            NoPost::Stopped(_) => team.image().unwind(),
            NoPost::Differs => {
                refresh_posts(team, index);
                let number = first_difference(team, index).unwrap_or(self.number);
                team.disagree_by_posts(index, number)
            }
            NoPost::InOther(call) => {
                check_posts(team, index, |_| describe_call(team, index, &call).1);
                // It has gone on, as the job has ended.
                team.image().check_abort();
                unreachable!("an image that waits has made a post that it had not made")
            }
        }
    }
}

impl Team {
    /// The call of the image with this index that made this post, as text.
    fn describe_post(&self, index: usize, number: u64) -> String {
        let (control, image) = (self.control(index), self.members()[index] as usize);
        self.image().refresh_call(image);
        let calls = &self.image().control(image).calls;
        let texts = calls.read(control.posts.record(number));
        describe_recorded(control.posts.slot(number).signature(), texts, self)
    }

    /// Ends the job because this image and the one with this index made different posts with this number.
    #[cold]
    fn disagree_by_posts(&self, index: usize, number: u64) -> ! {
        let both = [self.index(), index].map(|index| {
            let image = self.members()[index] as usize;
            (image, self.describe_post(index, number))
        });
        disagree(self, both)
    }
}

/// Ends the job if this image and the one with this index have posted different calls; `describe` says in which other calls they are.
/// Neither posts anything meanwhile.
#[cold]
pub(crate) fn check_posts(team: &Team, other: usize, describe: impl Fn(usize) -> String) {
    if team.most_posted().is_none() {
        return;
    }
    refresh_posts(team, other);
    let me = team.index();
    let (mine, theirs) = (&team.control(me).posts, &team.control(other).posts);
    let (begun, posted) = (mine.posted(), theirs.posted());
    if let Some(number) = first_difference(team, other) {
        team.disagree_by_posts(other, number);
    }
    if begun == posted {
        return;
    }
    // The first post that one has made alone.
    let number = begun.min(posted);
    let texts = [me, other].map(|index| {
        let has_posted = (index == me) == (begun > posted);
        let text = match has_posted {
            true => team.describe_post(index, number),
            false => describe(index),
        };
        (team.members()[index] as usize, text)
    });
    disagree(team, texts)
}

/// The first post that differs, of those that this image and the one with this index have made and still have.
pub(super) fn first_difference(team: &Team, other: usize) -> Option<u64> {
    let [mine, theirs] = [team.index(), other].map(|index| &team.control(index).posts);
    let (begun, posted) = (mine.posted(), theirs.posted());
    let mut both = begun.max(posted).saturating_sub(POSTS as u64)..begun.min(posted);
    both.find(|&number| !theirs.slot(number).agrees(&mine.slot(number).signature()))
}

/// Why an image waits for a post: that of the image with this index.
pub(super) struct MissingPost<'a> {
    pub(super) post: &'a Post<'a>,
    pub(super) index: usize,
}

impl Cause for MissingPost<'_> {
    fn describe(&self) -> String {
        format!("is in {}", self.post.call.describe(self.post.team))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.post.team.members()[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        self.post.team.is_failed(self.index)
    }
}

/// The call of the image with this index, whose arrival and steps these are, if it has entered barrier `next` or begun steps that this image
/// has not come to.
pub(super) fn call_in(
    team: &Team,
    index: usize,
    next: u64,
    arrival: &Arrival,
    steps: &Steps,
) -> Option<Signature> {
    if arrival.has_entered(next) {
        return Some(team.unmark(index, arrival.signature()));
    }
    (steps.begun.count() > team.epochs() as u64).then(|| steps.signature.read())
}

/// Why the post of an image does not come.
pub(super) enum NoPost<S> {
    Stopped(S),
    /// It is that of another call.
    Differs,
    /// The image is in this call, in a barrier or an epoch that this image has not come to.
    InOther(Signature),
}

/// Waits for the post of another image of this node.
struct PostWait<'a> {
    post: &'a Post<'a>,
    index: usize,
    watch: Waiting<'a, MissingPost<'a>>,
}

impl<'a> Around for PostWait<'a> {
    type Inner = Waiting<'a, MissingPost<'a>>;
    type Stop = NoPost<Stop>;

    fn inner(&self) -> &Self::Inner {
        &self.watch
    }

    fn stop(stop: Stop) -> NoPost<Stop> {
        NoPost::Stopped(stop)
    }

    fn check(&self) -> Result<(), NoPost<Stop>> {
        let Post { team, number, .. } = *self.post;
        let next = team.barriers() + 1;
        let other = team.control(self.index);
        let arrival = &other.state.arrivals[(next & 1) as usize];
        // In this order: what it posted before it entered is visible then.
        let call = call_in(team, self.index, next, arrival, &other.steps);
        match call {
            Some(call) if !other.posts.slot(number).has_entered(number + 1) => {
                return Err(NoPost::InOther(call));
            }
            _ => {}
        }
        self.watch.check().map_err(NoPost::Stopped)
    }
}
