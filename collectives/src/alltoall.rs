//! From every image other values for every other.
//!
//! What an image has for the others is a sequence: first the block for the image before it, then for the one before that,
//! and so on around. A window of it passes in each epoch. So the images whose blocks are in the window read from different
//! images, and if they begin with the image behind them, never two at the same time from one: the pairwise
//! exchange (Manninen and Richardson 2014).

use std::ops::Range;

use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::blocks::{Blocks, overlap, room_for, windows};
use crate::collective::{Lost, Start, forms};
use crate::epoch::{Epoch, capacity, fits_payload};

forms! {
    /// Collective. Every image sends other values to each image of the current team.
    ///
    /// `send` consists of as many parts as there are images, all of the same length: image `i` gets the `i`-th. So does
    /// `received`: its `i`-th part is what image `i` had for this one.
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

forms! {
    /// Collective. As [`co_alltoall`], for parts of different lengths: image `i` gets the `i`-th of `parts`. The `i`-th of
    /// the returned vectors is what image `i` had for this one.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If there is not one part for each image, or too little memory.
    ///
    /// The job ends with a report if images call it with different types, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_alltoallv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(3, || {
    ///     let parts = [0, 1, 2].map(|to| vec![this_image(); to]);
    ///     co_alltoallv(&parts)
    /// });
    /// assert_eq!(received[1], [[0], [1], [2]]);
    /// assert_eq!(received[2], [[0, 0], [1, 1], [2, 2]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.8, `MPI_Alltoallv`.
    fn co_alltoallv [T: Remote] (parts: &[impl AsRef<[T]>]) -> Vec<Vec<T>> where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_alltoallv;
    /// use coarray_launch::run;
    ///
    /// let received = run(2, || try_co_alltoallv(&[vec![1.5], vec![]]).unwrap());
    /// assert_eq!(received, [[vec![1.5], vec![1.5]], [vec![], vec![]]]);
    /// ```
    ///
    /// # Source
    /// As [`co_alltoallv`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_alltoallv

    |start| alltoallv(start, parts)
}

#[track_caller]
fn alltoall<T: Remote>(start: &Start, send: &[T], received: &mut [T]) -> Result<(), Lost> {
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
    let exchange = Exchange {
        team,
        algorithm,
        own: Blocks::equal(images, length),
        longest: (images - 1) * length,
    };
    let block = |image: usize| &send[image * length..][..length];
    let theirs = |image: usize| exchange.own.block(exchange.distance(image) - 1);
    let place = |image: usize, start: usize, part: &[T]| {
        received[image * length + start..][..part.len()].copy_from_slice(part);
    };
    exchange
        .run(&call, 0, block, theirs, place)
        .map_err(Lost::from(&call))
}

#[track_caller]
fn alltoallv<T: Remote>(start: &Start, parts: &[impl AsRef<[T]>]) -> Result<Vec<Vec<T>>, Lost> {
    let (team, images) = (&*start.team, start.team.images());
    let parts: Vec<&[T]> = parts.iter().map(AsRef::as_ref).collect();
    assert!(
        parts.len() == images,
        "co_alltoallv of {} parts, but {images} images need one each",
        parts.len()
    );
    let call = start.call::<T>(Operation::CoAlltoallv, 0, None);
    let me = team.index();
    let lengths = (1..images).map(|distance| parts[(me + images - distance) % images].len());
    let own = Blocks::of(lengths);
    let (layouts, epochs) = tell(team, &call, &own, parts[me].len()).map_err(Lost::from(&call))?;
    let longest = layouts.iter().map(|layout| layout[TOTAL]).max();
    let longest = longest.unwrap_or_default();
    let bytes = longest.saturating_mul(size_of::<T>());
    let exchange = Exchange {
        team,
        algorithm: start.algorithm(Kind::Alltoall, bytes),
        own,
        longest,
    };
    let mut received = Vec::new();
    for layout in &layouts {
        received.push(room_for(layout[END] - layout[START]));
    }
    let theirs = |image: usize| layouts[image][START]..layouts[image][END];
    let place = |image: usize, _, part: &[T]| received[image].extend_from_slice(part);
    exchange
        .run(&call, epochs, |image| parts[image], theirs, place)
        .map_err(Lost::from(&call))?;
    Ok(received)
}

/// What an image tells another about its sequence: where the block for it begins and ends, and how long it is.
type Layout = [usize; 3];

const START: usize = 0;
const END: usize = 1;
const TOTAL: usize = 2;

/// What every image tells this one, and how many epochs that took; this image would send itself `kept` elements.
fn tell(
    team: &Team,
    call: &Call,
    own: &Blocks,
    kept: usize,
) -> Result<(Vec<Layout>, usize), ImageFailed> {
    let (me, images) = (team.index(), team.images());
    let total = own.range(0..images - 1).len();
    let exchange = Exchange {
        team,
        algorithm: Algorithm::Pairwise,
        own: Blocks::equal(images, 1),
        longest: images - 1,
    };
    let mut told: Vec<Layout> = vec![[0, kept, total]; images];
    for image in (0..images).filter(|&image| image != me) {
        let block = own.block(images - exchange.distance(image) - 1);
        told[image] = [block.start, block.end, total];
    }
    let mut layouts = told.clone();
    let block = |image: usize| &told[image..=image];
    let theirs = |image: usize| exchange.own.block(exchange.distance(image) - 1);
    let place = |image: usize, _, part: &[Layout]| layouts[image] = part[0];
    exchange.run(call, 0, block, theirs, place)?;
    let epochs = windows(0..images - 1, capacity::<Layout>()).count();
    Ok((layouts, epochs))
}

/// What an image knows of an exchange.
struct Exchange<'a> {
    team: &'a Team,
    algorithm: Algorithm,
    /// The blocks of this image's sequence.
    own: Blocks,
    /// The length of the longest sequence of any image.
    longest: usize,
}

impl Exchange<'_> {
    /// How far after this one `image` comes. This image's block is the one at that distance from the beginning of the
    /// sequence of `image`, counted from 1.
    fn distance(&self, image: usize) -> usize {
        let images = self.team.images();
        (image + images - self.team.index()) % images
    }

    /// Carries it out, from epoch number `first` on. `block` gives what this image has for another, `theirs` says
    /// where in the sequence of another its block for this one is. `place` gets the parts of each image's block
    /// one after the other: whose, from which element on, and the elements.
    fn run<'v, T: Remote>(
        &self,
        call: &Call,
        first: usize,
        block: impl Fn(usize) -> &'v [T],
        theirs: impl Fn(usize) -> Range<usize>,
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        place(me, 0, block(me));
        if fits_payload::<T>(self.longest) {
            return self.at_once(call, first, block, theirs, place);
        }
        for (number, window) in windows(0..self.longest, capacity::<T>()).enumerate() {
            let mut epoch = Epoch::begin(self.team, call, first + number);
            let mut start = 0;
            for (position, part) in self.own.within(0..images - 1, window.clone()) {
                let values = &block((me + images - 1 - position) % images)[part];
                // SAFETY: nobody reads our buffer before the barrier.
                unsafe { epoch.write(start, values) };
                start += values.len();
            }
            epoch.barrier()?;
            let begin = match self.algorithm {
                Algorithm::Pairwise => me,
                _ => 0,
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
                // SAFETY: that image wrote what its sequence has in the window, and writes no more; our block in
                // it is where all of its kind are, or where it said.
                let values = unsafe { epoch.read(from, start, part.len()) };
                place(from, part.start - mine.start, values);
            }
        }
        Ok(())
    }

    /// As [`run`](Self::run), for values that are brought to the barrier itself.
    fn at_once<'v, T: Remote>(
        &self,
        call: &Call,
        first: usize,
        block: impl Fn(usize) -> &'v [T],
        theirs: impl Fn(usize) -> Range<usize>,
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let mut epoch = Epoch::begin(self.team, call, first);
        let mut start = 0;
        for distance in 1..images {
            let values = block((me + images - distance) % images);
            epoch.pack(start, values);
            start += values.len();
        }
        epoch.barrier()?;
        for from in (me + 1..images).chain(0..me) {
            let mine = theirs(from);
            // SAFETY: that image brought its sequence; our block in it is where all of its kind are, or where it said.
            unsafe { epoch.payload(from, mine.end, |payload| place(from, 0, &payload[mine])) };
        }
        Ok(())
    }
}
