//! Scatter of parts of different lengths, which the root tells all images first.

use crate::Kind;
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team, quiet_and_defer};

use crate::blocks::{Blocks, room_for};
use crate::collective::{CallFailed, Start, forms};
use crate::epoch::incoming::Incoming;
use crate::epoch::{Epoch, capacity, chunks};
use crate::scatter::Scattering;
use crate::scatter::right_length::{is_root_right, payload};
use crate::schedule::Tree;

forms! {
    /// Collective. As [`co_scatter`](crate::co_scatter), for parts of different lengths: `parts` has one for each image. Every image gets
    /// its own.
    ///
    /// `parts` is used on `root` only, and may be empty elsewhere.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, on `root` if there is not one part for each image, and where there is too little memory.
    ///
    /// The job ends with a report if images call it with different types or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_scatterv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(3, || {
    ///     let parts: &[&[char]] = if this_image() == 0 { &[&['a'], &[], &['b', 'c']] } else { &[] };
    ///     co_scatterv(parts, 0)
    /// });
    /// assert_eq!(received, [vec!['a'], vec![], vec!['b', 'c']]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.6, `MPI_Scatterv`.
    fn co_scatterv [T: Remote] (parts: &[impl AsRef<[T]>], root: usize) -> Vec<T> where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_scatterv;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(2, || try_co_scatterv(&[vec![1], vec![2, 3]], 1).unwrap());
    /// assert_eq!(received, [vec![1], vec![2, 3]]);
    /// ```
    ///
    /// # Source
    /// As [`co_scatterv`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_scatterv

    |start| scatterv(start, parts, root)
}

#[track_caller]
fn scatterv<T: Remote>(
    start: &Start,
    parts: &[impl AsRef<[T]>],
    root: usize,
) -> Result<Vec<T>, CallFailed> {
    let team = &*start.team;
    let call = start.call::<T>(Operation::CoScatterv, 0, Some(root));
    let images = team.images();
    let mut lengths = vec![0; images];
    let mut slices = Vec::new();
    if team.index() == root {
        slices.extend(parts.iter().map(AsRef::as_ref));
        for (length, part) in lengths.iter_mut().zip(&slices) {
            *length = part.len();
        }
    }
    let is_right = team.index() != root || slices.len() == images;
    let epochs = broadcast_lengths(team, &call, &mut lengths, root, is_right)
        .map_err(CallFailed::from(&call))?;
    assert!(
        is_right,
        "co_scatterv from image {root}: `parts` has {} parts there, but {images} images need one each",
        slices.len()
    );
    let longest = lengths
        .iter()
        .max()
        .map_or(0, |length| length * size_of::<T>());
    let algorithm = start.algorithm(Kind::Scatter, longest).unposted();
    let tree = Tree::from(root, algorithm, team);
    let in_order = (0..images).map(|position| lengths[tree.image(position)]);
    let scattering = Scattering {
        team,
        algorithm,
        blocks: Blocks::of(in_order),
        tree,
        is_right,
        is_known: true,
    };
    let mut mine = room_for(lengths[team.index()]);
    let place = |_, part: Incoming<'_, T>| mine.extend_from_slice(part.values());
    scattering
        .run(&call, epochs, |image| slices[image], place)
        .map_err(CallFailed::from(&call))?;
    Ok(mine)
}

/// Gives all images the root's `lengths`; returns the number of epochs that took.
fn broadcast_lengths(
    team: &Team,
    call: &Call,
    lengths: &mut [usize],
    root: usize,
    is_right: bool,
) -> Result<usize, ImageFailed> {
    let deferral = quiet_and_defer();
    let mut epochs = 0;
    for chunk in chunks(lengths, capacity::<usize>()) {
        let mut epoch = Epoch::begin(team, call, epochs);
        epoch.set_payload(payload(is_right));
        if team.index() == root {
            // SAFETY: no image reads this buffer before the barrier.
            unsafe { epoch.write(0, chunk) };
        }
        epoch.barrier()?;
        if team.index() != root {
            // SAFETY: the root wrote the chunk before the barrier, one length for each image, and writes once in an epoch.
            chunk.copy_from_slice(unsafe { epoch.read(root, 0, chunk.len()) });
        }
        drop(epoch);
        epochs += 1;
        if !is_root_right(&deferral, team, call, epochs, root)? {
            break;
        }
    }
    Ok(epochs)
}
