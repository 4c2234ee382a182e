//! Allgather: every image gets the values of all images.

mod flat;
mod scheduled;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, Values};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::blocks::{Blocks, room_for};
use crate::by_fabric;
use crate::collective::{CallFailed, Start, forms};
use crate::eager::Posts;
use crate::epoch::capacity;
use crate::epoch::in_place::InPlace;
use crate::epoch::incoming::Incoming;
use crate::gather::exchange_lengths;

forms! {
    /// Collective. Gives every image the values of all images of the current team, in the order of the images.
    ///
    /// `gathered` has room for the values of each image, one image after the other.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `gathered` is not as long as the values of all images together.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_allgather;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(3, || {
    ///     let mut gathered = [0; 6];
    ///     co_allgather(&[this_image(), 7], &mut gathered);
    ///     gathered
    /// });
    /// assert_eq!(gathered, [[0, 7, 1, 7, 2, 7]; 3]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.7, `MPI_Allgather`.
    fn co_allgather [V: ?Sized + Values] (values: &V, gathered: &mut [V::Element]) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_allgather;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(3, || {
    ///     let mut gathered = [0; 3];
    ///     try_co_allgather(&this_image(), &mut gathered).unwrap();
    ///     assert_eq!(gathered, [0, 1, 2]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_allgather`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_allgather

    |start| allgather(start, values.elements(), gathered)
}

forms! {
    /// Collective. As [`co_allgather`], for values whose number differs between the images: every image gets one vector
    /// for each image.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If there is too little memory.
    ///
    /// The job ends with a report if images call it with different types, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_allgatherv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(3, || co_allgatherv(&vec![1; this_image()]));
    /// assert_eq!(gathered[2], [vec![], vec![1], vec![1, 1]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.7, `MPI_Allgatherv`.
    fn co_allgatherv [V: ?Sized + Values] (values: &V) -> Vec<Vec<V::Element>> where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_allgatherv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(2, || try_co_allgatherv(&vec![true; this_image()]).unwrap());
    /// assert_eq!(gathered[0], [vec![], vec![true]]);
    /// ```
    ///
    /// # Source
    /// As [`co_allgatherv`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_allgatherv

    |start| allgatherv(start, values.elements())
}

#[track_caller]
fn allgather<T: Remote>(start: &Start, values: &[T], gathered: &mut [T]) -> Result<(), CallFailed> {
    let (team, length) = (&*start.team, values.len());
    let images = team.images();
    assert!(
        Some(gathered.len()) == images.checked_mul(length),
        "co_allgather: `gathered` has {} elements, but the values of {images} images with {length} elements each need \
         {}",
        gathered.len(),
        images * length
    );
    let call = start.call::<T>(Operation::CoAllgather, length, None);
    let gathering = Gathering {
        team,
        blocks: Blocks::equal(images, length),
    };
    let algorithm = start.algorithm(Kind::Allgather, size_of_val(values));
    if algorithm == Algorithm::Eager {
        eager(team, &call, values, gathered);
        return Ok(());
    }
    if start.asks_where::<T>(&call, algorithm, size_of_val(values)) {
        // While the cache has them.
        gathered[team.index() * length..][..length].copy_from_slice(values);
        let read = |epoch: &InPlace<'_, T>, from: usize| {
            // SAFETY: that image has lent as many values: the images have compared calls.
            unsafe { epoch.read_into(from, 0, &mut gathered[from * length..][..length]) }
        };
        let done = gathering.in_place(&call, algorithm, values, read);
        if done.map_err(CallFailed::from(&call))? {
            return Ok(());
        }
    }
    if algorithm == Algorithm::Fabric {
        let passed = by_fabric::allgather(team, &call, values, gathered);
        return passed.map_err(CallFailed::from(&call));
    }
    let place = |image: usize, start: usize, part: Incoming<'_, T>| {
        part.copy_to(gathered, image * length + start);
    };
    gathering
        .run(&call, 0, algorithm.unposted(), values, place)
        .map_err(CallFailed::from(&call))
}

/// Every image posts its values, and waits for those of all others.
fn eager<T: Remote>(team: &Team, call: &Call, values: &[T], gathered: &mut [T]) {
    let (images, length) = (team.images(), values.len());
    let posts = Posts::begin(team, call, values, size_of_val(values), 0..images);
    for from in 0..images {
        let target = &mut gathered[from * length..][..length];
        // SAFETY: every image posts its values, whose number is the same on all images whose calls are.
        unsafe { posts.read_into(from, 0, target) };
    }
}

#[track_caller]
fn allgatherv<T: Remote>(start: &Start, values: &[T]) -> Result<Vec<Vec<T>>, CallFailed> {
    let call = start.call::<T>(Operation::CoAllgatherv, 0, None);
    allgather_runs(start, &call, values)
}

/// An allgather of values whose number differs between the images, as all there is to do in `call`.
#[track_caller]
pub(crate) fn allgather_runs<T: Remote>(
    start: &Start,
    call: &Call,
    values: &[T],
) -> Result<Vec<Vec<T>>, CallFailed> {
    let team = &*start.team;
    let lengths =
        exchange_lengths::<T>(team, call, values.len()).map_err(CallFailed::from(call))?;
    let longest = lengths
        .iter()
        .max()
        .map_or(0, |length| length * size_of::<T>());
    let algorithm = start.algorithm(Kind::Allgather, longest);
    let mut gathered = Vec::new();
    for &length in &lengths {
        gathered.push(room_for(length));
    }
    let gathering = Gathering {
        team,
        blocks: Blocks::of(lengths.iter().copied()),
    };
    let read = |epoch: &InPlace<'_, T>, from: usize| {
        // SAFETY: all images know how many values that one has lent.
        unsafe { epoch.read_to_vec(from, 0..lengths[from], &mut gathered[from]) }
    };
    if start.asks_where::<T>(call, algorithm, longest)
        && gathering
            .in_place(call, algorithm, values, read)
            .map_err(CallFailed::from(call))?
    {
        gathered[team.index()].extend_from_slice(values);
        return Ok(gathered);
    }
    let place = |image: usize, _, part: Incoming<'_, T>| {
        gathered[image].extend_from_slice(part.values());
    };
    gathering
        .run(call, 1, algorithm.unposted(), values, place)
        .map_err(CallFailed::from(call))?;
    Ok(gathered)
}

/// An allgather, as all images know it.
struct Gathering<'a> {
    team: &'a Team,
    /// By image.
    blocks: Blocks,
}

impl Gathering<'_> {
    /// Carries it out, from epoch number `first` on. Calls `place` for the parts of each image's block, one after the other,
    /// with the image, the part's first index in the block, and its elements.
    fn run<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        algorithm: Algorithm,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let images = self.team.images();
        // A buffer holds a part of each block; in a tree, one for the way up and one for the way down.
        let most = match algorithm {
            Algorithm::Binomial | Algorithm::Hierarchical => capacity::<T>() / 2,
            _ => capacity::<T>(),
        };
        // Also if a buffer has no room for one element of each image.
        if algorithm == Algorithm::Flat || images > most {
            return self.flat(call, first, values, place);
        }
        place(self.team.index(), 0, values.into());
        self.scheduled(call, first, algorithm, most, values, place)
    }

    /// Every image reads the values where each of the others has them, by `read`. Returns whether they could.
    fn in_place<T: Remote>(
        &self,
        call: &Call,
        algorithm: Algorithm,
        values: &[T],
        mut read: impl FnMut(&InPlace<'_, T>, usize),
    ) -> Result<bool, ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let lends = |image: usize| !self.blocks.block(image).is_empty();
        InPlace::run(self.team, call, algorithm, values, lends, |epoch| {
            // Each begins with the image after it, so that not all read from one.
            let others = (me + 1..images).chain(0..me);
            let lending = others.filter(|&from| lends(from));
            lending.for_each(|from| read(epoch, from));
        })
    }
}
