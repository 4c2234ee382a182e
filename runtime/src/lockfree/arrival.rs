//! Arrivals: what an image publishes when it enters a barrier.

use crate::lockfree::eventcount::Eventcount;
use crate::primitives::{AtomicU64, Ordering};

/// What an image is doing, as words that are compared exactly, or between nodes by a digest.
pub(crate) type Signature = [u64; 4];

/// How many words of payload an image brings to a barrier, for all others to read.
pub(crate) const WORDS: usize = 4;

/// How many of them lie beside the signature. The last one takes the place of the signature's last word, which is 0 in calls that bring it.
pub(crate) const BESIDE: usize = WORDS - 1;

/// How many bytes of payload an image brings to a barrier, for all others to read.
pub const PAYLOAD_BYTES: usize = WORDS * size_of::<u64>();

/// The same in operations with a root, whose number needs the room of a word.
pub const PAYLOAD_BYTES_WITH_ROOT: usize = BESIDE * size_of::<u64>();

/// Which of the words beside the signature is a time if the payload leaves room: the last.
const TIME: usize = BESIDE - 1;

/// The bit of a signature's first word that says that the last word is one of the payload. Numbers of operations stay below it.
pub(crate) const IS_FULL: u64 = 1 << 15;

/// Words in shared memory. Relaxed throughout: the count of [`Arrival::signal`] publishes them.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Words<const N: usize>([AtomicU64; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([(); N].map(|()| AtomicU64::default()))
    }
}

impl<const N: usize> Words<N> {
    #[inline]
    pub(crate) fn write(&self, words: &[u64; N]) {
        for (cell, word) in self.0.iter().zip(words) {
            cell.store(*word, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn read(&self) -> [u64; N] {
        std::array::from_fn(|word| self.0[word].load(Ordering::Relaxed))
    }
}

impl Words<4> {
    /// Whether the signature here and this one are of calls that are alike.
    #[inline]
    pub(crate) fn agree_with(&self, signature: &Signature) -> bool {
        let [first @ .., last] = &self.0;
        let are_equal = |(cell, word): (&AtomicU64, &u64)| cell.load(Ordering::Relaxed) == *word;
        // Whether the last word is one of the payload, the first one says.
        first.iter().zip(signature).all(are_equal)
            && (signature[0] & IS_FULL != 0 || are_equal((last, &signature[BESIDE])))
    }
}

/// One image's entry into a barrier: one cache line, which that image writes and all read.
///
/// There are two, for consecutive barriers. An image may be ahead of another by one barrier, never by two, so all have
/// read an arrival before it is written again.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Arrival {
    /// The number of the last barrier that was entered with this arrival.
    pub(crate) signal: Eventcount,
    signature: Words<4>,
    words: Words<BESIDE>,
}

const _: () = assert!(size_of::<Arrival>() == 64 || cfg!(not(target_pointer_width = "64")));

impl Arrival {
    /// Writes the payload beside the signature, before the image enters.
    #[inline]
    pub(crate) fn bring(&self, words: &[u64; BESIDE]) {
        self.words.write(words);
    }

    /// Writes the first `used` of these words, and leaves room for [a time](Self::note_time) behind them if there is some. The last word goes to
    /// the signature with which the image is about to [enter](Self::enter).
    #[inline]
    pub(crate) fn bring_first(&self, words: &[u64; WORDS], used: usize, signature: &mut Signature) {
        let beside = if used > TIME { BESIDE } else { TIME };
        for (cell, word) in self.words.0[..beside].iter().zip(words) {
            cell.store(*word, Ordering::Relaxed);
        }
        if used > BESIDE {
            signature[0] |= IS_FULL;
            signature[BESIDE] = words[BESIDE];
        }
    }

    /// Writes when the image enters, where the payload leaves room.
    #[inline]
    pub(crate) fn note_time(&self, time: u64) {
        self.words.0[TIME].store(time, Ordering::Relaxed);
    }

    /// When the image, which has entered, did so; an arbitrary number if it has not written that.
    #[inline]
    pub(crate) fn time(&self) -> u64 {
        self.words.0[TIME].load(Ordering::Relaxed)
    }

    /// Enters barrier `number`: publishes the signature and the payload.
    #[inline]
    pub(crate) fn enter(&self, number: u64, signature: &Signature) {
        self.signature.write(signature);
        self.signal.advance_to(number);
    }

    /// As [`enter`](Self::enter), where no image waits for it: wakes nobody, and does not wait for the writes before.
    #[inline]
    pub(crate) fn enter_silently(&self, number: u64, signature: &Signature) {
        self.signature.write(signature);
        self.signal.advance_silently(number);
    }

    /// Whether the image has entered barrier `number`, one of the latest two with this arrival.
    #[inline]
    pub(crate) fn has_entered(&self, number: u64) -> bool {
        self.signal.has_reached(number)
    }

    /// Whether the signature of the image, which has entered, is `signature`.
    #[inline]
    pub(crate) fn agrees(&self, signature: &Signature) -> bool {
        self.signature.agree_with(signature)
    }

    /// The signature of the image, which has entered.
    pub(crate) fn signature(&self) -> Signature {
        self.signature.read()
    }

    /// The payload of the image, which has entered; arbitrary words if it brought none.
    #[inline]
    pub(crate) fn words(&self) -> [u64; WORDS] {
        let [first, second, third] = self.words_beside();
        let last = self.signature.0[BESIDE].load(Ordering::Relaxed);
        [first, second, third, last]
    }

    /// The words beside the signature.
    #[inline]
    pub(crate) fn words_beside(&self) -> [u64; BESIDE] {
        self.words.read()
    }
}
