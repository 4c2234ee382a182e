//! Whole phases of a conveyor in one call: what is sent is an iterator, and what comes goes to a closure.

use std::convert::Infallible;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use super::conveyor::Conveyor;
use super::open_conveyor::OpenConveyor;
use super::waiting::{Conveying, try_wait, wait};

impl<T: Remote> Conveyor<T> {
    /// Collective. Sends each of `items` to the image it is for, an index in the team, and calls `receive` for each that comes for this image, with
    /// the image that sent it. Returns when all images have sent all, and all that came here was received.
    ///
    /// `receive` is called in between, as items come, and before this image waits. It may push to other conveyors, but these cannot
    /// wait together with this one; see [`wait_any`](super::wait_any).
    ///
    /// # Panics
    /// As [`open`](Self::open); if there is no image with that index.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let mut conveyor = Conveyor::<f64>::new();
    ///     let mut loads = vec![0.0; num_images()];
    ///     for step in 1..=3 {
    ///         // As many items as this image wants, in each step.
    ///         let items = (0..this_image() * step).map(|i| (i % 4, 0.5));
    ///         conveyor.convey(items, |source, load| loads[source] += load);
    ///     }
    ///     assert_eq!(loads[0], 0.0); // image 0 sent nothing
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Conveyor`].
    #[track_caller]
    pub fn convey(
        &mut self,
        items: impl IntoIterator<Item = (usize, T)>,
        mut receive: impl FnMut(usize, T),
    ) {
        let pull = |open: &mut OpenConveyor<'_, T>| open.pull_all(&mut receive);
        let Ok(()) = self.open().convey(items, pull, or_end_job());
    }

    /// Collective. As [`convey`](Self::convey), with as many items at a time as have come from an image and lie side by side, in the order in which
    /// they were pushed. Faster where the work for an item is short.
    ///
    /// # Panics
    /// As [`convey`](Self::convey).
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut conveyor = Conveyor::<u32>::new();
    ///     let (images, mut sum, mut largest) = (num_images(), 0, 0);
    ///     let items = (0..3000_u32).map(|i| (i as usize % images, i));
    ///     conveyor.convey_slices(items, |_source, items| {
    ///         sum += items.iter().sum::<u32>();
    ///         largest = items.iter().copied().max().map_or(largest, |item| item.max(largest));
    ///     });
    ///     assert_eq!(largest, 2997 + this_image() as u32);
    ///     co_sum(&mut sum);
    ///     assert_eq!(sum, 3 * (2999 * 3000 / 2));
    /// });
    /// ```
    ///
    /// # Source
    /// Its own.
    #[track_caller]
    pub fn convey_slices(
        &mut self,
        items: impl IntoIterator<Item = (usize, T)>,
        mut receive: impl FnMut(usize, &[T]),
    ) {
        let pull = |open: &mut OpenConveyor<'_, T>| open.pull_slices(&mut receive);
        let Ok(()) = self.open().convey(items, pull, or_end_job());
    }

    /// Collective. As [`convey`](Self::convey), but failed images do not end the job.
    ///
    /// # Errors
    /// Images of the conveyor's team that have failed, or stopped. Other images may have all that was sent to them, and no error. What came before
    /// was received; what comes after can be lost, as of [`OpenConveyor::try_wait`].
    ///
    /// # Panics
    /// As [`convey`](Self::convey).
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<usize>::new();
    ///     let mut sum = 0;
    ///     let items = (0..100).map(|item| (item % 2, item));
    ///     if let Err(failed) = conveyor.try_convey(items, |_, item| sum += item) {
    ///         panic!("{failed}: here the program would form a team of the survivors");
    ///     }
    ///     assert_eq!(sum, 2 * (49 * 50 + 50 * this_image()));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`convey`](Self::convey); failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_convey(
        &mut self,
        items: impl IntoIterator<Item = (usize, T)>,
        mut receive: impl FnMut(usize, T),
    ) -> Result<(), ImageFailed> {
        let pull = |open: &mut OpenConveyor<'_, T>| open.pull_all(&mut receive);
        self.try_open()?.convey(items, pull, or_fail())
    }

    /// Collective. As [`convey_slices`](Self::convey_slices), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`try_convey`](Self::try_convey).
    ///
    /// # Panics
    /// As [`convey`](Self::convey).
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<usize>::new();
    ///     let mut count = 0;
    ///     let items = (0..100).map(|item| (item % 2, item));
    ///     let sent = conveyor.try_convey_slices(items, |_source, items| count += items.len());
    ///     assert_eq!((sent, count), (Ok(()), 100));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`try_convey`](Self::try_convey).
    #[track_caller]
    pub fn try_convey_slices(
        &mut self,
        items: impl IntoIterator<Item = (usize, T)>,
        mut receive: impl FnMut(usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let pull = |open: &mut OpenConveyor<'_, T>| open.pull_slices(&mut receive);
        self.try_open()?.convey(items, pull, or_fail())
    }
}

impl<T: Remote> Conveyor<[T]> {
    /// Collective. As [`convey`](Conveyor::convey), for runs of values.
    ///
    /// # Panics
    /// As [`convey`](Conveyor::convey); if a run has 2^32 values or more.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut conveyor = Conveyor::<[u8]>::new();
    ///     let words = ["to", "whom", "it", "may", "concern"];
    ///     let mut bytes = 0;
    ///     // By their length, say.
    ///     conveyor.convey(words.map(|word| (word.len() % 3, word.as_bytes())), |_, word| bytes += word.len());
    ///     co_sum(&mut bytes);
    ///     assert_eq!(bytes, 3 * 18);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Conveyor`]; the elastic conveyors of *bale*.
    #[track_caller]
    pub fn convey(
        &mut self,
        items: impl IntoIterator<Item = (usize, impl AsRef<[T]>)>,
        receive: impl FnMut(usize, &[T]),
    ) {
        let Ok(()) = self.open().convey(items, pull_runs(receive), or_end_job());
    }

    /// Collective. As [`convey`](Self::convey), but failed images do not end the job.
    ///
    /// # Errors
    /// As of single items, [`Conveyor::try_convey`].
    ///
    /// # Panics
    /// As [`convey`](Self::convey).
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<[u8]>::new();
    ///     let mut came = Vec::new();
    ///     let sent = conveyor.try_convey([(1 - this_image(), b"hello")], |_, word| came.extend(word));
    ///     assert_eq!((sent, came.as_slice()), (Ok(()), &b"hello"[..]));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`convey`](Self::convey).
    #[track_caller]
    pub fn try_convey(
        &mut self,
        items: impl IntoIterator<Item = (usize, impl AsRef<[T]>)>,
        receive: impl FnMut(usize, &[T]),
    ) -> Result<(), ImageFailed> {
        self.try_open()?
            .convey(items, pull_runs(receive), or_fail())
    }
}

/// Pulls all runs that are there.
fn pull_runs<T: Remote>(
    mut receive: impl FnMut(usize, &[T]),
) -> impl FnMut(&mut OpenConveyor<'_, [T]>) {
    let mut run = Vec::new();
    move |open| {
        while let Some(source) = open.pull_into(&mut run) {
            receive(source, &run);
        }
    }
}

/// Waits; failed images end the job.
#[track_caller]
fn or_end_job<C: Conveying>() -> impl Fn(&mut C) -> Result<bool, Infallible> {
    let caller = Location::caller();
    move |open| Ok(wait(&mut [open], caller))
}

/// Waits; failed images are an error.
#[track_caller]
fn or_fail<C: Conveying>() -> impl Fn(&mut C) -> Result<bool, ImageFailed> {
    let caller = Location::caller();
    move |open| try_wait(&mut [open], caller)
}
