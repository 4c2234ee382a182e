//! Gather: one image, the root, gets the values of all.
//!
//! The blocks of all images are a sequence in the order of their positions, from the root on. The blocks of a subtree, which
//! travel together up a tree, lie together in the sequence.

mod flat;
mod scheduled;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, Values};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::blocks::{Blocks, room_for};
use crate::by_fabric;
use crate::collective::{CallFailed, Start, forms};
use crate::eager::Posts;
use crate::epoch::in_place::InPlace;
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, fits_payload_with_root};
use crate::schedule::Tree;

forms! {
    /// Collective. Gives image `root` the values of all images of the current team, in the order of the images.
    ///
    /// `gathered` has room for the values of each image, one image after the other; it is used on `root` only, and
    /// may be empty elsewhere.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, and on `root` if `gathered` is not as long as the values of all images together.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_gather;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(3, || {
    ///     let mut gathered = if this_image() == 1 { vec![0; 6] } else { vec![] };
    ///     co_gather(&[this_image(), 7], &mut gathered, 1);
    ///     gathered
    /// });
    /// assert_eq!(gathered, [vec![], vec![0, 7, 1, 7, 2, 7], vec![]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.5, `MPI_Gather`.
    fn co_gather [V: ?Sized + Values] (
        values: &V,
        gathered: &mut [V::Element],
        root: usize
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_gather;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(3, || {
    ///     let mut gathered = [0.0; 3];
    ///     try_co_gather(&1.5, &mut gathered, 0).unwrap();
    ///     assert_eq!(gathered, [if this_image() == 0 { 1.5 } else { 0.0 }; 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_gather`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_gather

    |start| gather(start, values.elements(), gathered, root)
}

forms! {
    /// Collective. As [`co_gather`], for values whose number differs between the images: image `root` gets one vector
    /// for each image, the others get none.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, or has too little memory.
    ///
    /// The job ends with a report if images call it with different types or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_gatherv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(3, || co_gatherv(&vec![1; this_image()], 0));
    /// assert_eq!(gathered, [vec![vec![], vec![1], vec![1, 1]], vec![], vec![]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.5, `MPI_Gatherv`.
    fn co_gatherv [V: ?Sized + Values] (values: &V, root: usize) -> Vec<Vec<V::Element>> where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_gatherv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let gathered = run(2, || try_co_gatherv(&vec![true; this_image()], 1).unwrap());
    /// assert_eq!(gathered, [vec![], vec![vec![], vec![true]]]);
    /// ```
    ///
    /// # Source
    /// As [`co_gatherv`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_gatherv

    |start| gatherv(start, values.elements(), root)
}

#[track_caller]
fn gather<T: Remote>(
    start: &Start,
    values: &[T],
    gathered: &mut [T],
    root: usize,
) -> Result<(), CallFailed> {
    let (team, length) = (&*start.team, values.len());
    let call = start.call::<T>(Operation::CoGather, length, Some(root));
    let algorithm = start.algorithm(Kind::Gather, size_of_val(values));
    let images = team.images();
    let is_right = team.index() != root || Some(gathered.len()) == images.checked_mul(length);
    if algorithm == Algorithm::Flat && fits_payload_with_root::<T>(length) && is_right {
        let gathered = (team.index() == root).then_some(gathered);
        return by_payload(team, &call, values, gathered).map_err(CallFailed::from(&call));
    }
    let gathering = || Gathering {
        team,
        algorithm: algorithm.unposted(),
        tree: Tree::from(root, algorithm, team),
        blocks: Blocks::equal(images, length),
    };
    // With a slice of the wrong length the root still takes part: if images disagree, that report explains more.
    let read = |epoch: &InPlace<'_, T>, from: usize| {
        if is_right {
            let target = &mut gathered[from * length..][..length];
            // SAFETY: that image has lent as many values: the images have compared calls.
            unsafe { epoch.read_into(from, 0, target) }
        }
    };
    let is_done = start.asks_where::<T>(&call, algorithm, size_of_val(values))
        && gathering()
            .in_place(&call, algorithm, values, read)
            .map_err(CallFailed::from(&call))?;
    let mut place = |image: usize, start: usize, part: Incoming<'_, T>| {
        if is_right {
            part.copy_to(gathered, image * length + start);
        }
    };
    match is_done {
        true if team.index() == root => place(root, 0, values.into()),
        true => {}
        false if algorithm == Algorithm::Eager => {
            // Nobody reads the root's.
            let is_root = team.index() == root;
            let posted = if is_root { &[] } else { values };
            let posts = Posts::begin(team, &call, posted, size_of_val(values), root..root + 1);
            if is_root {
                place(root, 0, values.into());
                for image in (0..images).filter(|&image| image != root) {
                    // SAFETY: every other image posts its values, whose number is the same on all images whose calls are.
                    unsafe { posts.read(image, 0, length, |part| place(image, 0, part.into())) };
                }
            }
        }
        false if algorithm == Algorithm::Fabric => {
            by_fabric::gather(team, &call, values, gathered, root)
                .map_err(CallFailed::from(&call))?;
        }
        false => gathering()
            .run(&call, 0, values, place)
            .map_err(CallFailed::from(&call))?,
    }
    assert!(
        is_right,
        "co_gather to image {root}: `gathered` has {} elements there, but the values of {images} images with {length} \
         elements each need {}",
        gathered.len(),
        images * length
    );
    Ok(())
}

/// For values that fit the payload of the barrier; `gathered` is the root's.
#[inline]
fn by_payload<T: Remote>(
    team: &Team,
    call: &Call,
    values: &[T],
    gathered: Option<&mut [T]>,
) -> Result<(), ImageFailed> {
    let mut epoch = Epoch::begin(team, call, 0);
    epoch.barrier_with(values)?;
    let (length, gathered) = (values.len(), gathered.unwrap_or_default());
    for (image, target) in gathered.chunks_exact_mut(length.max(1)).enumerate() {
        // SAFETY: every image packed its values, whose number is the same on all: they have compared calls.
        unsafe { epoch.payload(image, length, |part| target.copy_from_slice(part)) };
    }
    Ok(())
}

#[track_caller]
fn gatherv<T: Remote>(start: &Start, values: &[T], root: usize) -> Result<Vec<Vec<T>>, CallFailed> {
    let call = start.call::<T>(Operation::CoGatherv, 0, Some(root));
    gather_runs(start, &call, values, root)
}

/// A gather of values whose number differs between the images, as all there is to do in `call`.
#[track_caller]
pub(crate) fn gather_runs<T: Remote>(
    start: &Start,
    call: &Call,
    values: &[T],
    root: usize,
) -> Result<Vec<Vec<T>>, CallFailed> {
    let team = &*start.team;
    let lengths =
        exchange_lengths::<T>(team, call, values.len()).map_err(CallFailed::from(call))?;
    let longest = lengths
        .iter()
        .max()
        .map_or(0, |length| length * size_of::<T>());
    let algorithm = start.algorithm(Kind::Gather, longest);
    let mut gathered = Vec::new();
    if team.index() == root {
        for &length in &lengths {
            gathered.push(room_for(length));
        }
    }
    let tree = Tree::from(root, algorithm, team);
    let in_order = (0..team.images()).map(|position| lengths[tree.image(position)]);
    let gathering = Gathering {
        team,
        algorithm: algorithm.unposted(),
        blocks: Blocks::of(in_order),
        tree,
    };
    let read = |epoch: &InPlace<'_, T>, from: usize| {
        // SAFETY: all images know how many values that one has lent.
        unsafe { epoch.read_to_vec(from, 0..lengths[from], &mut gathered[from]) }
    };
    let is_done = start.asks_where::<T>(call, algorithm, longest)
        && gathering
            .in_place(call, algorithm, values, read)
            .map_err(CallFailed::from(call))?;
    let mut place = |image: usize, _, part: Incoming<'_, T>| {
        gathered[image].extend_from_slice(part.values());
    };
    match is_done {
        true if team.index() == root => place(root, 0, values.into()),
        true => {}
        false => gathering
            .run(call, 1, values, place)
            .map_err(CallFailed::from(call))?,
    }
    Ok(gathered)
}

/// The number of elements of each image, exchanged in epoch 0 of the operation.
pub(crate) fn exchange_lengths<T: Remote>(
    team: &Team,
    call: &Call,
    length: usize,
) -> Result<Vec<usize>, ImageFailed> {
    let mut epoch = Epoch::<T>::begin(team, call, 0);
    epoch.set_payload([length as u64, 0, 0]);
    epoch.barrier()?;
    let lengths = (0..team.images()).map(|image| team.payload(image)[0] as usize);
    Ok(lengths.collect())
}

/// A gather, as all images know it.
struct Gathering<'a> {
    team: &'a Team,
    algorithm: Algorithm,
    /// The root is first.
    tree: Tree,
    /// In the order of the positions.
    blocks: Blocks,
}

impl Gathering<'_> {
    /// Carries it out, from epoch number `first` on. On the root, calls `place` for the parts of each image's block, one after
    /// the other, with the image, the part's first index in the block, and its elements.
    fn run<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        if self.team.index() == self.tree.image(0) {
            place(self.team.index(), 0, values.into());
        }
        match self.algorithm {
            Algorithm::Flat => self.flat(call, first, values, place),
            _ => self.scheduled(call, first, values, place),
        }
    }

    /// The root reads the values where each of the others has them, by `read`. Returns whether it could.
    fn in_place<T: Remote>(
        &self,
        call: &Call,
        algorithm: Algorithm,
        values: &[T],
        mut read: impl FnMut(&InPlace<'_, T>, usize),
    ) -> Result<bool, ImageFailed> {
        let is_root = self.team.index() == self.tree.image(0);
        let lent = if is_root { &[] } else { values };
        let others = || {
            let positions = 1..self.team.images();
            let lending = positions.filter(|&position| !self.blocks.block(position).is_empty());
            lending.map(|position| self.tree.image(position))
        };
        let lends = |image| others().any(|other| other == image);
        InPlace::run(self.team, call, algorithm, lent, lends, |epoch| {
            if is_root {
                others().for_each(|image| read(epoch, image));
            }
        })
    }
}
