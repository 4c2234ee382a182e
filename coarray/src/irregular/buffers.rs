//! The bytes of a link that this image holds: those that wait to leave, and those that have arrived.
//!
//! A link is a stream of records, which is cut into packets wherever one is full. Both buffers have words, as the memory of the conveyor has, and
//! hand out bytes. If no record is cut, packets need not be copied: their places are lent, one to the sender until it sends the packet, and to the receiver until
//! it has consumed it.

use std::mem;
use std::ptr::NonNull;
use std::slice;

use bytemuck::cast_slice_mut;

/// Bytes of a word.
pub(super) const WORD: usize = size_of::<u64>();

/// Records that wait to leave: in words, or in the place of their packet. Aligned so that a shift finds one of many.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Leaving {
    words: Vec<u64>,
    /// Bytes of the place that is lent; 0 if none is.
    lent: usize,
    /// The first byte that waits, which begins a word.
    first: NonNull<u8>,
    /// Where the next record begins; at or behind `first`.
    next: NonNull<u8>,
    /// Up to here records are appended without a question; at or behind `next`, and at most at the end of the words, or of the place that is lent.
    room: NonNull<u8>,
}

impl Leaving {
    /// Room for so many bytes from the beginning, as no buffer grows while it is in use that is large enough.
    pub(super) fn with_room(bytes: usize) -> Self {
        let mut leaving = Self {
            words: vec![0; bytes.div_ceil(WORD)],
            lent: 0,
            first: NonNull::dangling(),
            next: NonNull::dangling(),
            room: NonNull::dangling(),
        };
        leaving.set_waiting(0, 0);
        leaving
    }

    /// From now on the bytes from `start` to `end` of the words wait, and there is no room until it is made.
    fn set_waiting(&mut self, start: usize, end: usize) {
        assert!(start <= end && end <= self.words.len() * WORD);
        // SAFETY: a vector's pointer is not null, and `start` and `end` are within its words.
        unsafe {
            let first = NonNull::new_unchecked(self.words.as_mut_ptr().cast::<u8>());
            (self.first, self.next) = (first.add(start), first.add(end));
        }
        self.lent = 0;
        self.close();
    }

    /// How many bytes wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.next.addr().get() - self.first.addr().get()
    }

    /// Appends so many bytes, to be written by the caller; none if there is no room.
    #[inline]
    pub(super) fn append(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let record = self.next;
        if self.room.addr().get() - record.addr().get() < bytes {
            return None;
        }
        // SAFETY: between `next` and `room` are so many bytes of the words, or of a place that is lent. They are initialised, and only this
        // buffer refers to them.
        unsafe {
            self.next = record.add(bytes);
            Some(slice::from_raw_parts_mut(record.as_ptr(), bytes))
        }
    }

    /// Appends a record of so many bytes to what waits for an image, if there is room: has `fill` write them. Otherwise returns false.
    #[inline]
    pub(super) fn push_at_once(
        all: &mut [Self],
        image: usize,
        bytes: usize,
        fill: impl Fn(&mut [u8]),
    ) -> bool {
        // In one hop the link has the number of the image. In two, no link has room.
        let record = all.get_mut(image).and_then(|leaving| leaving.append(bytes));
        record.map(fill).is_some()
    }

    /// The last bytes that were appended.
    pub(super) fn last(&mut self, bytes: usize) -> &mut [u8] {
        assert!(bytes <= self.len());
        // SAFETY: as in `append`: these wait.
        unsafe { slice::from_raw_parts_mut(self.next.sub(bytes).as_ptr(), bytes) }
    }

    /// Makes room for so many bytes; and for what follows them, as long as no more than `limit` bytes wait. What is lent has so many bytes.
    pub(super) fn make_room(&mut self, bytes: usize, limit: usize) {
        let waits = self.len();
        let needed = waits + bytes;
        let start = self.start();
        if self.lent == 0 && start + needed > self.words.len() * WORD {
            // To twice the length, as vectors grow.
            let words = (start + needed).div_ceil(WORD);
            self.words.resize(words.max(2 * self.words.len()), 0);
            self.set_waiting(start, start + waits);
        }
        let memory = match self.lent {
            0 => self.words.len() * WORD - start,
            lent => lent,
        };
        assert!(needed <= memory, "no record is cut where places are lent");
        // SAFETY: so many bytes are from `first` to the end of the words, or of the place that is lent.
        self.room = unsafe { self.first.add(needed.max(limit.min(memory))) };
    }

    /// From now on there is no room until it is made.
    pub(super) fn close(&mut self) {
        self.room = self.next;
    }

    /// Has what is appended from now on written to the place of its packet, until it is [sent](Self::note_sent). Nothing may wait.
    ///
    /// # Safety
    /// There are so many bytes, initialised, which nobody else accesses or frees until then.
    pub(super) unsafe fn lend(&mut self, place: NonNull<u8>, bytes: usize) {
        assert_eq!(self.len(), 0, "records lie side by side");
        (self.first, self.next, self.lent) = (place, place, bytes);
        self.close();
    }

    /// Whether what waits is in the place of its packet.
    pub(super) fn is_lent(&self) -> bool {
        self.lent > 0
    }

    /// Where in the words, or in the place that is lent, what waits begins.
    fn start(&self) -> usize {
        match self.lent {
            0 => self.first.addr().get() - self.words.as_ptr().addr(),
            _ => 0,
        }
    }

    /// The words of the first `length` bytes that wait, which are in no place that is lent.
    pub(super) fn packet(&self, length: usize) -> &[u64] {
        assert!(!self.is_lent());
        &self.words[self.start() / WORD..][..length.div_ceil(WORD)]
    }

    /// Becomes what has arrived here, and takes the place of what is there, which is empty.
    pub(super) fn hand_over(&mut self, arriving: &mut Arriving) {
        assert!(!self.is_lent());
        let (start, end) = (self.start(), self.start() + self.len());
        arriving.reserve(self.words.len() * WORD);
        mem::swap(&mut self.words, &mut arriving.words);
        arriving.set_arrived(start, end);
        self.set_waiting(0, 0);
    }

    /// Forgets the first `length` bytes that wait: all, or a multiple of [`WORD`]. All, if they are in the place of their packet, which is given back.
    pub(super) fn note_sent(&mut self, length: usize) {
        let (start, left) = (self.start() + length, self.len() - length);
        if self.is_lent() {
            assert_eq!(left, 0, "no record is cut where places are lent");
            self.set_waiting(0, 0);
        } else if start < left {
            self.set_waiting(start, start + left);
        } else {
            // What is left moves to the front, by no more bytes than were sent.
            cast_slice_mut::<_, u8>(&mut self.words).copy_within(start..start + left, 0);
            self.set_waiting(0, left);
        }
    }
}

/// Records that have arrived, the last of which may not be complete: in words, or in the place of their packet.
#[derive(Debug)]
pub(super) struct Arriving {
    words: Vec<u64>,
    /// The beginning of the words, or of the place that is lent. The bytes from `at` to `end` are there.
    first: NonNull<u8>,
    at: usize,
    end: usize,
    is_lent: bool,
}

impl Arriving {
    pub(super) fn new() -> Self {
        Self {
            words: Vec::new(),
            first: NonNull::<u64>::dangling().cast(),
            at: 0,
            end: 0,
            is_lent: false,
        }
    }

    /// From now on the bytes from `at` to `end` of the words are there.
    fn set_arrived(&mut self, at: usize, end: usize) {
        assert!(at <= end && end <= self.words.len() * WORD);
        // SAFETY: a vector's pointer is not null.
        self.first = unsafe { NonNull::new_unchecked(self.words.as_mut_ptr().cast()) };
        (self.at, self.end, self.is_lent) = (at, end, false);
    }

    /// Some of what is there.
    ///
    /// # Safety
    /// The bytes are not behind `end`, and are read before anything else arrives, or what is lent is given back.
    #[inline]
    unsafe fn run<'a>(&self, from: usize, bytes: usize) -> &'a [u8] {
        // SAFETY: up to `end` they are initialised, and nobody writes to them: they are words of this buffer, or in a place that is lent.
        unsafe { slice::from_raw_parts(self.first.add(from).as_ptr(), bytes) }
    }

    /// What has arrived and was not consumed.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: `at` is never behind `end`. This is borrowed while the bytes are read.
        unsafe { self.run(self.at, self.end - self.at) }
    }

    /// Takes all complete records of so many bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let (from, taken) = (self.at, (self.end - self.at) / length * length);
        self.at += taken;
        // SAFETY: as in `bytes`; they are not behind the new `at`.
        unsafe { self.run(from, taken) }
    }

    /// Takes so many bytes, which are there.
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) {
        assert!(bytes <= self.end - self.at);
        self.at += bytes;
    }

    /// Takes all complete records of so many bytes, and calls `each` for each of them. One for which it panics is taken, too.
    #[inline]
    pub(super) fn take_all(&mut self, length: usize, mut each: impl FnMut(&[u8])) {
        // SAFETY: as in `bytes`. Until all were read only the count changes.
        let bytes = unsafe { self.run(self.at, self.end - self.at) };
        // The count is in a register until the end.
        let mut taken = Taken {
            bytes: 0,
            at: &mut self.at,
        };
        for record in bytes.chunks_exact(length) {
            taken.bytes += length;
            each(record);
        }
    }

    /// Has a packet of `length` bytes that has come read in its place, when all before was consumed.
    ///
    /// # Safety
    /// The bytes are initialised, and nobody writes to them or frees them until they were [given back](Self::give_back).
    pub(super) unsafe fn lend(&mut self, place: NonNull<u8>, length: usize) {
        assert_eq!(self.at, self.end, "no record is cut where places are lent");
        (self.first, self.at, self.end, self.is_lent) = (place, 0, length, true);
    }

    /// Gives back the place that is lent, if all in it was consumed. Returns whether there was one.
    pub(super) fn give_back(&mut self) -> bool {
        let is_consumed = self.is_lent && self.at == self.end;
        if is_consumed {
            self.set_arrived(0, 0);
        }
        is_consumed
    }

    /// The words for a packet of `length` bytes, behind what is there, which is in no place that is lent.
    pub(super) fn append(&mut self, length: usize) -> &mut [u64] {
        assert!(!self.is_lent);
        let (mut at, mut end) = (self.at, self.end);
        let left = end - at;
        if left <= at || !end.is_multiple_of(WORD) {
            // What is left moves to the front, so that it ends with a word.
            let to = left.next_multiple_of(WORD) - left;
            self.reserve(to + left);
            cast_slice_mut::<_, u8>(&mut self.words).copy_within(at..end, to);
            (at, end) = (to, to + left);
        }
        let first = end / WORD;
        self.reserve(end + length);
        self.set_arrived(at, end + length);
        &mut self.words[first..self.end.div_ceil(WORD)]
    }

    /// Room for so many bytes from the beginning. What is there has to be found anew.
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
            let (mut leaving, mut arriving) = (Leaving::with_room(PACKET), Arriving::new());
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

    #[test]
    fn records_are_written_and_read_in_a_place_that_is_lent() {
        let mut packet = [0u64; 4];
        let place = NonNull::from(&mut packet).cast();
        let (mut leaving, mut arriving) = (Leaving::with_room(8), Arriving::new());
        for turn in 0..3u8 {
            // SAFETY: so many bytes are in the packet, and only these buffers refer to it.
            unsafe { leaving.lend(place, 32) };
            for record in 0..4 {
                leaving.make_room(8, 0);
                assert!(leaving.append(9).is_none());
                leaving.append(8).unwrap().fill(turn + record);
            }
            assert!(leaving.is_lent() && leaving.append(1).is_none());
            leaving.note_sent(32);
            assert_eq!((leaving.len(), leaving.is_lent()), (0, false));

            // SAFETY: as before; nothing is written while it is lent.
            unsafe { arriving.lend(place, 32) };
            assert_eq!(arriving.bytes()[..16], [[turn; 8], [turn + 1; 8]].concat());
            arriving.consume(16);
            assert!(!arriving.give_back(), "two records are left");
            assert_eq!(arriving.take(8), [[turn + 2; 8], [turn + 3; 8]].concat());
            assert!(arriving.give_back() && !arriving.give_back());
            assert!(arriving.bytes().is_empty());
        }
        // Words are as they were.
        leaving.make_room(8, 8);
        leaving.append(8).unwrap().fill(9);
        assert_eq!(leaving.packet(8), [0x0909_0909_0909_0909]);
        arriving.append(8).fill(7);
        assert_eq!(arriving.bytes(), 7u64.to_ne_bytes());
    }
}
