//! Rings of posts: what an image leaves for the others of its team in blocking collectives, without waiting for them.
//!
//! A post is an [`Arrival`], which its readers wait for: a cache line with the number of the post, the call, and a few bytes. Post `k` is in
//! slot `k mod N`. So between two posts of one slot all images pass a barrier, which each enters when it has read what it needs.

use crate::lockfree::arrival::{Arrival, BESIDE, Signature};
use crate::primitives::{AtomicU64, Ordering, prefetch_to_write};

/// How many posts an image keeps.
pub(crate) const POSTS: usize = 256;

/// The posts of one image.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PostRing<const N: usize = POSTS> {
    slots: [Arrival; N],
    /// For reports: by slot, which of the image's call records belongs to the post.
    records: [AtomicU64; N],
    /// How many posts there were, and a hash of their calls in their order. Relaxed: the next barrier's arrival publishes them.
    posted: AtomicU64,
    chain: AtomicU64,
}

impl<const N: usize> Default for PostRing<N> {
    fn default() -> Self {
        Self {
            slots: std::array::from_fn(|_| Arrival::default()),
            records: std::array::from_fn(|_| AtomicU64::default()),
            posted: AtomicU64::default(),
            chain: AtomicU64::default(),
        }
    }
}

impl<const N: usize> PostRing<N> {
    /// Posts `words` as number `number`, in a call with this signature, whose record is number `record`; `chain` is the hash of all posts.
    /// Everything written before is visible to an image that has seen the post. Who waits for it is woken if it `is_read`.
    #[inline(always)]
    pub(crate) fn post(
        &self,
        number: u64,
        words: &[u64; BESIDE],
        signature: &Signature,
        record: u64,
        chain: u64,
        is_read: bool,
    ) {
        // Relaxed: the arrival publishes it.
        self.records[number as usize % N].store(record, Ordering::Relaxed);
        self.posted.store(number + 1, Ordering::Relaxed);
        self.chain.store(chain, Ordering::Relaxed);
        let slot = self.slot(number);
        slot.bring(words);
        if is_read {
            slot.enter(number + 1, signature);
        } else {
            slot.enter_silently(number + 1, signature);
        }
        // Its readers have the line of the next slot since they read it, and the next arrival must have it back.
        prefetch_to_write(self.slot(number + 1));
    }

    /// Where post `number` is, once the image [has entered](Arrival::has_entered) arrival `number + 1`.
    #[inline]
    pub(crate) fn slot(&self, number: u64) -> &Arrival {
        &self.slots[number as usize % N]
    }

    /// The number of the call record of post `number`, which is there.
    pub(crate) fn record(&self, number: u64) -> u64 {
        self.records[number as usize % N].load(Ordering::Relaxed)
    }

    /// How many posts the image had made when it entered its last barrier.
    pub(crate) fn posted(&self) -> u64 {
        self.posted.load(Ordering::Relaxed)
    }

    /// The hash of these.
    pub(crate) fn chain(&self) -> u64 {
        self.chain.load(Ordering::Relaxed)
    }
}
