//! Alltoall of parts of different lengths, which the images tell each other first.

use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::alltoall::Exchange;
use crate::blocks::{Blocks, reserve_room, room_for, windows};
use crate::collective::{CallFailed, Start, forms};
use crate::epoch::capacity;
use crate::epoch::incoming::Incoming;

forms! {
    /// Collective. As [`co_alltoall`](crate::co_alltoall), for parts of different lengths: image `i` gets the `i`-th of `parts`. The `i`-th of
    /// the returned vectors comes from image `i`.
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

forms! {
    /// Collective. As [`co_alltoallv`], from one run of values into another, whose memory is used again.
    ///
    /// `send` has the values for image 0 first, then those for image 1, and so on; `lengths` says how many are for each. Those that
    /// come are in `received` afterwards, in the order of the images, and nothing else is; the result says how many come from each.
    ///
    /// Some images may call it, and some [`co_alltoallv`]. No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If there is not one length for each image, or they are not those of `send` together, or there is too little memory.
    ///
    /// The job ends with a report if images call it with different types, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_alltoallv_into;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(2, || {
    ///     let mut received = Vec::new();
    ///     for round in 0..3 {
    ///         let send = [round, 10 + this_image(), 20 + this_image()];
    ///         let lengths = co_alltoallv_into(&send, &[1, 2], &mut received);
    ///         match this_image() {
    ///             0 => assert_eq!((&received[..], lengths), (&[round, round][..], vec![1, 1])),
    ///             _ => assert_eq!((&received[..], lengths), (&[10, 20, 11, 21][..], vec![2, 2])),
    ///         }
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.8, `MPI_Alltoallv`.
    fn co_alltoallv_into [T: Remote] (
        send: &[T],
        lengths: &[usize],
        received: &mut Vec<T>
    ) -> Vec<usize>
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_alltoallv_into;
    /// use coarray_launch::run;
    ///
    /// run(2, || {
    ///     let mut received = vec![];
    ///     let lengths = try_co_alltoallv_into(&[1.5], &[0, 1], &mut received).unwrap();
    ///     assert_eq!((lengths.iter().sum::<usize>(), lengths.len()), (received.len(), 2));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_alltoallv_into`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_alltoallv_into

    |start| alltoallv_into(start, send, lengths, received)
}

#[track_caller]
fn alltoallv<T: Remote>(
    start: &Start,
    parts: &[impl AsRef<[T]>],
) -> Result<Vec<Vec<T>>, CallFailed> {
    let parts: Vec<&[T]> = parts.iter().map(AsRef::as_ref).collect();
    assert_one_each(start, "co_alltoallv", "parts", parts.len());
    let varying = Varying::begin(start, &parts)?;
    let mut received = Vec::new();
    for length in varying.lengths() {
        received.push(room_for(length));
    }
    let place = |image: usize, _, part: Incoming<'_, T>| {
        received[image].extend_from_slice(part.values());
    };
    varying.run(&parts, place)?;
    Ok(received)
}

#[track_caller]
fn alltoallv_into<T: Remote>(
    start: &Start,
    send: &[T],
    lengths: &[usize],
    received: &mut Vec<T>,
) -> Result<Vec<usize>, CallFailed> {
    assert_one_each(start, "co_alltoallv_into", "lengths", lengths.len());
    let blocks = Blocks::of(lengths.iter().copied());
    let total = blocks.range(0..lengths.len()).len();
    assert!(
        total == send.len(),
        "co_alltoallv_into of {} elements, but the lengths of the parts add up to {total}",
        send.len()
    );
    let parts: Vec<&[T]> = (0..lengths.len())
        .map(|image| &send[blocks.block(image)])
        .collect();
    let varying = Varying::begin(start, &parts)?;
    let lengths: Vec<usize> = varying.lengths().collect();
    let blocks = Blocks::of(lengths.iter().copied());
    let total = blocks.range(0..lengths.len()).len();
    received.truncate(total);
    reserve_room(received, total - received.len());
    let place = |image: usize, start: usize, part: Incoming<'_, T>| {
        // Values that are there already are written over: a vector that is used again is filled once.
        if received.len() < total {
            let values = part.values();
            let Some(&first) = values.first() else { return };
            received.resize(total, first);
            received[blocks.block(image).start + start..][..values.len()].copy_from_slice(values);
        } else {
            part.copy_to(received, blocks.block(image).start + start);
        }
    };
    varying.run(&parts, place)?;
    Ok(lengths)
}

#[track_caller]
fn assert_one_each(start: &Start, name: &str, what: &str, count: usize) {
    let images = start.team.images();
    assert!(
        count == images,
        "{name} of {count} {what}, but {images} images need one each"
    );
}

/// An exchange of parts of any lengths, of which all images know by now which are for them.
struct Varying<'a> {
    call: Call,
    exchange: Exchange<'a>,
    layouts: Vec<Layout>,
    epochs: usize,
}

impl<'a> Varying<'a> {
    #[track_caller]
    fn begin<T: Remote>(start: &'a Start, parts: &[&[T]]) -> Result<Self, CallFailed> {
        let (team, images) = (&*start.team, start.team.images());
        let call = start.call::<T>(Operation::CoAlltoallv, 0, None);
        let me = team.index();
        let lengths = (1..images).map(|distance| parts[(me + images - distance) % images].len());
        let own = Blocks::of(lengths);
        let (layouts, epochs) = exchange_layouts(team, &call, &own, parts[me].len())
            .map_err(CallFailed::from(&call))?;
        let longest = layouts.iter().map(|layout| layout[TOTAL]).max();
        let longest = longest.unwrap_or_default();
        let bytes = longest.saturating_mul(size_of::<T>());
        let exchange = Exchange {
            team,
            algorithm: start.algorithm(Kind::Alltoall, bytes).unposted(),
            own,
            longest,
        };
        Ok(Self {
            call,
            exchange,
            layouts,
            epochs,
        })
    }

    /// How many elements come from each image.
    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.layouts
            .iter()
            .map(|layout| layout[END] - layout[START])
    }

    fn run<T: Remote>(
        &self,
        parts: &[&[T]],
        place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), CallFailed> {
        let theirs = |image: usize| self.layouts[image][START]..self.layouts[image][END];
        self.exchange
            .run(&self.call, self.epochs, |image| parts[image], theirs, place)
            .map_err(CallFailed::from(&self.call))
    }
}

/// The layout of an image's sequence, for one reader: where the reader's block starts and ends, and the total length.
type Layout = [usize; 3];

const START: usize = 0;
const END: usize = 1;
const TOTAL: usize = 2;

/// The layout of every image's sequence for this image, and how many epochs the exchange took. This image keeps `kept` elements
/// for itself.
fn exchange_layouts(
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
    let mut sent: Vec<Layout> = vec![[0, kept, total]; images];
    for image in (0..images).filter(|&image| image != me) {
        let block = own.block(images - exchange.distance(image) - 1);
        sent[image] = [block.start, block.end, total];
    }
    let mut layouts = sent.clone();
    let block = |image: usize| &sent[image..=image];
    let theirs = |image: usize| exchange.own.block(exchange.distance(image) - 1);
    let place = |image: usize, _, part: Incoming<'_, Layout>| layouts[image] = part.values()[0];
    exchange.run(call, 0, block, theirs, place)?;
    let epochs = windows(0..images - 1, capacity::<Layout>()).count();
    Ok((layouts, epochs))
}
