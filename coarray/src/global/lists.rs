//! Gets and puts of the items that a list names by their indices in the whole array.

use coarray_coref::{
    Access, AsyncScope, Cofuture, Coref, Listed, MayPut, Remote, gather_listed,
    gather_listed_async, scatter_listed, scatter_listed_async,
};

use super::{Division, Global};
use crate::parts::Parts;

impl<'a, T, A, X, D> Global<X, D>
where
    T: Remote,
    A: Access,
    X: Parts<Part = &'a Coref<[T], A>>,
    D: Division,
{
    /// One-sided. Fetches the items that `indices` name, in their order, into `target`. All images' items are on their way at the
    /// same time.
    ///
    /// # Panics
    /// If the lengths differ, or an index is out of bounds: the message names its position in the list. Then nothing is fetched. If
    /// bytes are no valid values, which can happen only if images wrote to the items at the same time.
    ///
    /// # Examples
    /// See [`GlobalIndices::global`](super::GlobalIndices::global).
    ///
    /// # Source
    /// As [`GlobalIndices`](super::GlobalIndices), and [`Coref::gather_from`].
    #[track_caller]
    pub fn gather_from(&self, indices: &[usize], target: &mut [T]) {
        self.check(indices, target.len());
        let apart = self.apart(indices, target.iter_mut(), |place, value| {
            *value = place.get()
        });
        if !apart.is_empty() {
            // SAFETY: the items of an image lie in its part.
            unsafe { gather_listed(apart, target) }
        }
    }

    /// One-sided. Begins to fetch the items that `indices` name into `target`. The target is borrowed until the scope ends;
    /// [`wait`](Cofuture::wait) gives it back earlier.
    ///
    /// # Panics
    /// As [`gather_from`](Self::gather_from).
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[usize]>::from_fn(10, |i| 10 * this_image() + i);
    ///     let x = x.open();
    ///     let mut values = [0; 3];
    ///     async_scope(|scope| {
    ///         let global = x.global();
    ///         let fetched = global.gather_from_async(&[3, 17, 4], &mut values, scope);
    ///         // ... compute something ...
    ///         assert_eq!(fetched.wait(), [3, 17, 4]);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coref::gather_from_async`].
    #[track_caller]
    pub fn gather_from_async<'scope>(
        &self,
        indices: &[usize],
        target: &'scope mut [T],
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut [T]> {
        self.check(indices, target.len());
        let apart = self.apart(indices, target.iter_mut(), |place, value| {
            *value = place.get()
        });
        // SAFETY: the items of an image lie in its part.
        unsafe { gather_listed_async(apart, target, scope) }
    }

    /// One-sided. Stores `values` in the items that `indices` name. If an index comes more than once, the last value stays. All
    /// images' items are on their way at the same time.
    ///
    /// # Panics
    /// If the lengths differ, or an index is out of bounds: the message names its position in the list. Then nothing is stored.
    ///
    /// # Examples
    /// A permutation of an array that all images have together:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let n = 3 * 5;
    ///     let mut x = Coarray::<[usize]>::zeroed(5);
    ///     {
    ///         let x = x.open();
    ///         let mine: Vec<usize> = (0..5).map(|i| 5 * this_image() + i).collect();
    ///         let places: Vec<usize> = mine.iter().map(|i| 7 * i % n).collect();
    ///         x.global().scatter_to(&places, &mine);
    ///     }
    ///     for (i, value) in x.iter().enumerate() {
    ///         assert_eq!(7 * value % n, 5 * this_image() + i);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`gather_from`](Self::gather_from).
    #[track_caller]
    pub fn scatter_to(&self, indices: &[usize], values: &[T])
    where
        A: MayPut,
    {
        self.check(indices, values.len());
        let apart = self.apart(indices, values.iter(), |place, &value| place.put(value));
        if !apart.is_empty() {
            // SAFETY: the items of an image lie in its part.
            unsafe { scatter_listed(apart, values) }
        }
    }

    /// One-sided. Begins to store `values`, which are copied first, in the items that `indices` name. If an index comes more than
    /// once, the last value stays.
    ///
    /// # Panics
    /// As [`scatter_to`](Self::scatter_to).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[u8]>::zeroed(2);
    ///     {
    ///         let x = x.open();
    ///         if this_image() == 0 {
    ///             drop(x.global().scatter_to_async(&[3, 0], &[7, 8])); // complete when the phase ends
    ///         }
    ///     }
    ///     assert_eq!(x[..], [[8, 0], [0, 7]][this_image()]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coref::scatter_to_async`].
    #[track_caller]
    pub fn scatter_to_async(&self, indices: &[usize], values: &[T]) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        self.check(indices, values.len());
        let apart = self.apart(indices, values.iter(), |place, &value| place.put(value));
        scatter_listed_async(apart, values)
    }

    /// The items that are not direct, with their positions. `direct` does with each of the others, and its value, what is to be done.
    #[inline]
    fn apart<V>(
        &self,
        indices: &[usize],
        values: impl Iterator<Item = V>,
        mut direct: impl FnMut(&'a Coref<T, A>, V),
    ) -> Vec<Listed<'a, T, A>> {
        let mut apart = Vec::new();
        // A long list finds the part of each image once.
        let images = self.parts.team().images();
        let known = if images <= indices.len() { images } else { 0 };
        let known: Vec<&Coref<[T], A>> = (0..known).map(|image| self.parts.part(image)).collect();
        for ((position, &index), value) in indices.iter().enumerate().zip(values) {
            let (image, index) = self.division.locate(index);
            let part = match known.get(image) {
                Some(part) => part,
                None => self.parts.part(image),
            };
            let place = &part[index];
            if place.is_direct() {
                direct(place, value);
            } else {
                apart.push(Listed { place, position });
            }
        }
        apart
    }

    #[inline]
    #[track_caller]
    fn check(&self, indices: &[usize], values: usize) {
        if indices.len() != values {
            lengths_differ(indices.len(), values);
        }
        // As in `Coref::gather_from`: the highest bit of this is set if an index is out of bounds.
        let last = self.len().wrapping_sub(1);
        let bits = indices
            .iter()
            .fold(0, |bits, &index| bits | index | last.wrapping_sub(index));
        if bits > usize::MAX / 2 {
            out_of_bounds(indices, self.len());
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn lengths_differ(indices: usize, values: usize) -> ! {
    panic!(
        "a list of {indices} indices does not fit {values} values: there is one value for each index"
    )
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(indices: &[usize], items: usize) -> ! {
    let position = indices.iter().position(|&index| index >= items);
    let position = position.unwrap_or_default();
    panic!(
        "index {} at position {position} of a list is out of bounds of the {items} items that the images have together",
        indices[position]
    )
}
