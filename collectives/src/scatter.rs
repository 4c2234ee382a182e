//! Scatter: the values of one image, the root, divided among all.
//!
//! The blocks for all images are a sequence in the order of their positions, from the root on, which passes in windows
//! as long as a buffer. The blocks of a subtree, which travel together down a tree, lie together in the sequence.

mod flat;
mod right_length;
mod scheduled;
mod varying;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, ValuesMut};
use coarray_runtime::{Call, ImageFailed, Operation, Team, quiet_and_defer};

use crate::blocks::{Blocks, windows};
use crate::by_fabric;
use crate::collective::{CallFailed, Start, forms};
use crate::eager::{Posts, may_post};
use crate::epoch::in_place::InPlace;
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity};
use crate::scatter::right_length::{
    FLAG, await_panic, fits_before_flag, is_root_right, payload, posted_by_root,
};
use crate::schedule::{Layout, Tree};

pub use varying::{co_scatterv, try_co_scatterv};

forms! {
    /// Collective. Divides the values of image `root` among all images of the current team, in the order of the images.
    ///
    /// `parts` has as many values for each image as `mine`, one image after the other; it is used on `root` only, and
    /// may be empty elsewhere.
    ///
    /// No image leaves before `root` has entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, and on `root` if `parts` is not as long as `mine` of all images together.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_scatter;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(3, || {
    ///     let parts = if this_image() == 1 { vec![1, 2, 3, 4, 5, 6] } else { vec![] };
    ///     let mut mine = [0; 2];
    ///     co_scatter(&parts, &mut mine, 1);
    ///     mine
    /// });
    /// assert_eq!(received, [[1, 2], [3, 4], [5, 6]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.6, `MPI_Scatter`.
    fn co_scatter [V: ?Sized + ValuesMut] (parts: &[V::Element], mine: &mut V, root: usize) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_scatter;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(3, || {
    ///     let mut mine = 0;
    ///     try_co_scatter(&[0, 10, 20], &mut mine, 2).unwrap();
    ///     assert_eq!(mine, 10 * this_image());
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_scatter`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_scatter

    |start| scatter(start, parts, mine.elements_mut(), root)
}

#[track_caller]
fn scatter<T: Remote>(
    start: &Start,
    parts: &[T],
    mine: &mut [T],
    root: usize,
) -> Result<(), CallFailed> {
    let (team, length) = (&*start.team, mine.len());
    let call = start.call::<T>(Operation::CoScatter, length, Some(root));
    let images = team.images();
    let algorithm = start.algorithm(Kind::Scatter, size_of_val(mine));
    let is_right = team.index() != root || Some(parts.len()) == images.checked_mul(length);
    if start.asks_where::<T>(&call, algorithm, images.saturating_mul(size_of_val(mine))) {
        let is_root = team.index() == root;
        let lent = if is_root && is_right { parts } else { &[] };
        let own = team.index() * length;
        let read = |epoch: &InPlace<'_, T>| match is_root {
            true => mine.copy_from_slice(&parts[own..][..length]),
            // SAFETY: the root has lent so many elements for each image: it has compared that with `length`, which is the same
            // on all images, as they have compared calls.
            false => unsafe { epoch.read_into(root, own, mine) },
        };
        let done = InPlace::run(team, &call, algorithm, lent, |image| image == root, read);
        if done.map_err(CallFailed::from(&call))? {
            return Ok(());
        }
    }
    let posted = size_of_val(mine).saturating_mul(images);
    if algorithm == Algorithm::Eager && length > 0 && may_post(team, posted) {
        let parts = (team.index() == root).then_some(parts);
        if eager(start, &call, parts.filter(|_| is_right), mine, root) {
            return Ok(());
        }
    }
    let filler = if is_right { Vec::new() } else { mine.to_vec() };
    let block = |image: usize| {
        if is_right {
            &parts[image * length..][..length]
        } else {
            &filler
        }
    };
    let place = |start: usize, part: Incoming<'_, T>| part.copy_to(mine, start);
    let unposted = algorithm.unposted();
    let posted = posted_by_root(team, &call, root, is_right);
    let is_known = posted == Some(true);
    let passed = if posted == Some(false) {
        await_panic(team, &call, 1, root)
    } else if algorithm == Algorithm::Fabric {
        by_fabric(team, &call, parts, mine, root, is_right, is_known)
    } else if unposted == Algorithm::Flat && fits_before_flag::<T>(length, images) {
        by_payload(team, &call, parts, mine, root, is_right)
    } else {
        let scattering = Scattering {
            team,
            algorithm: unposted,
            tree: Tree::from(root, unposted, team),
            blocks: Blocks::equal(images, length),
            is_right,
            is_known,
        };
        scattering.run(&call, 0, block, place)
    };
    passed.map_err(CallFailed::from(&call))?;
    assert!(
        is_right,
        "co_scatter from image {root}: `parts` has {} elements there, but {images} images with {length} elements each \
         need {}",
        parts.len(),
        images * length
    );
    Ok(())
}

/// All images read their parts from the payload of the root, which has the right number of elements if `is_right`.
#[inline]
fn by_payload<T: Remote>(
    team: &Team,
    call: &Call,
    parts: &[T],
    mine: &mut [T],
    root: usize,
    is_right: bool,
) -> Result<(), ImageFailed> {
    let (me, images, length) = (team.index(), team.images(), mine.len());
    let deferral = quiet_and_defer();
    let mut epoch = Epoch::begin(team, call, 0);
    epoch.set_payload(payload(is_right));
    if me == root && is_right {
        epoch.pack(0, parts);
    }
    epoch.barrier()?;
    if team.payload(root)[FLAG] != 0 {
        let copy = |parts: &[T]| mine.copy_from_slice(&parts[me * length..][..length]);
        // SAFETY: the root has packed so many elements for each image, as it says, and as it has compared with `length`, which is the same
        // on all images: they have compared calls.
        unsafe { epoch.payload(root, images * length, copy) };
        return Ok(());
    }
    drop(epoch);
    is_root_right(&deferral, team, call, 1, root).map(drop)
}

/// By the fabric, if the root has the right number of elements, which all images know already if `is_known`.
fn by_fabric<T: Remote>(
    team: &Team,
    call: &Call,
    parts: &[T],
    mine: &mut [T],
    root: usize,
    is_right: bool,
    is_known: bool,
) -> Result<(), ImageFailed> {
    let deferral = quiet_and_defer();
    let mut epoch = Epoch::begin(team, call, 0);
    if !is_known {
        epoch.set_payload(payload(is_right));
    }
    epoch.barrier()?;
    if is_known || team.payload(root)[FLAG] != 0 {
        // SAFETY: all images have just passed the barrier, and the root has said that its parts are right.
        unsafe { by_fabric::scatter(team, epoch, parts, mine, root) };
        return Ok(());
    }
    drop(epoch);
    is_root_right(&deferral, team, call, 1, root).map(drop)
}

/// The root posts all parts, or no element if they do not have the right length. Returns whether it has posted parts.
fn eager<T: Remote>(
    start: &Start,
    call: &Call,
    parts: Option<&[T]>,
    mine: &mut [T],
    root: usize,
) -> bool {
    let (own, length) = (start.team.index() * mine.len(), mine.len());
    let readers = match start.team.index() == root {
        true => 0..start.team.images(),
        false => 0..0,
    };
    let posted = parts.unwrap_or_default();
    let posts = Posts::begin_blocks(&start.team, call, posted, length, readers);
    let mut take = |part: &[T]| mine.copy_from_slice(part);
    match start.team.index() == root {
        true => parts.map(|parts| take(&parts[own..][..length])).is_some(),
        // SAFETY: if the root has posted elements, then so many for each image, as it has compared with `length`, which is the same on all images
        // whose calls are.
        false => unsafe { posts.read_block(root, length, take) },
    }
}

/// A scatter, as one image knows it.
struct Scattering<'a> {
    team: &'a Team,
    algorithm: Algorithm,
    /// The root is first.
    tree: Tree,
    /// In the order of the positions.
    blocks: Blocks,
    /// False on a root whose parts do not have the right length.
    is_right: bool,
    /// Whether all images know that they have.
    is_known: bool,
}

impl Scattering<'_> {
    /// Carries it out, from epoch number `first` on. On the root, `block` returns the block for each image. Calls `place` for
    /// the parts of this image's block, one after the other, with the part's first index and its elements.
    fn run<'v, T: Remote>(
        &self,
        call: &Call,
        first: usize,
        block: impl Fn(usize) -> &'v [T],
        mut place: impl FnMut(usize, Incoming<'_, T>),
    ) -> Result<(), ImageFailed> {
        let (team, root) = (self.team, self.tree.image(0));
        let layout = Layout::of(self.blocks.clone(), team.images());
        let is_flat = self.algorithm == Algorithm::Flat;
        let others = self.blocks.range(1..team.images());
        let to_buffers =
            is_flat && team.is_on_one_node() && team.images() > 2 && others.len() > capacity::<T>();
        // The root may write to the buffers of others once images have compared calls: they do that in an epoch without elements. From then on
        // nothing panics.
        let range = if to_buffers { 0..0 } else { others };
        let windows = (first..).zip(windows(range, capacity::<T>()));
        let deferral = quiet_and_defer();
        for (number, window) in windows {
            let tells = number == 0 && !self.is_known;
            let mut epoch = Epoch::begin(team, call, number);
            if tells {
                epoch.set_payload(payload(self.is_right));
            }
            match is_flat {
                true => self.flat(epoch, &window, &block, &mut place)?,
                false => self.scheduled(epoch, &layout, &window, &block, &mut place)?,
            }
            if tells && !is_root_right(&deferral, team, call, 1, root)? {
                return Ok(());
            }
        }
        if to_buffers {
            self.to_buffers(call, first + 1, &block, &mut place)?;
        }
        if team.index() == root {
            // Only now: meanwhile the others read the last of theirs.
            place(0, block(root).into());
        }
        Ok(())
    }
}
