//! Loops of small gets and puts at scattered places, in few transfers.

use std::panic::Location;
use std::thread;

use coarray_coref::{Access, Coref, MayPut, Remote};
use coarray_fabric::attribute_to;

use super::batches::Batches;

/// Puts of values at scattered places of a coarray, which travel together.
///
/// Where a place is [direct](Coref::is_direct), a put is done at once: nothing is faster. Others wait until there are 1024 for their image, or
/// until [`flush`](Self::flush) or the end: then they go by [`scatter_to`](Coref::scatter_to). From then on they are puts as any others. Of
/// several to one place the last one stays. If the aggregator is leaked, or dropped by a panic, those that wait are not done.
///
/// # Examples
/// `x.at(image)[index].put(value)` in a loop becomes this:
/// ```
/// use coarray::irregular::Puts;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[usize]>::zeroed(100);
///     {
///         let x = x.open();
///         let mut puts = Puts::new(|image| x.at(image));
///         for i in (this_image()..300).step_by(num_images()) {
///             puts.put(i % 3, i / 3, i);
///         }
///     } // the puts travel, and the phase ends
///     assert!(x.iter().enumerate().all(|(place, &value)| value == 3 * place + this_image()));
/// });
/// ```
///
/// # Source
/// `DstAggregator` of Chapel's module `CopyAggregation`.
pub struct Puts<'a, T, A, F>
where
    T: Remote,
    A: MayPut,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    places: F,
    waiting: Batches<T>,
    /// Where it was made: what is left at the end is put there.
    made: &'static Location<'static>,
}

impl<'a, T, A, F> Puts<'a, T, A, F>
where
    T: Remote,
    A: MayPut,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    /// Local. An aggregator of puts to places that `places` returns for each image, always the same.
    ///
    /// # Examples
    /// See [`Puts`].
    ///
    /// # Source
    /// As [`Puts`].
    #[track_caller]
    pub fn new(places: F) -> Self {
        Self {
            places,
            waiting: Batches::new(),
            made: Location::caller(),
        }
    }

    /// One-sided. Stores `value` in item `index` of the place on `image`, now or later.
    ///
    /// # Panics
    /// If there is no such image or item.
    ///
    /// # Examples
    /// See [`Puts`].
    ///
    /// # Source
    /// As [`Puts`].
    #[inline]
    #[track_caller]
    pub fn put(&mut self, image: usize, index: usize, value: T) {
        let item = &(self.places)(image)[index];
        match item.is_direct() {
            true => item.put(value),
            false => self.add(image, index, value),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn add(&mut self, image: usize, index: usize, value: T) {
        if let Some((indices, values)) = self.waiting.push(image, index, value) {
            (self.places)(image).scatter_to(&indices, &values);
        }
    }

    /// One-sided. Puts what waits. It is visible to others when the puts of this image are.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Puts;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[i32]>::zeroed(10);
    ///     let x = x.open();
    ///     let mut puts = Puts::new(|image| x.at(image));
    ///     puts.put(1 - this_image(), 4, 7);
    ///     puts.flush();
    ///     sync_all();
    ///     assert_eq!(x.here()[4].get(), 7);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Puts`].
    #[track_caller]
    pub fn flush(&mut self) {
        for (image, (indices, values)) in self.waiting.take() {
            (self.places)(image).scatter_to(&indices, &values);
        }
    }
}

impl<'a, T, A, F> Drop for Puts<'a, T, A, F>
where
    T: Remote,
    A: MayPut,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    fn drop(&mut self) {
        if !thread::panicking() {
            let _at = attribute_to(self.made);
            self.flush();
        }
    }
}

/// Gets of values at scattered places of a coarray, which travel together.
///
/// Where a place is [direct](Coref::is_direct), a get is done at once: nothing is faster. Others wait until there are 1024 from their image, or
/// until the aggregator is dropped: then they come by [`gather_from`](Coref::gather_from). Until then their targets are borrowed, and have their
/// old values; if the aggregator is leaked, or dropped by a panic, they keep them.
///
/// # Examples
/// `*value = x.at(image)[index].get()` in a loop becomes this:
/// ```
/// use coarray::irregular::Gets;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[usize]>::from_fn(100, |place| 3 * place + this_image());
///     let x = x.publish();
///     let mut values = [0; 50];
///     let mut gets = Gets::new(|image| x.at(image));
///     for (i, value) in values.iter_mut().enumerate() {
///         let global = i * 7 % 300;
///         gets.get(global % 3, global / 3, value);
///     }
///     drop(gets); // now they are there
///     assert!(values.iter().enumerate().all(|(i, &value)| value == i * 7 % 300));
/// });
/// ```
///
/// # Source
/// `SrcAggregator` of Chapel's module `CopyAggregation`.
pub struct Gets<'a, 'target, T, A, F>
where
    T: Remote,
    A: Access,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    places: F,
    waiting: Batches<&'target mut T>,
    /// Where it was made: what is left at the end is fetched there.
    made: &'static Location<'static>,
}

impl<'a, 'target, T, A, F> Gets<'a, 'target, T, A, F>
where
    T: Remote,
    A: Access,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    /// Local. An aggregator of gets from places that `places` returns for each image, always the same.
    ///
    /// # Examples
    /// See [`Gets`].
    ///
    /// # Source
    /// As [`Gets`].
    #[track_caller]
    pub fn new(places: F) -> Self {
        Self {
            places,
            waiting: Batches::new(),
            made: Location::caller(),
        }
    }

    /// One-sided. Fetches item `index` of the place on `image` into `target`, now or later.
    ///
    /// # Panics
    /// If there is no such image or item; as [`Coref::get`].
    ///
    /// # Examples
    /// See [`Gets`].
    ///
    /// # Source
    /// As [`Gets`].
    #[inline]
    #[track_caller]
    pub fn get(&mut self, image: usize, index: usize, target: &'target mut T) {
        let item = &(self.places)(image)[index];
        match item.is_direct() {
            true => *target = item.get(),
            false => self.add(image, index, target),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn add(&mut self, image: usize, index: usize, target: &'target mut T) {
        if let Some((indices, targets)) = self.waiting.push(image, index, target) {
            fetch((self.places)(image), &indices, targets);
        }
    }

    /// One-sided. Fetches what waits, as dropping the aggregator does: all targets have their values then.
    ///
    /// # Panics
    /// As [`Coref::get`].
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Gets;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[char]>::from_fn(2, |i| if i == this_image() { 'a' } else { 'b' });
    ///     let x = x.open();
    ///     let mut own = ['?'; 2];
    ///     let mut gets = Gets::new(|image| x.at(image));
    ///     for (image, target) in own.iter_mut().enumerate() {
    ///         gets.get(image, image, target);
    ///     }
    ///     gets.finish();
    ///     assert_eq!(own, ['a'; 2]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Gets`].
    pub fn finish(self) {}

    #[track_caller]
    fn flush(&mut self) {
        for (image, (indices, targets)) in self.waiting.take() {
            fetch((self.places)(image), &indices, targets);
        }
    }
}

impl<'a, T, A, F> Drop for Gets<'a, '_, T, A, F>
where
    T: Remote,
    A: Access,
    F: Fn(usize) -> &'a Coref<[T], A>,
{
    fn drop(&mut self) {
        if !thread::panicking() {
            let _at = attribute_to(self.made);
            self.flush();
        }
    }
}

/// Fetches the items that `indices` name, each into its target.
#[track_caller]
fn fetch<T: Remote, A: Access>(place: &Coref<[T], A>, indices: &[usize], targets: Vec<&mut T>) {
    let mut values: Vec<T> = targets.iter().map(|target| **target).collect();
    place.gather_from(indices, &mut values);
    for (target, value) in targets.into_iter().zip(values) {
        *target = value;
    }
}
