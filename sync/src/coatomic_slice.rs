//! All coatomics of a slice, loaded or stored in one call: `x.at(2).load_into(&mut values)`.

use coarray_coref::{Access, Atomic as _, Coref, ListOperation, Remote};
use coarray_fabric::{AtomicOperation as On, Deferral};

use crate::coatomic::Coatomic;
use crate::coatomic_place::CoatomicPlace;
use crate::coatomic_place::operate_at_once;

/// Loads and stores of all [`Coatomic`]s of a slice, here or on another image.
///
/// Each item is loaded or stored atomically; the slice as a whole is not, and its items come in any order. Where all images share
/// memory this is a loop of instructions. Between nodes all operations are on their way at the same time.
///
/// # Examples
/// Counts that all images change, and one image looks at:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let counts = Coarray::<[Coatomic<u32>]>::from_fn(4, |_| Coatomic::new(0));
///     (0..3).for_each(|image| counts.at(image)[this_image()].add(7));
///     sync_all();
///     assert_eq!(counts.load_vec(), [7, 7, 7, 0]); // this image's own
///     let mut theirs = [0; 2];
///     counts.at(2)[1..3].load_into(&mut theirs);
///     assert_eq!(theirs, [7, 7]);
///     sync_all();
///     if this_image() == 0 {
///         counts.at(1).store_from(&[1, 2, 3, 4]);
///     }
///     sync_all();
///     assert_eq!(counts.at(1).load_vec(), [1, 2, 3, 4]);
/// });
/// ```
///
/// # Source
/// `MPI_Get_accumulate` with `MPI_NO_OP` and `MPI_REPLACE` of several items, MPI 3.1 section 11.3.4.
pub trait CoatomicSlice<T: Remote> {
    /// One-sided. Loads all items into `target`; of one's own it is Local.
    ///
    /// # Panics
    /// If there are not as many.
    ///
    /// # Examples
    /// See [`CoatomicSlice`].
    ///
    /// # Source
    /// As [`CoatomicSlice`].
    #[track_caller]
    fn load_into(&self, target: &mut [T]);

    /// One-sided. Stores `values` in the items; in one's own it is Local.
    ///
    /// # Panics
    /// If there are not as many.
    ///
    /// # Examples
    /// See [`CoatomicSlice`].
    ///
    /// # Source
    /// As [`CoatomicSlice`].
    #[track_caller]
    fn store_from(&self, values: &[T]);

    /// One-sided. The values of all items; of one's own it is Local.
    ///
    /// # Examples
    /// See [`CoatomicSlice`].
    ///
    /// # Source
    /// As [`CoatomicSlice`].
    #[must_use]
    #[track_caller]
    fn load_vec(&self) -> Vec<T>;
}

impl<T: Remote> CoatomicSlice<T> for [Coatomic<T>] {
    #[inline]
    #[track_caller]
    fn load_into(&self, target: &mut [T]) {
        check_lengths(self.len(), target.len());
        for (value, coatomic) in target.iter_mut().zip(self) {
            *value = coatomic.load();
        }
    }

    #[inline]
    #[track_caller]
    fn store_from(&self, values: &[T]) {
        check_lengths(self.len(), values.len());
        for (&value, coatomic) in values.iter().zip(self) {
            coatomic.store(value);
        }
    }

    #[inline]
    #[track_caller]
    fn load_vec(&self) -> Vec<T> {
        self.iter().map(Coatomic::load).collect()
    }
}

impl<T: Remote, A: Access> CoatomicSlice<T> for Coref<[Coatomic<T>], A> {
    #[inline]
    #[track_caller]
    fn load_into(&self, target: &mut [T]) {
        check_lengths(self.len(), target.len());
        if !self.load_at_once(|index, value| target[index] = value) {
            for (value, coatomic) in target.iter_mut().zip(self.iter()) {
                *value = coatomic.load();
            }
        }
    }

    #[inline]
    #[track_caller]
    fn store_from(&self, values: &[T]) {
        check_lengths(self.len(), values.len());
        if !self.store_at_once(values) {
            for (&value, coatomic) in values.iter().zip(self.iter()) {
                coatomic.store(value);
            }
        }
    }

    #[inline]
    #[track_caller]
    fn load_vec(&self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.len());
        match self.load_at_once(|_, value| values.push(value)) {
            true => values,
            false => self.iter().map(CoatomicPlace::load).collect(),
        }
    }
}

/// The same through the fabric, where the values are words of it; false where they are not, or where instructions reach them.
trait AtOnce<T> {
    #[track_caller]
    fn load_at_once(&self, take: impl FnMut(usize, T)) -> bool;

    #[track_caller]
    fn store_at_once(&self, values: &[T]) -> bool;
}

impl<T: Remote, A: Access> AtOnce<T> for Coref<[Coatomic<T>], A> {
    #[inline]
    #[track_caller]
    fn load_at_once(&self, take: impl FnMut(usize, T)) -> bool {
        if self.is_direct() || self.is_empty() {
            return false;
        }
        // A waker of what this completes runs when all are done.
        let _wakers = Deferral::new();
        operate_at_once(&self[0], self.len(), |first| {
            let Some(first) = first.in_word() else {
                return false;
            };
            // SAFETY: the slice has so many items, which are cells, as a coatomic is transparent over one.
            unsafe { first.load_list(size_of::<T::Cell>(), self.len(), take) };
            true
        })
    }

    #[inline]
    #[track_caller]
    fn store_at_once(&self, values: &[T]) -> bool {
        if self.is_direct() || self.is_empty() {
            return false;
        }
        let _wakers = Deferral::new();
        operate_at_once(&self[0], self.len(), |first| {
            let Some(first) = first.in_word() else {
                return false;
            };
            let replace = ListOperation {
                combine: |_, value| value,
                on_word: Some(On::Swap),
            };
            let indices: Vec<usize> = (0..values.len()).collect();
            // SAFETY: the slice has as many items as there are values. They are cells, as a coatomic is transparent over one.
            unsafe { first.update_list(size_of::<T::Cell>(), &indices, values, &replace) };
            first.complete();
            true
        })
    }
}

#[track_caller]
fn check_lengths(coatomics: usize, values: usize) {
    assert!(
        coatomics == values,
        "{values} values for {coatomics} coatomics: a slice of as many values is needed"
    );
}
