//! The forms of what waits for which failed images are an error, in place of the end of the job.

use std::panic::Location;

use coarray_coref::{Remote, Shape};
use coarray_runtime::ImageFailed;

use super::open_conveyor::OpenConveyor;
use super::waiting::{self, Conveying};

impl<T: ?Sized + Shape<Item: Remote>> OpenConveyor<'_, T> {
    /// Local. As [`wait`](Self::wait), but failed images do not end the job.
    ///
    /// # Errors
    /// Images of the conveyor's team that have failed, or stopped, and nothing is there. What others had sent for this image can be lost, and so can
    /// items that go by way of a third image: whoever has the error drops the guard, and makes a new conveyor of a team of the survivors. Dropping the guard
    /// does not wait then but for the survivors.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let mut conveyor = Conveyor::<u32>::new();
    ///     let mut open = conveyor.open();
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     open.finish();
    ///     open.try_wait().unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[1], [1]]);
    /// ```
    ///
    /// # Source
    /// As [`wait`](Self::wait); failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_wait(&mut self) -> Result<bool, ImageFailed> {
        waiting::try_wait(&mut [self], Location::caller())
    }
}

/// Local. As [`wait_any`](super::wait_any), but failed images do not end the job.
///
/// # Errors
/// As [`OpenConveyor::try_wait`].
///
/// # Panics
/// As [`wait_any`](super::wait_any).
///
/// # Examples
/// ```
/// use coarray::irregular::{Conveyor, try_wait_any};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut words = Conveyor::<[u8]>::new();
///     let mut numbers = Conveyor::<u64>::beside(&words);
///     let (mut words, mut numbers) = (words.open(), numbers.open());
///     numbers.push(1 - this_image(), 7).unwrap();
///     (words.finish(), numbers.finish());
///     let mut sum = 0;
///     while try_wait_any(&mut [&mut words, &mut numbers]).expect("all images go on") {
///         numbers.pull_all(|_, number| sum += number);
///     }
///     assert_eq!(sum, 7);
/// });
/// ```
///
/// # Source
/// As [`OpenConveyor::try_wait`].
#[track_caller]
pub fn try_wait_any(conveyors: &mut [&mut dyn Conveying]) -> Result<bool, ImageFailed> {
    waiting::check(conveyors);
    waiting::try_wait(conveyors, Location::caller())
}
