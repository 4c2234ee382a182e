//! The bytes of a link that this image holds: those that wait to leave, and those that have arrived.
//!
//! A link is a stream of records, which is cut into packets wherever one is full. Both buffers hold words, as the memory of the conveyor does, and
//! hand out bytes.

use bytemuck::{cast_slice, cast_slice_mut};

/// Bytes of a word.
pub(super) const WORD: usize = size_of::<u64>();

/// Records that wait to leave.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    words: Vec<u64>,
    /// The bytes before are sent; a multiple of [`WORD`].
    start: usize,
    end: usize,
    /// Up to here records are appended without a question; at most as far as the words reach.
    room: usize,
}

impl Leaving {
    /// Room for so many bytes from the beginning, as no buffer grows while it is in use that is large enough.
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            words: vec![0; bytes.div_ceil(WORD)],
            ..Self::default()
        }
    }

    /// How many bytes wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Appends so many bytes, to be written by the caller; none if there is no room.
    #[inline]
    pub(super) fn append(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let end = self
            .end
            .checked_add(bytes)
            .filter(|&end| end <= self.room)?;
        let start = std::mem::replace(&mut self.end, end);
        let all: &mut [u8] = cast_slice_mut(&mut self.words);
        debug_assert!(end <= all.len());
        // SAFETY: there is room up to `end` only if the words reach as far: `make_room` sees to that, and they never become fewer. `start` comes
        // before it.
        Some(unsafe { all.get_unchecked_mut(start..end) })
    }

    /// The last bytes that were appended.
    pub(super) fn last(&mut self, bytes: usize) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words)[self.end - bytes..self.end]
    }

    /// Makes room for so many bytes; and for what follows them, as long as no more than `limit` bytes wait.
    pub(super) fn make_room(&mut self, bytes: usize, limit: usize) {
        let end = self.end + bytes;
        if end > self.words.len() * WORD {
            // To twice the length, as vectors grow.
            let words = end.div_ceil(WORD).max(2 * self.words.len());
            self.words.resize(words, 0);
        }
        let limit = (self.start + limit).min(self.words.len() * WORD);
        self.room = end.max(limit);
    }

    /// From now on there is no room until it is made.
    pub(super) fn close(&mut self) {
        self.room = 0;
    }

    /// The words of the first `length` bytes that wait.
    pub(super) fn packet(&self, length: usize) -> &[u64] {
        let (first, end) = (self.start / WORD, (self.start + length).div_ceil(WORD));
        &self.words[first..end]
    }

    /// Becomes what has arrived here, and takes the place of what is there, which is empty.
    pub(super) fn hand_over(&mut self, arriving: &mut Arriving) {
        self.close();
        arriving.reserve(self.words.len() * WORD);
        std::mem::swap(&mut self.words, &mut arriving.words);
        (arriving.at, arriving.end) = (self.start, self.end);
        (self.start, self.end) = (0, 0);
    }

    /// Forgets the first `length` bytes that wait: all, or a multiple of [`WORD`].
    pub(super) fn note_sent(&mut self, length: usize) {
        self.close();
        self.start += length;
        if self.start >= self.len() {
            // What is left moves to the front, by no more bytes than were sent.
            let bytes: &mut [u8] = cast_slice_mut(&mut self.words);
            bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.len());
        }
    }
}

/// Records that have arrived, the last of which may not be complete.
#[derive(Debug, Default)]
pub(super) struct Arriving {
    words: Vec<u64>,
    at: usize,
    end: usize,
}

impl Arriving {
    /// What has arrived and was not consumed.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words)[self.at..self.end]
    }

    /// Takes all complete records of so many bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let start = self.at;
        self.at += (self.end - start) / length * length;
        &cast_slice(&self.words)[start..self.at]
    }

    /// Takes so many bytes.
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        debug_assert!(self.at <= self.end);
    }

    /// Takes all complete records of so many bytes, and calls `each` for each of them. One for which it panics is taken, too.
    #[inline]
    pub(super) fn take_all(&mut self, length: usize, mut each: impl FnMut(&[u8])) {
        let bytes: &[u8] = cast_slice(&self.words);
        // The count is in a register until the end.
        let mut taken = Taken {
            bytes: 0,
            at: &mut self.at,
        };
        for record in bytes[*taken.at..self.end].chunks_exact(length) {
            taken.bytes += length;
            each(record);
        }
    }

    /// The words for a packet of `length` bytes, behind what is there.
    pub(super) fn append(&mut self, length: usize) -> &mut [u64] {
        let left = self.end - self.at;
        if left <= self.at || !self.end.is_multiple_of(WORD) {
            // What is left moves to the front, so that it ends with a word.
            let at = left.next_multiple_of(WORD) - left;
            self.reserve(at + left);
            let bytes: &mut [u8] = cast_slice_mut(&mut self.words);
            bytes.copy_within(self.at..self.end, at);
            (self.at, self.end) = (at, at + left);
        }
        let first = self.end / WORD;
        self.end += length;
        self.reserve(self.end);
        &mut self.words[first..self.end.div_ceil(WORD)]
    }

    fn reserve(&mut self, bytes: usize) {
        let words = bytes.div_ceil(WORD);
        if words > self.words.len() {
            self.words.resize(words.max(2 * self.words.len()), 0);
        }
    }
}

/// Notes what was taken, also if a panic ends it.
struct Taken<'a> {
    bytes: usize,
    at: &'a mut usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.at += self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_cut_into_packets_arrives_whole() {
        const PACKET: usize = 16;
        for record in [1, 3, 8, 13, 16, 17, 100] {
            let (mut leaving, mut arriving) = (Leaving::with_room(PACKET), Arriving::default());
            let (mut sent, mut seen) = (0u8, 0u8);
            let mut send = |leaving: &mut Leaving, length| {
                let words = leaving.packet(length).to_vec();
                arriving.append(length).copy_from_slice(&words);
                leaving.note_sent(length);
                while arriving.bytes().len() >= record {
                    assert_eq!(arriving.bytes()[..record], vec![seen; record]);
                    arriving.consume(record);
                    seen = seen.wrapping_add(1);
                }
            };
            for turn in 0..1000 {
                leaving.make_room(record, PACKET);
                leaving.append(record).unwrap().fill(sent);
                sent = sent.wrapping_add(1);
                while leaving.len() >= PACKET {
                    send(&mut leaving, PACKET);
                }
                if turn % 7 == 0 {
                    let rest = leaving.len();
                    send(&mut leaving, rest);
                }
            }
            let rest = leaving.len();
            send(&mut leaving, rest);
            assert_eq!(seen, sent);
        }
    }
}
