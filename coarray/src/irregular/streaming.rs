//! Whole phases of a conveyor in one call: what is sent is an iterator, and what comes goes to a closure.

use std::convert::Infallible;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use super::conveyor::Conveyor;
use super::open_conveyor::OpenConveyor;
use super::waiting::{try_wait, wait};

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
        receive: impl FnMut(usize, T),
    ) {
        let caller = Location::caller();
        let Ok(()) = stream(self.open(), items, receive, |open| {
            Ok::<_, Infallible>(wait(&mut [open], caller))
        });
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
        receive: impl FnMut(usize, T),
    ) -> Result<(), ImageFailed> {
        let caller = Location::caller();
        stream(self.try_open()?, items, receive, |open| {
            try_wait(&mut [open], caller)
        })
    }
}

/// Pushes all items, and pulls until all images have; `wait` waits for room, or for something to pull.
#[track_caller]
fn stream<T: Remote, E>(
    mut open: OpenConveyor<'_, T>,
    items: impl IntoIterator<Item = (usize, T)>,
    mut receive: impl FnMut(usize, T),
    wait: impl Fn(&mut OpenConveyor<'_, T>) -> Result<bool, E>,
) -> Result<(), E> {
    for (image, item) in items {
        while open.push(image, item).is_err() {
            wait(&mut open)?;
            open.pull_all(&mut receive);
        }
    }
    open.finish();
    while wait(&mut open)? {
        open.pull_all(&mut receive);
    }
    Ok(())
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
        let caller = Location::caller();
        let Ok(()) = stream_runs(self.open(), items, receive, |open| {
            Ok::<_, Infallible>(wait(&mut [open], caller))
        });
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
        let caller = Location::caller();
        stream_runs(self.try_open()?, items, receive, |open| {
            try_wait(&mut [open], caller)
        })
    }
}

/// As [`stream`], of runs.
#[track_caller]
fn stream_runs<T: Remote, E>(
    mut open: OpenConveyor<'_, [T]>,
    items: impl IntoIterator<Item = (usize, impl AsRef<[T]>)>,
    mut receive: impl FnMut(usize, &[T]),
    wait: impl Fn(&mut OpenConveyor<'_, [T]>) -> Result<bool, E>,
) -> Result<(), E> {
    let mut run = Vec::new();
    let mut pull_all = |open: &mut OpenConveyor<'_, [T]>| {
        while let Some(source) = open.pull_into(&mut run) {
            receive(source, &run);
        }
    };
    for (image, item) in items {
        while open.push(image, item.as_ref()).is_err() {
            wait(&mut open)?;
            pull_all(&mut open);
        }
    }
    open.finish();
    while wait(&mut open)? {
        pull_all(&mut open);
    }
    Ok(())
}
