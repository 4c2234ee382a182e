//! The dissemination barrier (Hensgen, Finkel and Manber 1988): in round `k` image `i` signals image `i + 2^k` and
//! waits for image `i - 2^k`. After `ceil(log2 n)` rounds every image has heard, directly or not, of every other.
//!
//! Every signal carries the signature of its sender. After round `k` an image knows that the `2^(k+1)` images up to and
//! including itself agree.
//!
//! Signals of consecutive barriers use two alternating sets of [`Line`]s. An image may be ahead by one barrier, never
//! by two, so a line is read before it is written again.

use crate::lockfree::arrival::{Signature, Words};
use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, Episode};
use crate::lockfree::eventcount::Eventcount;

/// The mailbox of one round: one cache line, written by one image and read by one image.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    /// The number of the barrier that was signalled last.
    signal: Eventcount,
    signature: Words<4>,
}

impl Line {
    #[inline]
    pub(crate) fn send(&self, number: u64, signature: &Signature) {
        self.signature.write(signature);
        self.signal.advance_to(number);
    }
}

/// Passes the barrier.
#[inline]
pub(crate) fn pass<P: BarrierScope>(episode: &Episode<P>) -> Result<(), BarrierError<P::Stop>> {
    let Episode {
        me, images, number, ..
    } = *episode;
    let set = (number & 1) as usize;
    let mut distance = 1;
    let mut round = 0;
    while distance < images {
        let ahead = me + distance;
        let ahead = if ahead < images {
            ahead
        } else {
            ahead - images
        };
        let behind = if me >= distance {
            me - distance
        } else {
            me + images - distance
        };
        episode
            .scope
            .line(ahead, set, round)
            .send(number, &episode.signature);
        let from = episode.scope.line(me, set, round);
        episode.wait(&from.signal, behind)?;
        if !from.signature.agree_with(&episode.signature) {
            return Err(BarrierError::Mismatch { image: behind });
        }
        distance *= 2;
        round += 1;
    }
    Ok(())
}
