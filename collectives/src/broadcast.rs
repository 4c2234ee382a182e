//! Broadcast: every image gets the values of one.

mod in_place;
mod scheduled;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, ValuesMut};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::by_fabric;
use crate::collective::{CallFailed, Start, forms};
use crate::eager::Posts;
use crate::epoch::{Epoch, at_a_time, chunks, fits_payload_with_root};

forms! {
    /// Collective. Gives every image of the current team the values of image `root`.
    ///
    /// No image leaves before `root` has entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_broadcast;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let received = run(3, || {
    ///     let mut x = [this_image(); 2];
    ///     co_broadcast(&mut x, 1);
    ///     x
    /// });
    /// assert_eq!(received, [[1, 1]; 3]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.1; Fortran 2018 `co_broadcast`.
    fn co_broadcast [V: ?Sized + ValuesMut] (values: &mut V, root: usize) -> () where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_broadcast;
    /// use coarray_launch::Launch;
    /// use coarray_runtime::{fail_image, this_image};
    ///
    /// let survivors = Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 0 {
    ///         fail_image();
    ///     }
    ///     try_co_broadcast(&mut [1.5; 4], 1).unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[0], [0]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_broadcast` with `stat`, clause 16.6.
    fn try_co_broadcast

    |start| broadcast(start, values.elements_mut(), root)
}

#[track_caller]
pub(crate) fn broadcast<T: Remote>(
    start: &Start,
    values: &mut [T],
    root: usize,
) -> Result<(), CallFailed> {
    let call = start.call::<T>(Operation::CoBroadcast, values.len(), Some(root));
    let algorithm = start.algorithm(Kind::Broadcast, size_of_val(values));
    // Inlined, so that the compiler sees the number of values, which is mostly one.
    let passed = if algorithm == Algorithm::Flat && fits_payload_with_root::<T>(values.len()) {
        by_payload(&start.team, &call, values, root)
    } else if algorithm == Algorithm::Eager {
        eager(start, &call, values, root);
        Ok(())
    } else {
        pass(start, &call, algorithm, 0, values, root)
    };
    passed.map_err(CallFailed::from(&call))
}

/// Passes the values of `root`, whose number is the same on all images, from epoch number `first` of the call on.
pub(crate) fn pass<T: Remote>(
    start: &Start,
    call: &Call,
    algorithm: Algorithm,
    first: usize,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    let team = &*start.team;
    if start.asks_where::<T>(call, algorithm, size_of_val(values))
        && in_place::in_place(team, call, values, root)?
    {
        return Ok(());
    }
    match algorithm {
        Algorithm::Fabric => by_fabric::broadcast(team, call, values, root),
        _ => pass_on(team, call, algorithm, first, values, root),
    }
}

/// As [`flat`], for values that fit the payload of the barrier.
#[inline]
fn by_payload<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    let mut epoch = Epoch::begin(team, call, 0);
    epoch.barrier_with(values)?;
    if team.index() != root {
        let length = values.len();
        // SAFETY: the root packed its values, whose length is the same on all images: they have compared calls.
        unsafe { epoch.payload(root, length, |payload| values.copy_from_slice(payload)) };
    }
    Ok(())
}

/// The root posts its values, and goes on.
#[inline(never)]
fn eager<T: Remote>(start: &Start, call: &Call, values: &mut [T], root: usize) {
    let is_root = start.team.index() == root;
    let most = size_of_val(values);
    let (posted, readers): (&[T], _) = match is_root {
        true => (values, 0..start.team.images()),
        false => (&[], 0..0),
    };
    let posts = Posts::begin(&start.team, call, posted, most, readers);
    if !is_root {
        // SAFETY: the root posts its values, whose number is the same on all images whose calls are.
        unsafe { posts.read_into(root, 0, values) };
    }
}

#[inline(never)]
fn pass_on<T: Remote>(
    team: &Team,
    call: &Call,
    algorithm: Algorithm,
    first: usize,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    if algorithm != Algorithm::Flat {
        return scheduled::scheduled(team, call, algorithm, first, values, root);
    }
    for (number, chunk) in (first..).zip(chunks(values, at_a_time::<T>(team))) {
        flat(Epoch::begin(team, call, number), team, chunk, root)?;
    }
    Ok(())
}

fn flat<T: Remote>(
    mut epoch: Epoch<'_, T>,
    team: &Team,
    chunk: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    if team.index() == root {
        // SAFETY: no image reads this buffer before the barrier.
        unsafe { epoch.write(0, chunk) };
    }
    epoch.barrier()?;
    if team.index() != root {
        // SAFETY: the root wrote the chunk before the barrier, and writes once in an epoch. The length is the same on all images:
        // they have compared calls.
        unsafe { epoch.read_into(root, 0, chunk) };
    }
    Ok(())
}
