//! Posts of blocking collectives: an image posts what others need of it, as for an asynchronous collective, and waits only for those of which
//! it needs something.
//!
//! All images make them in the same order with barriers. So every barrier compares, with the calls, a hash of all posts before: the
//! *chain*. And an image that waits for a post finds out if the other has entered a barrier without it.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use crate::call::Call;
use crate::collective::request::CollectiveRequest;
use crate::image::team::Team;
use crate::lockfree::arrival::Signature;
use crate::lockfree::barrier::Barrier;

/// After so many posts all images wait for each other, so that none has more than these to keep.
const MOST_POSTS: u64 = 64;

/// While this lives, the image makes no other collective call of the team.
#[derive(Debug)]
pub struct InProgress<'a>(&'a Team);

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.0.in_epoch.set(false);
    }
}

impl Team {
    /// Collective. Begins a blocking collective to which this image contributes these bytes; otherwise as [`post`](Self::post). Images
    /// compare it with the calls that they make at the latest in the next barrier.
    ///
    /// # Panics
    /// If another collective of the team is in progress, or the heap has no room for the bytes.
    ///
    /// # Safety
    /// As [`post`](Self::post). All images of the team share memory.
    pub unsafe fn post_blocking(
        self: &Rc<Self>,
        call: &Call,
        bytes: &[u8],
    ) -> (CollectiveRequest, InProgress<'_>) {
        if self.in_epoch.replace(true) {
            self.refuse_epoch(call);
        }
        let in_progress = InProgress(self);
        let image = self.image();
        if !image.last_call.is_like(call) {
            image.record_call(call);
        }
        let begun = self.outstanding.borrow().begun;
        // Before the post: a panic that the program catches may end the operation on this image alone.
        if begun % MOST_POSTS == MOST_POSTS - 1 {
            // SAFETY: no layer relies on anything that an image did before this barrier.
            unsafe { self.barrier(call) };
        }
        // SAFETY: the caller vouches for the contribution.
        let request = unsafe { self.post(call, &[bytes]) };
        // The multiplier is that of `SplitMix64` (G. Steele and others, 2014): odd, with bits everywhere.
        let add = |chain: u64, word: &u64| {
            (chain.rotate_left(17) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let chain = call
            .signature()
            .iter()
            .fold(self.chain.get().wrapping_add(1), add);
        self.chain.set(chain);
        // Relaxed: the next barrier's arrival publishes it.
        let own = &self.control(self.index()).log.chain;
        own.store(chain, Ordering::Relaxed);
        (request, in_progress)
    }

    /// What this image publishes of a call when it enters a barrier.
    #[inline]
    pub(crate) fn mark(&self, barrier: Barrier, call: &Call) -> Signature {
        let mut signature = barrier.mark(call.signature());
        signature[1] ^= self.chain.get();
        signature
    }

    /// What the image with this index published in the last barrier, without its chain.
    pub(crate) fn unmark(&self, index: usize, mut signature: Signature) -> Signature {
        // Relaxed: the arrival has published it, and the image is still in the barrier.
        let chain = self.control(index).log.chain.load(Ordering::Relaxed);
        signature[1] ^= chain;
        signature
    }
}
