//! Loops of atomic additions at scattered places, in few transfers.

use std::panic::Location;
use std::thread;

use coarray_coref::{Access, Coref};
use coarray_fabric::attribute_to;
use coarray_sync::{Coatomic, CoatomicList, CoatomicPlace, Number};

use super::batches::Batches;

/// Atomic additions to scattered coatomics, which travel together.
///
/// Where a coatomic is [direct](Coref::is_direct), an addition is done at once: nothing is faster. Others wait until there are 1024 for their
/// image, or until [`flush`](Self::flush) or the end: then they go by [`add_at_async`](CoatomicList::add_at_async), and are complete after `quiet`
/// or the next barrier. If the aggregator is leaked, or dropped by a panic, those that wait are not done.
///
/// # Examples
/// `bins.at(image)[bin].add(1)` in a loop becomes this:
/// ```
/// use coarray::irregular::Adds;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let bins = Coarray::<[Coatomic<u64>]>::from_fn(100, |_| Coatomic::new(0));
///     let mut adds = Adds::new(|image| bins.at(image));
///     for sample in 0..600 {
///         adds.add(sample % 3, sample / 3 % 100, 1);
///     }
///     drop(adds);
///     sync_all();
///     assert!(bins.iter().all(|bin| bin.load() == 6));
/// });
/// ```
///
/// # Source
/// Aggregated atomic operations, as of Chapel's module `CopyAggregation` for copies; histogram of *bale*.
pub struct Adds<'a, T, A, F>
where
    T: Number,
    A: Access,
    F: Fn(usize) -> &'a Coref<[Coatomic<T>], A>,
{
    places: F,
    waiting: Batches<T>,
    /// Where it was made: what is left at the end is added there.
    made: &'static Location<'static>,
}

impl<'a, T, A, F> Adds<'a, T, A, F>
where
    T: Number,
    A: Access,
    F: Fn(usize) -> &'a Coref<[Coatomic<T>], A>,
{
    /// Local. An aggregator of additions to coatomics that `places` returns for each image, always the same.
    ///
    /// # Examples
    /// See [`Adds`].
    ///
    /// # Source
    /// As [`Adds`].
    #[track_caller]
    pub fn new(places: F) -> Self {
        Self {
            places,
            waiting: Batches::new(),
            made: Location::caller(),
        }
    }

    /// One-sided. Adds `value` to coatomic `index` of the place on `image`, now or later, wrapping around.
    ///
    /// # Panics
    /// If there is no such image or coatomic.
    ///
    /// # Examples
    /// See [`Adds`].
    ///
    /// # Source
    /// As [`Adds`].
    #[inline]
    #[track_caller]
    pub fn add(&mut self, image: usize, index: usize, value: T) {
        let item = &(self.places)(image)[index];
        match item.is_direct() {
            true => item.add(value),
            false => self.wait(image, index, value),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn wait(&mut self, image: usize, index: usize, value: T) {
        if let Some((indices, values)) = self.waiting.push(image, index, value) {
            (self.places)(image).add_at_async(&indices, &values);
        }
    }

    /// One-sided. Sends what waits: `quiet` or a barrier completes it then.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Adds;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let loads = Coarray::<[Coatomic<f64>]>::from_fn(4, |_| Coatomic::new(0.0));
    ///     let mut adds = Adds::new(|image| loads.at(image));
    ///     adds.add(1 - this_image(), 3, 0.5);
    ///     adds.flush();
    ///     sync_all();
    ///     assert_eq!(loads[3].load(), 0.5);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Adds`].
    #[track_caller]
    pub fn flush(&mut self) {
        for (image, (indices, values)) in self.waiting.take() {
            (self.places)(image).add_at_async(&indices, &values);
        }
    }
}

impl<'a, T, A, F> Drop for Adds<'a, T, A, F>
where
    T: Number,
    A: Access,
    F: Fn(usize) -> &'a Coref<[Coatomic<T>], A>,
{
    fn drop(&mut self) {
        if !thread::panicking() {
            let _at = attribute_to(self.made);
            self.flush();
        }
    }
}
