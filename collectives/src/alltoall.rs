//! Alltoall: every image sends a block of its own to every other image.
//!
//! The blocks that an image has for the others are a sequence: first the block for the image before it, then for the one
//! before that, and so on around. A window of the sequence passes in each epoch. If the readers begin with the image after
//! them, no two of them read from the same image at the same time: the pairwise exchange (Manninen and Richardson 2014).

mod varying;

use std::ops::Range;

use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::blocks::{Blocks, overlap, windows};
use crate::by_fabric;
use crate::collective::{CallFailed, Start, forms};
use crate::eager::Posts;
use crate::epoch::in_place::InPlace;
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, at_a_time, fits_payload};

pub use varying::{co_alltoallv, co_alltoallv_into, try_co_alltoallv, try_co_alltoallv_into};

forms! {
    /// Collective. Every image sends other values to each image of the current team.
    ///
    /// `send` and `received` consist of one part for each image, all of the same length. Image `i` gets the `i`-th part of
    /// `send`; the `i`-th part of `received` comes from image `i`.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If the length of `send` is not a multiple of the number of images, or `received` is not as long.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_alltoall;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(3, || {
    ///     let send = [0, 1, 2].map(|to| 10 * this_image() + to);
    ///     let mut received = [0; 3];
    ///     co_alltoall(&send, &mut received);
    ///     received
    /// });
    /// assert_eq!(received, [[0, 10, 20], [1, 11, 21], [2, 12, 22]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.8, `MPI_Alltoall`.
    fn co_alltoall [T: Remote] (send: &[T], received: &mut [T]) -> () where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_alltoall;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(2, || {
    ///     let mut received = [0; 2];
    ///     try_co_alltoall(&[this_image(); 2], &mut received).unwrap();
    ///     assert_eq!(received, [0, 1]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_alltoall`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_alltoall

    |start| alltoall(start, send, received)
}

#[track_caller]
fn alltoall<T: Remote>(start: &Start, send: &[T], received: &mut [T]) -> Result<(), CallFailed> {
    let (team, images) = (&*start.team, start.team.images());
    assert!(
        send.len().is_multiple_of(images),
        "co_alltoall of {} elements, which {images} images cannot share equally",
        send.len()
    );
    assert!(
        send.len() == received.len(),
        "co_alltoall of {} elements, but `received` has {}: both need as many",
        send.len(),
        received.len()
    );
    let call = start.call::<T>(Operation::CoAlltoall, send.len(), None);
    let algorithm = start.algorithm(Kind::Alltoall, size_of_val(send));
    let length = send.len() / images;
    if algorithm == Algorithm::Eager {
        eager(team, &call, send, received);
        return Ok(());
    }
    if start.asks_where::<T>(&call, algorithm, size_of_val(send)) {
        let me = team.index();
        let blocks = |image: usize| image * length..(image + 1) * length;
        // While the cache has them.
        received[blocks(me)].copy_from_slice(&send[blocks(me)]);
        let read = |epoch: &InPlace<'_, T>| {
            for from in (me + 1..images).chain(0..me) {
                // SAFETY: that image has lent a block for each image. All are as long: the images have compared calls.
                unsafe { epoch.read_into(from, me * length, &mut received[blocks(from)]) };
            }
        };
        let done = InPlace::run(team, &call, algorithm, send, |_| true, read);
        if done.map_err(CallFailed::from(&call))? {
            return Ok(());
        }
    }
    if algorithm == Algorithm::Fabric {
        let passed = by_fabric::alltoall(team, &call, send, received);
        return passed.map_err(CallFailed::from(&call));
    }
    let exchange = Exchange {
        team,
        algorithm,
        own: Blocks::equal(images, length),
        longest: (images - 1) * length,
    };
    let block = |image: usize| &send[image * length..][..length];
    let theirs = |image: usize| exchange.own.block(exchange.distance(image) - 1);
    let place = |image: usize, start: usize, part: Incoming<'_, T>| {
        part.copy_to(received, image * length + start);
    };
    exchange
        .run(&call, 0, block, theirs, place)
        .map_err(CallFailed::from(&call))
}

/// Every image posts its blocks for all, and waits for those of all others.
fn eager<T: Remote>(team: &Team, call: &Call, send: &[T], received: &mut [T]) {
    let images = team.images();
    let length = send.len() / images;
    let posts = Posts::begin_blocks(team, call, send, length, 0..images);
    for from in 0..images {
        let target = &mut received[from * length..][..length];
        // SAFETY: every image posts a block for each image, whose length is the same on all images whose calls are.
        unsafe { posts.read_block(from, length, |block| target.copy_from_slice(block)) };
    }
}

/// An exchange, as one image knows it.
struct Exchange<'a> {
    team: &'a Team,
    algorithm: Algorithm,
    /// The blocks of this image's sequence.
    own: Blocks,
    /// The length of the longest sequence of any image.
    longest: usize,
}

impl Exchange<'_> {
    /// How far `image` comes after this image. In the sequence of `image`, counted from 1, this image's block is the one with
    /// that number.
    fn distance(&self, image: usize) -> usize {
        let images = self.team.images();
        (image + images - self.team.index()) % images
    }

    /// Carries it out, from epoch number `first` on. `block` returns the block that this image has for another, `theirs` the
    /// range of this image's block in the sequence of another. Calls `place` for the parts of each image's block, one after
    /// the other, with the image, the part's first index in the block, and its elements.
    fn run<'v, T: Remote>(
        &self,
        call: &Call,
        first: usize,
        block: impl Fn(usize) -> &'v [T],
        theirs: impl Fn(usize) -> Range<usize>,
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        if fits_payload::<T>(self.longest) {
            place(me, 0, block(me).into());
            return self.by_payload(call, first, block, theirs, place);
        }
        for (number, window) in windows(0..self.longest, at_a_time::<T>(self.team)).enumerate() {
            let mut epoch = Epoch::begin(self.team, call, first + number);
            let mut start = 0;
            for (position, part) in self.own.within(0..images - 1, window.clone()) {
                let values = &block((me + images - 1 - position) % images)[part];
                // SAFETY: no image reads this buffer before the barrier.
                unsafe { epoch.write(start, values) };
                start += values.len();
            }
            epoch.barrier_before_read(window.len(), |from| theirs(from).start)?;
            let begin = match self.algorithm {
                Algorithm::Flat => 0,
                _ => me,
            };
            for from in (begin..begin + images).map(|from| from % images) {
                if from == me {
                    continue;
                }
                let mine = theirs(from);
                let part = overlap(&mine, &window);
                if part.is_empty() {
                    continue;
                }
                let start = part.start - window.start;
                // SAFETY: before the barrier that image wrote the part of its sequence that lies in the window, and writes once
                // in an epoch. `part` lies in both: `theirs` knows the block's range from the equal lengths, or from that image.
                let values = unsafe { epoch.incoming(from, start, part.len()) };
                place(from, part.start - mine.start, values);
            }
        }
        // Last: what passes has had the caches for itself.
        place(me, 0, block(me).into());
        Ok(())
    }

    /// As [`run`](Self::run), for values that fit the payload of the barrier.
    fn by_payload<'v, T: Remote>(
        &self,
        call: &Call,
        first: usize,
        block: impl Fn(usize) -> &'v [T],
        theirs: impl Fn(usize) -> Range<usize>,
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let mut epoch = Epoch::begin(self.team, call, first);
        let mut start = 0;
        for distance in 1..images {
            let values = block((me + images - distance) % images);
            epoch.pack(start, values);
            start += values.len();
        }
        epoch.barrier_with_packed(self.longest)?;
        for from in (me + 1..images).chain(0..me) {
            let mine = theirs(from);
            // SAFETY: that image packed its whole sequence, and this image's block in it ends at `mine.end`: `theirs` knows that
            // from the equal lengths, or from that image.
            unsafe {
                epoch.payload(from, mine.end, |payload| {
                    place(from, 0, payload[mine].into());
                });
            }
        }
        Ok(())
    }
}
