//! Combining the values of all images, element by element.
//!
//! Few elements: everyone reads everyone's and combines them. Many: each image combines its share of the
//! elements and everyone collects the shares. Either way element results are combined from image 0
//! upwards, so all images get the same bits.

use std::ops::{Add, Range};
use std::panic::Location;

use coarray_coref::{Remote, Values};
use coarray_fabric::{Call, ImageFailed, Operation, Team};

use crate::broadcast::chunks;
use crate::exchange::Turn;

/// Up to so many bytes, reading everyone's values beats a second meeting.
const FEW_BYTES: usize = 2048;

/// Collective. Adds the values of all images, element by element; every image gets the sums.
///
/// The elements are added from image 0 upwards, so every image gets the same bits. Integer overflow
/// panics or wraps as `+` does in the same build.
///
/// The job ends with a report if images call it with different types or lengths, or have failed.
///
/// # Examples
/// ```
/// use coarray_collectives::co_sum;
/// use coarray_fabric::{run, this_image};
///
/// let sums = run(4, || {
///     let mut x = [this_image() as i64, 1];
///     co_sum(&mut x);
///     x
/// });
/// assert_eq!(sums, [[6, 4]; 4]);
/// ```
///
/// # Source
/// *Coarray C++* section 8.2; Fortran 2018 `co_sum`.
#[track_caller]
pub fn co_sum<V>(values: &mut V)
where
    V: ?Sized + Values,
    V::Element: num_traits::Num,
{
    combine(Operation::CoSum, values, Add::add, Location::caller());
}

/// Collective. As [`co_sum`], but failed images do not end the job.
///
/// # Errors
/// The images of the current team that have failed, the same on all others; then the values are unspecified.
///
/// # Examples
/// ```
/// use coarray_collectives::try_co_sum;
/// use coarray_fabric::run;
///
/// run(3, || assert_eq!(try_co_sum(&mut 1), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `co_sum` with `stat`, clause 16.6.
#[track_caller]
pub fn try_co_sum<V>(values: &mut V) -> Result<(), ImageFailed>
where
    V: ?Sized + Values,
    V::Element: num_traits::Num,
{
    try_combine(Operation::CoSum, values, Add::add, Location::caller())
}

/// Collective. The smallest of all images' values, element by element, on every image.
///
/// A value that is not comparable, such as NaN, is kept only where image 0 has it.
///
/// The job ends with a report if images call it with different types or lengths, or have failed.
///
/// # Examples
/// ```
/// use coarray_collectives::co_min;
/// use coarray_fabric::{run, this_image};
///
/// let smallest = run(3, || {
///     let mut x = 10.0 - this_image() as f64;
///     co_min(&mut x);
///     x
/// });
/// assert_eq!(smallest, [8.0; 3]);
/// ```
///
/// # Source
/// *Coarray C++* section 8.2; Fortran 2018 `co_min`.
#[track_caller]
pub fn co_min<V>(values: &mut V)
where
    V: ?Sized + Values,
    V::Element: PartialOrd,
{
    combine(Operation::CoMin, values, smaller, Location::caller());
}

/// Collective. As [`co_min`], but failed images do not end the job.
///
/// # Errors
/// The images of the current team that have failed, the same on all others; then the values are unspecified.
///
/// # Examples
/// ```
/// use coarray_collectives::try_co_min;
/// use coarray_fabric::run;
///
/// run(3, || assert_eq!(try_co_min(&mut 1), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `co_min` with `stat`, clause 16.6.
#[track_caller]
pub fn try_co_min<V>(values: &mut V) -> Result<(), ImageFailed>
where
    V: ?Sized + Values,
    V::Element: PartialOrd,
{
    try_combine(Operation::CoMin, values, smaller, Location::caller())
}

/// Collective. The largest of all images' values, element by element, on every image.
///
/// A value that is not comparable, such as NaN, is kept only where image 0 has it.
///
/// The job ends with a report if images call it with different types or lengths, or have failed.
///
/// # Examples
/// ```
/// use coarray_collectives::co_max;
/// use coarray_fabric::{num_images, run, this_image};
///
/// run(3, || {
///     let mut x = this_image();
///     co_max(&mut x);
///     assert_eq!(x, num_images() - 1);
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 8.2; Fortran 2018 `co_max`.
#[track_caller]
pub fn co_max<V>(values: &mut V)
where
    V: ?Sized + Values,
    V::Element: PartialOrd,
{
    combine(Operation::CoMax, values, larger, Location::caller());
}

/// Collective. As [`co_max`], but failed images do not end the job.
///
/// # Errors
/// The images of the current team that have failed, the same on all others; then the values are unspecified.
///
/// # Examples
/// ```
/// use coarray_collectives::try_co_max;
/// use coarray_fabric::run;
///
/// run(3, || assert_eq!(try_co_max(&mut 1), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `co_max` with `stat`, clause 16.6.
#[track_caller]
pub fn try_co_max<V>(values: &mut V) -> Result<(), ImageFailed>
where
    V: ?Sized + Values,
    V::Element: PartialOrd,
{
    try_combine(Operation::CoMax, values, larger, Location::caller())
}

/// Collective. Combines all images' values with `operation`, element by element, on every image.
///
/// `operation` must be associative and the same on all images. It is applied from image 0 upwards, so it
/// need not be commutative.
///
/// The job ends with a report if images call it with different types or lengths, or have failed.
///
/// # Examples
/// ```
/// use coarray_collectives::co_reduce;
/// use coarray_fabric::{run, this_image};
///
/// let products = run(4, || {
///     let mut x = [this_image() as u32 + 1; 3];
///     co_reduce(&mut x, |a, b| a * b);
///     x
/// });
/// assert_eq!(products, [[24; 3]; 4]);
/// ```
///
/// # Source
/// *Coarray C++* section 8.2; Fortran 2018 `co_reduce`.
#[track_caller]
pub fn co_reduce<V>(values: &mut V, operation: impl Fn(V::Element, V::Element) -> V::Element)
where
    V: ?Sized + Values,
{
    combine(Operation::CoReduce, values, operation, Location::caller());
}

/// Collective. As [`co_reduce`], but failed images do not end the job.
///
/// # Errors
/// The images of the current team that have failed, the same on all others; then the values are unspecified.
///
/// # Examples
/// ```
/// use coarray_collectives::try_co_reduce;
/// use coarray_fabric::run;
///
/// run(3, || assert_eq!(try_co_reduce(&mut 1, |a, b| a * b), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `co_reduce` with `stat`, clause 16.6.
#[track_caller]
pub fn try_co_reduce<V>(
    values: &mut V,
    operation: impl Fn(V::Element, V::Element) -> V::Element,
) -> Result<(), ImageFailed>
where
    V: ?Sized + Values,
{
    try_combine(Operation::CoReduce, values, operation, Location::caller())
}

pub(crate) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

pub(crate) fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// Combines the values of all images; failed images end the job.
fn combine<V: ?Sized + Values>(
    operation: Operation,
    values: &mut V,
    join: impl Fn(V::Element, V::Element) -> V::Element,
    caller: &'static Location<'static>,
) {
    let team = Team::current();
    let values = values.elements_mut();
    let call = Call::on_values::<V::Element>(operation, values.len(), 0, caller);
    if let Err(failed) = combine_in(&team, &call, values, join) {
        team.fail_because(&failed, &call.describe(&team));
    }
}

/// Combines the values of all images; failed images are an error.
fn try_combine<V: ?Sized + Values>(
    operation: Operation,
    values: &mut V,
    join: impl Fn(V::Element, V::Element) -> V::Element,
    caller: &'static Location<'static>,
) -> Result<(), ImageFailed> {
    let values = values.elements_mut();
    let call = Call::on_values::<V::Element>(operation, values.len(), 0, caller);
    combine_in(&Team::current(), &call, values, join)
}

fn combine_in<T: Remote>(
    team: &Team,
    call: &Call,
    values: &mut [T],
    join: impl Fn(T, T) -> T,
) -> Result<(), ImageFailed> {
    for (number, chunk) in chunks(values).enumerate() {
        let mut turn = Turn::begin(team, call, number);
        turn.write(0, chunk);
        turn.meet()?;
        if size_of_val(chunk) <= FEW_BYTES {
            fold(&turn, team, 0..chunk.len(), chunk, &join);
        } else {
            combine_by_shares(&mut turn, team, chunk, &join)?;
        }
    }
    Ok(())
}

fn combine_by_shares<T: Remote>(
    turn: &mut Turn<'_>,
    team: &Team,
    chunk: &mut [T],
    join: &impl Fn(T, T) -> T,
) -> Result<(), ImageFailed> {
    let share = |image_index: usize| {
        let length = chunk.len();
        length * image_index / team.images()..length * (image_index + 1) / team.images()
    };
    let mine = share(team.index());
    let shares: Vec<Range<usize>> = (0..team.images()).map(share).collect();
    fold(turn, team, mine.clone(), &mut chunk[mine.clone()], join);
    // Only this image reads its share of its own half before the second meeting.
    turn.write(mine.start, &chunk[mine]);
    turn.meet()?;
    for (owner, share) in shares.into_iter().enumerate() {
        // SAFETY: the owner wrote its share before this meeting and writes no more in this turn.
        let combined = unsafe { turn.read(owner, share.start, share.len()) };
        chunk[share].copy_from_slice(combined);
    }
    Ok(())
}

/// Combines elements `range` of all images into `result`.
fn fold<T: Remote>(
    turn: &Turn<'_>,
    team: &Team,
    range: Range<usize>,
    result: &mut [T],
    join: &impl Fn(T, T) -> T,
) {
    for from in 0..team.images() {
        // SAFETY: each image wrote all its elements before the meeting; in this turn it writes again only
        // the share that nobody but itself reads here.
        let values = unsafe { turn.read::<T>(from, range.start, range.len()) };
        if from == 0 {
            result.copy_from_slice(values);
        } else {
            for (result, value) in result.iter_mut().zip(values) {
                *result = join(*result, *value);
            }
        }
    }
}
