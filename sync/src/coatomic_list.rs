//! Atomic operations on the coatomics that a list of indices names: `x.at(2).add_at(&indices, &values)`.

use coarray_coref::{
    Access, Atomic as _, AtomicBits as _, AtomicCell as _, AtomicNumber as _, Coref, ListOperation,
    Remote,
};
use coarray_fabric::{AtomicOperation as On, Deferral};

use crate::coatomic::{Bits, Coatomic, Number, RemoteCell, note_change_of};
use crate::coatomic_place::{CoatomicPlace, operate_at_once};

/// The operations of [`Coatomic`]s that a list of indices names: `x.at(2).add_at(&indices, &values)`.
///
/// An index may come more than once: each of its values counts. Each item is changed atomically; the list as a whole is not, and its
/// items are changed in any order. Where all images share memory this is a loop of instructions. Between nodes all operations are on
/// their way at the same time, and values for the same item are combined before: sums of floats may be rounded in another order.
///
/// The forms with `_async` return when the values may be changed. What is left to do is complete at the next
/// [`fence`](fn@crate::fence) of the image, [`quiet`](fn@crate::quiet), [`image_fence`](crate::image_fence) or barrier, and before
/// later operations of this image on the same coatomics. `testing::Explore` has some items change as late as that.
///
/// # Examples
/// A histogram that is divided among the images:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let bins = Coarray::<[Coatomic<u32>]>::from_fn(10, |_| Coatomic::new(0));
///     bins.at(1).add_at(&[7, 9, 7], &[1, 1, 1]);
///     sync_all();
///     assert_eq!((bins.at(1)[7].load(), bins.at(1)[9].load()), (4, 2)); // of both images
/// });
/// ```
///
/// # Source
/// `MPI_Accumulate` with `MPI_Type_create_indexed_block`, MPI 3.1 sections 4.1.2 and 11.3.4; `numpy.add.at`.
pub trait CoatomicList<T: Remote> {
    /// Applies an operation to each item, and completes it if it is to.
    #[doc(hidden)]
    fn update_at(
        &self,
        indices: &[usize],
        values: &[T],
        by_instruction: impl Fn(&T::Cell, T) -> T + Copy + Send + 'static,
        by_fabric: impl Fn(&RemoteCell<T>, T),
        on_word: Option<fn(T) -> On<T>>,
        completes: bool,
    );

    /// One-sided. Adds each value to the item that its index names, wrapping around.
    ///
    /// # Panics
    /// If the lengths differ, or an index is out of bounds: the message names its position in the list. Then nothing is changed.
    ///
    /// # Examples
    /// See [`CoatomicList`].
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn add_at(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        add(self, indices, values, true);
    }

    /// One-sided. Replaces each item that an index names by its value if that is smaller. A number is preferred to `NaN`.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let distance = Coarray::<[Coatomic<f64>]>::from_fn(3, |_| Coatomic::new(f64::INFINITY));
    ///     distance.at(0).min_at(&[2, 0, 2], &[0.5, 1.0 + this_image() as f64, 7.0]);
    ///     sync_all();
    ///     assert_eq!((distance.at(0)[0].load(), distance.at(0)[2].load()), (1.0, 0.5));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn min_at(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        min(self, indices, values, true);
    }

    /// One-sided. Replaces each item that an index names by its value if that is larger. A number is preferred to `NaN`.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`min_at`](Self::min_at).
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn max_at(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        max(self, indices, values, true);
    }

    /// One-sided. Clears, in each item that an index names, the bits that its value does not have.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`or_at`](Self::or_at).
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn and_at(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        and(self, indices, values, true);
    }

    /// One-sided. Sets, in each item that an index names, the bits that its value has.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// A Bloom filter:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let filter = Coarray::<[Coatomic<u64>]>::from_fn(8, |_| Coatomic::new(0));
    ///     let hashes = [77_usize, 300, 401].map(|hash| hash % 512);
    ///     filter.at(1).or_at(&hashes.map(|hash| hash / 64), &hashes.map(|hash| 1 << (hash % 64)));
    ///     sync_all();
    ///     assert_eq!(filter.at(1)[1].load(), 1 << 13);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn or_at(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        or(self, indices, values, true);
    }

    /// One-sided. Flips, in each item that an index names, the bits that its value has.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`or_at`](Self::or_at).
    ///
    /// # Source
    /// As [`CoatomicList`]; RandomAccess of the HPC Challenge.
    #[track_caller]
    fn xor_at(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        xor(self, indices, values, true);
    }

    /// One-sided. Begins [`add_at`](Self::add_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let degrees = Coarray::<[Coatomic<u64>]>::from_fn(4, |_| Coatomic::new(0));
    ///     for image in 0..3 {
    ///         degrees.at(image).add_at_async(&[3, 1, 3], &[1; 3]); // all images at once
    ///     }
    ///     sync_all();
    ///     assert_eq!((degrees[1].load(), degrees[3].load()), (3, 6));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`CoatomicList`].
    #[track_caller]
    fn add_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        add(self, indices, values, false);
    }

    /// One-sided. Begins [`min_at`](Self::min_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`add_at_async`](Self::add_at_async).
    #[track_caller]
    fn min_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        min(self, indices, values, false);
    }

    /// One-sided. Begins [`max_at`](Self::max_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`add_at_async`](Self::add_at_async).
    #[track_caller]
    fn max_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Number,
    {
        max(self, indices, values, false);
    }

    /// One-sided. Begins [`and_at`](Self::and_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`add_at_async`](Self::add_at_async).
    #[track_caller]
    fn and_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        and(self, indices, values, false);
    }

    /// One-sided. Begins [`or_at`](Self::or_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`add_at_async`](Self::add_at_async).
    #[track_caller]
    fn or_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        or(self, indices, values, false);
    }

    /// One-sided. Begins [`xor_at`](Self::xor_at), of values that are copied first.
    ///
    /// # Panics
    /// As [`add_at`](Self::add_at).
    ///
    /// # Examples
    /// See [`add_at_async`](Self::add_at_async).
    #[track_caller]
    fn xor_at_async(&self, indices: &[usize], values: &[T])
    where
        T: Bits,
    {
        xor(self, indices, values, false);
    }
}

/// A function for each operation, from its name for a cell and the operation of a fabric, if it may have one.
macro_rules! operations {
    ($($name:ident for $values:ident: $operation:ident, $on_word:expr;)*) => { $(
        #[inline]
        #[track_caller]
        fn $name<T: $values, L: CoatomicList<T> + ?Sized>(
            list: &L,
            indices: &[usize],
            values: &[T],
            completes: bool,
        ) {
            list.update_at(
                indices,
                values,
                |cell, value| cell.$operation(value),
                |cell, value| _ = cell.$operation(value),
                $on_word,
                completes,
            );
        }
    )* };
}

operations! {
    add for Number: fetch_add, Some(On::Add);
    min for Number: fetch_min, None;
    max for Number: fetch_max, None;
    and for Bits: fetch_and, Some(On::And);
    or for Bits: fetch_or, Some(On::Or);
    xor for Bits: fetch_xor, Some(On::Xor);
}

impl<T: Remote, A: Access> CoatomicList<T> for Coref<[Coatomic<T>], A> {
    #[inline]
    #[track_caller]
    fn update_at(
        &self,
        indices: &[usize],
        values: &[T],
        by_instruction: impl Fn(&T::Cell, T) -> T + Copy + Send + 'static,
        by_fabric: impl Fn(&RemoteCell<T>, T),
        on_word: Option<fn(T) -> On<T>>,
        completes: bool,
    ) {
        self.check_indices(indices, values.len());
        let combine = |old, value| {
            let cell = T::Cell::new(old);
            by_instruction(&cell, value);
            cell.load()
        };
        // A waker of what this completes runs when all are done.
        let _wakers = (!self.is_direct()).then(Deferral::new);
        let is_far = !self.is_direct() && !indices.is_empty();
        let is_done = is_far
            && operate_at_once(&self[0], indices.len(), |first| {
                let Some(first) = first.in_word() else {
                    return false;
                };
                let (stride, operation) =
                    (size_of::<T::Cell>(), ListOperation { combine, on_word });
                // SAFETY: all indices were checked, and there is a value for each. The items are cells, as a coatomic is
                // transparent over one.
                unsafe { first.update_list(stride, indices, values, &operation) };
                if completes {
                    first.complete();
                }
                true
            });
        if is_done {
            return;
        }
        for (&index, &value) in indices.iter().zip(values) {
            let item = &self[index];
            let by_instruction = move |cell: &T::Cell| {
                let old = by_instruction(cell, value);
                note_change_of(cell);
                old
            };
            // SAFETY: any thread may call it, and has a value of `T`.
            if completes || unsafe { item.delay(true, false, by_instruction) }.is_none() {
                item.operate(
                    true,
                    |cell| _ = by_instruction(cell),
                    |cell| by_fabric(cell, value),
                );
            }
        }
    }
}
