//! Gets and puts of the items that a list names by their indices in the whole array.

use coarray_coref::{
    Access, AsyncScope, Cofuture, Coref, Listed, MayPut, Remote, gather_listed,
    gather_listed_async, scatter_direct, scatter_listed, scatter_listed_async,
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
        let apart = self.gather_direct(indices, target);
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
        let apart = self.gather_direct(indices, target);
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
        let apart = self.scatter_direct(indices, values);
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
        let apart = self.scatter_direct(indices, values);
        scatter_listed_async(apart, values)
    }

    /// Fetches the items that are direct; returns the others.
    #[track_caller]
    fn gather_direct(&self, indices: &[usize], target: &mut [T]) -> Vec<Listed<'a, T, A>> {
        self.check(indices, target.len());
        let Some(starts) = self.direct_starts(indices.len()) else {
            return self.apart(indices, target, |place, value| *value = place.get());
        };
        for (&index, value) in indices.iter().zip(target) {
            let (image, index) = self.division.locate(index);
            // SAFETY: the index was checked. So there are such an image and such an item of its part, which is direct; this is its place.
            let place = unsafe {
                let start = starts.get_unchecked(image);
                Coref::<T, A>::new(start + index * size_of::<T>(), image, 1, true)
            };
            *value = place.get();
        }
        Vec::new()
    }

    /// Stores the values of the items that are direct; returns the others.
    #[track_caller]
    fn scatter_direct(&self, indices: &[usize], values: &[T]) -> Vec<Listed<'a, T, A>>
    where
        A: MayPut,
    {
        self.check(indices, values.len());
        let Some(starts) = self.direct_starts(indices.len()) else {
            return self.apart(indices, values, |place, &value| place.put(value));
        };
        let address = |index| {
            let (image, index) = self.division.locate(index);
            // SAFETY: all indices were checked, so there is such an image.
            let start = unsafe { starts.get_unchecked(image) };
            start + index * size_of::<T>()
        };
        // SAFETY: all indices were checked. So each names an item of a part that is direct, which is at this address; nobody holds a reference
        // to it, as the contract of `Coref::new` says.
        unsafe { scatter_direct(indices, values, address) };
        Vec::new()
    }

    /// Does with each item that is direct what is to be done with it and its value; returns the others.
    #[inline]
    fn apart<V>(
        &self,
        indices: &[usize],
        values: impl IntoIterator<Item = V>,
        mut direct: impl FnMut(&'a Coref<T, A>, V),
    ) -> Vec<Listed<'a, T, A>> {
        let mut apart = Vec::new();
        for ((position, &index), value) in indices.iter().enumerate().zip(values) {
            let place = self.item(index);
            if place.is_direct() {
                direct(place, value);
            } else {
                apart.push(Listed { place, position });
            }
        }
        apart
    }

    /// The addresses of all images' parts if all are direct, and a list of so many indices is worth it.
    fn direct_starts(&self, indices: usize) -> Option<Vec<usize>> {
        let images = self.parts.team().images();
        let parts = (0..images).map(|image| self.parts.part(image));
        let start = |part: &Coref<[T], A>| part.is_direct().then(|| part.local_address());
        (images <= indices).then(|| parts.map(start).collect())?
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
