//! How an image posts: in its ring, and in its scratch space what does not fit there; to other nodes besides by signals.
//!
//! An image goes on while what it has posted travels: its stores wait in the processor for the cache lines that readers had. A load waits for them
//! that needs two stores at once, such as one of 16 bytes that were written by words, and so does all that follows. So what was just written is read by words here.

use std::ops::Range;

use crate::call::{Call, READ};
use crate::collective::posts::{AHEAD, INSIDE, Post};
use crate::collective::stamped::room_of;
use crate::image::descriptor::ALIGN;
use crate::image::team::Team;
use crate::lockfree::arrival::BESIDE;
use crate::lockfree::post_ring::POSTS;
use coarray_fabric::direct;
use coarray_fabric::memory::region::POSTED_BYTES;
use coarray_fabric::system::primitives::prefetch_to_write;

impl Team {
    /// Collective. Begins a blocking collective to which this image contributes these bytes, for the images with these indices; no image
    /// contributes more than `most`. If `block` says how long, they are blocks, one for each image of the team, of which between nodes each image, this
    /// one too, reads only its own. Images compare the call with those that they make when they read a post, or at the latest in the next
    /// barrier.
    ///
    /// If the job has ended, the image unwinds.
    ///
    /// # Panics
    /// If another collective of the team is in progress, or there are more than `most` bytes, or `most` are more than
    /// [can be posted](Self::most_posted).
    ///
    /// # Safety
    /// Other layers rely on the contribution of an image to this call: it is what the operation requires. `most` is the same on all images
    /// whose calls are. The job does not go on when an image fails.
    #[inline]
    pub unsafe fn post_blocking<'a>(
        &'a self,
        call: &'a Call,
        bytes: &[u8],
        most: usize,
        readers: Range<usize>,
        block: Option<usize>,
    ) -> Post<'a> {
        assert!(bytes.len() <= most && self.most_posted().is_some_and(|limit| most <= limit));
        if self.in_epoch.replace(true) {
            self.refuse_epoch(call);
        }
        let mut post = Post {
            team: self,
            call,
            number: self.posts.get(),
            start: 0,
        };
        // It stores nothing in the post after others can see that: the post is moved at the end of this, by loads that need two stores.
        post.write(bytes, most, readers, block);
        post
    }
}

impl Post<'_> {
    /// Writes what is posted, as [`Team::post_blocking`] says.
    #[inline(never)]
    fn write(&mut self, bytes: &[u8], most: usize, readers: Range<usize>, block: Option<usize>) {
        let Self {
            team, call, number, ..
        } = *self;
        let (me, image) = (team.index(), team.image());
        image.check_abort();
        if !image.last_call.is_like(call) {
            image.record_call(call);
            image.profile_call(call);
        }
        let is_sent = !team.is_on_one_node();
        let (own, most) = match block.filter(|_| is_sent) {
            Some(block) => (block_of(bytes, block, me), block),
            None => (bytes, most),
        };
        let room = self.make_room(is_sent, most);
        let words = self.write_own(own);
        team.posts.set(number + 1);
        // The multiplier is that of `SplitMix64` (G. Steele and others, 2014): odd, with bits everywhere.
        let add = |chain: u64, word: &u64| {
            (chain.rotate_left(17) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let before = team.chain.get().wrapping_add(1);
        let chain = call.signature().iter().fold(before, add);
        team.chain.set(chain);
        let (signature, record) = (call.signature(), image.last_call.number());
        let ring = &team.control(me).posts;
        let is_read = !is_sent && !readers.is_empty() && readers != (me..me + 1);
        ring.post(number, &words, signature, record, chain, is_read);
        if is_sent {
            self.send(bytes, readers, block);
        } else if own.len() > INSIDE {
            self.prefetch_next(room);
        }
    }

    /// Finds room for a post of up to `most` bytes, and returns how much; if there is none, after a barrier.
    #[inline(always)]
    fn make_room(&mut self, is_sent: bool, most: usize) -> usize {
        let team = self.team;
        // What lies in the scratch space is aligned for any type. Shorter posts to other nodes share cache lines, so that fewer change hands.
        let align = |bytes: usize| match most <= INSIDE {
            true => bytes,
            false => bytes.next_multiple_of(ALIGN),
        };
        let room = align(match is_sent {
            true => room_of(most),
            false if most <= INSIDE => 0,
            false => most,
        });
        let limit = team.posted_part(team.index()).len();
        let (mut posts, used) = team.since_read.get();
        let mut used = align(used);
        while posts == POSTS || used + room > limit || is_sent && team.stamp() == 0 {
            if is_sent {
                team.end_period();
            }
            // SAFETY: this image has read what it needs of all posts, as no collective was in progress.
            unsafe { team.barrier(&self.call.at_step(READ)) };
            // Not before: a barrier that the image leaves by a panic is made again.
            team.period.set(team.period.get() + 1);
            (posts, used) = (0, 0);
            team.since_read.set((posts, used));
        }
        team.since_read.set((posts + 1, used + room));
        self.start = used;
        room
    }

    /// What goes in the slot of the post for these bytes, which there is room for: how many there are, and themselves or where they were written.
    #[inline(always)]
    fn write_own(&self, own: &[u8]) -> [u64; BESIDE] {
        let team = self.team;
        let mut words = [own.len() as u64, 0, 0];
        if own.len() <= INSIDE {
            let (whole, rest) = own.as_chunks();
            for (word, eight) in words[1..].iter_mut().zip(whole) {
                *word = u64::from_ne_bytes(*eight);
            }
            if !rest.is_empty() {
                let mut last = [0; size_of::<u64>()];
                last[..rest.len()].copy_from_slice(rest);
                words[1 + whole.len()] = u64::from_ne_bytes(last);
            }
        } else {
            let start = team.posted_part(team.index()).start + self.start;
            words[1] = start as u64;
            let target = team.posted_bytes(team.index(), start..start + own.len());
            // SAFETY: the target lies in this image's part of its scratch space, as there is room for it, and overlaps no slice of the program. Nobody reads
            // it: since the last barrier for `READ` this image has written only what lies before it, and whoever read other bytes had read them before
            // that barrier.
            unsafe { direct::overwrite(target, own.as_ptr(), own.len()) };
        }
        words
    }

    /// The next post is likely to be as long as this one, which has so much room; who read what was there before must give its lines back.
    #[inline(always)]
    fn prefetch_next(&self, room: usize) {
        let (team, start) = (self.team, self.start + room);
        if start + room <= POSTED_BYTES {
            let next = team.posted_bytes(team.index(), start..start + room);
            for line in (0..room.min(AHEAD)).step_by(ALIGN) {
                prefetch_to_write(next.wrapping_add(line));
            }
        }
    }
}

/// The block of `length` bytes for the image with this index, or nothing if no blocks are posted.
#[inline]
pub(super) fn block_of(blocks: &[u8], length: usize, index: usize) -> &[u8] {
    let block = blocks.get(index * length..(index + 1) * length);
    block.unwrap_or_default()
}
