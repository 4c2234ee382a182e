//! One image's values for all.

use std::panic::Location;

use coarray_coref::{Remote, Values};
use coarray_fabric::{Call, ImageFailed, Operation, Team};

use crate::exchange::{Turn, capacity};

/// Collective. Gives every image of the current team the values of image `root`.
///
/// # Panics
/// If `root` is no image.
///
/// The job ends with a report if images call it with different types, lengths or roots, or have failed.
///
/// # Examples
/// ```
/// use coarray_collectives::co_broadcast;
/// use coarray_fabric::{run, this_image};
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
#[track_caller]
pub fn co_broadcast<V: ?Sized + Values>(values: &mut V, root: usize) {
    let team = Team::current();
    let values = values.elements_mut();
    let call = call::<V>(values.len(), root, &team);
    if let Err(failed) = broadcast(&team, &call, values, root) {
        team.fail_because(&failed, &call.describe(&team));
    }
}

/// Collective. As [`co_broadcast`], but failed images do not end the job.
///
/// # Errors
/// The images of the current team that have failed, the same on all others; then the values are those from
/// before or those of `root`.
///
/// # Panics
/// As [`co_broadcast`].
///
/// # Examples
/// ```
/// use coarray_collectives::try_co_broadcast;
/// use coarray_fabric::{Launch, fail_image, this_image};
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
#[track_caller]
pub fn try_co_broadcast<V: ?Sized + Values>(
    values: &mut V,
    root: usize,
) -> Result<(), ImageFailed> {
    let team = Team::current();
    let values = values.elements_mut();
    broadcast(&team, &call::<V>(values.len(), root, &team), values, root)
}

#[track_caller]
fn call<V: ?Sized + Values>(length: usize, root: usize, team: &Team) -> Call {
    assert!(
        root < team.images(),
        "co_broadcast from image {root}, but there are {} images",
        team.images()
    );
    Call::on_values::<V::Element>(Operation::CoBroadcast, length, root, Location::caller())
}

fn broadcast<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    root: usize,
) -> Result<(), ImageFailed> {
    for (number, chunk) in chunks(values).enumerate() {
        let mut turn = Turn::begin(team, call, number);
        if team.index() == root {
            turn.write(0, chunk);
        }
        turn.meet()?;
        if team.index() != root {
            // SAFETY: the root wrote the chunk, which all images know to be as long, and writes no more.
            chunk.copy_from_slice(unsafe { turn.read(root, 0, chunk.len()) });
        }
    }
    Ok(())
}

/// The pieces that pass one at a time; one empty piece if there is nothing, so that all images meet.
pub(crate) fn chunks<T>(values: &mut [T]) -> impl Iterator<Item = &mut [T]> {
    let mut rest = Some(values);
    std::iter::from_fn(move || {
        let values = rest.take()?;
        let (chunk, others) = values.split_at_mut(capacity::<T>().min(values.len()));
        rest = (!others.is_empty()).then_some(others);
        Some(chunk)
    })
}
