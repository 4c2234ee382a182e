//! Words that say themselves whether they are there: seven bytes beside a *stamp*, which the reader waits for.
//!
//! So the words of a post may arrive in any order, and no operation waits for another one. NCCL's protocol `LL` has a flag beside each four bytes, to
//! the same end.
//!
//! A post is a head and its bytes. The head is the upper 44 bits of a digest of the call and of all that came before it, and the number of bytes. It is one word, so
//! that fewer cache lines change hands where posts lie side by side: one of 8 B has three words.

use std::mem::MaybeUninit;
use std::slice;

/// The most bytes that an image can post.
pub(super) const MOST_SENT: usize = 2048;

pub(super) const WORD: usize = size_of::<u64>();

/// The bytes of a word beside its stamp, which is in the lowest eight bits.
const DATA: usize = WORD - 1;
const STAMP_BITS: u32 = u8::BITS;

/// Above the stamp of the head is the number of bytes, and above that the digest, without as many of its lowest bits: the multiplications that make it pass
/// differences on to higher bits only, so in these most would be missing.
const BELOW_DIGEST: u32 = STAMP_BITS + MOST_SENT.ilog2() + 1;

/// The most words of a post.
pub(super) const MOST_WORDS: usize = 1 + words_of(MOST_SENT);

/// How many words have so many bytes.
pub(super) const fn words_of(bytes: usize) -> usize {
    bytes.div_ceil(DATA)
}

/// The room for a post of up to `most` bytes.
pub(super) fn room_of(most: usize) -> usize {
    WORD * (1 + words_of(most))
}

/// The words of a post, at the start of the buffer, and the rest of that.
pub(super) fn pack<'a>(
    buffer: &'a mut [MaybeUninit<u64>],
    digest: u64,
    bytes: &[u8],
    stamp: u8,
) -> (&'a [u64], &'a mut [MaybeUninit<u64>]) {
    let word = |data: u64| data << STAMP_BITS | u64::from(stamp);
    let add = |data: u64, byte: &u8| data << u8::BITS | u64::from(*byte);
    let (post, rest) = buffer.split_at_mut(1 + words_of(bytes.len()));
    let [head, places @ ..] = post else {
        unreachable!("a post has a head")
    };
    head.write(digest >> BELOW_DIGEST << BELOW_DIGEST | word(bytes.len() as u64));
    if let Some((last, most)) = places.split_last_mut() {
        // The shift drops the eighth byte, which is the first one of the next word.
        for (place, eight) in most.iter_mut().zip(bytes.windows(WORD).step_by(DATA)) {
            let data = eight
                .first_chunk()
                .map_or(0, |eight| u64::from_le_bytes(*eight));
            place.write(word(data));
        }
        let rest = &bytes[DATA * most.len()..];
        last.write(word(rest.iter().rev().fold(0, add)));
    }
    // SAFETY: all words of the post were written: the head, and all places.
    let words = unsafe { slice::from_raw_parts(post.as_ptr().cast(), post.len()) };
    (words, rest)
}

/// How many bytes follow this head, if it has this digest.
pub(super) fn length_of(head: u64, digest: u64) -> Option<usize> {
    let is_same = (head ^ digest) >> BELOW_DIGEST == 0;
    let length = ((head % (1 << BELOW_DIGEST)) >> STAMP_BITS) as usize;
    (is_same && length <= MOST_SENT).then_some(length)
}

/// Room for the bytes of a post.
#[repr(C, align(64))]
pub(super) struct Unpacked([MaybeUninit<u8>; MOST_SENT + WORD]);

impl Unpacked {
    pub(super) fn new() -> Self {
        Self([MaybeUninit::uninit(); MOST_SENT + WORD])
    }

    /// The bytes of these words, which are at most those of a post.
    #[inline]
    pub(super) fn fill(&mut self, words: impl Iterator<Item = u64>) -> &[u8] {
        let mut count = 0;
        let mut rest = &mut self.0[..];
        for word in words {
            let (place, _) = rest.split_first_chunk_mut::<WORD>().expect("there is room");
            *place = (word >> STAMP_BITS).to_le_bytes().map(MaybeUninit::new);
            rest = &mut rest[DATA..];
            count += DATA;
        }
        // SAFETY: the first `count` bytes were written: each word's, one word behind the other.
        unsafe { slice::from_raw_parts(self.0.as_ptr().cast(), count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_of_a_post_are_unpacked_from_its_words() {
        for length in (0..100).chain([MOST_SENT - 1, MOST_SENT]) {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 1) as u8).collect();
            let mut buffer = [MaybeUninit::uninit(); MOST_WORDS];
            let (words, _) = pack(&mut buffer, u64::MAX - 5, &bytes, 7);
            assert!(words.iter().all(|&word| word as u8 == 7));
            assert!(size_of_val(words) <= room_of(length));
            let (&head, rest) = words.split_first().unwrap();
            assert_eq!(length_of(head, u64::MAX - 5), Some(length));
            assert_eq!(length_of(head, u64::MAX - (1 << BELOW_DIGEST)), None);
            assert_eq!(Unpacked::new().fill(rest.iter().copied())[..length], bytes);
        }
    }
}
