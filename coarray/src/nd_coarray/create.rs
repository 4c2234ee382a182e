//! The creation of arrays whose extents are known at run time only.

use std::any::type_name;
use std::marker::PhantomData;
use std::panic::Location;

use coarray_collectives::Collective;
use coarray_coref::{Dimensions, Remote, items};
use coarray_runtime::{AllocError, Call, this_image};

use super::NdCoarray;
use crate::coarray::Coarray;
use crate::create::{Zero, create_part, refuse};

impl<T: Remote, const D: usize> NdCoarray<T, D> {
    /// Collective. An array of zeros with these extents, the same on all images.
    ///
    /// # Panics
    /// If images ask for different extents: on all of them, with the extents. As [`Coarray::new`].
    ///
    /// # Examples
    /// See [`NdCoarray`].
    ///
    /// # Source
    /// As [`NdCoarray`].
    #[must_use]
    #[track_caller]
    pub fn zeroed(extents: [usize; D]) -> Self {
        const { Zero::<T>::IS_VALID };
        Self::or_panic(Self::try_zeroed(extents))
    }

    /// Collective. As [`zeroed`](Self::zeroed), but returns the error.
    ///
    /// # Errors
    /// If there is no room, or an image has failed; the same on all images.
    ///
    /// # Panics
    /// If images ask for different extents.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let refused = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     NdCoarray::<f64, 2>::try_zeroed([1 << 10, 1 << 10]).is_err()
    /// });
    /// assert_eq!(refused.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_zeroed(extents: [usize; D]) -> Result<Self, AllocError> {
        const { Zero::<T>::IS_VALID };
        // SAFETY: zero bytes are a valid `T`, as was just checked.
        Self::create(extents, |_| unsafe { std::mem::zeroed() })
    }

    /// Collective. An array with these extents, the same on all images, whose item `[i, j, ..]` is `item([i, j, ..])` on this image.
    ///
    /// # Panics
    /// As [`zeroed`](Self::zeroed).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let x = NdCoarray::<usize, 3>::from_fn([2, 3, 4], |[i, j, k]| 100 * i + 10 * j + k);
    ///     assert_eq!(x[[1, 2, 3]], 123);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`NdCoarray`]; [`ndarray::Array::from_shape_fn`].
    #[must_use]
    #[track_caller]
    pub fn from_fn(extents: [usize; D], item: impl FnMut([usize; D]) -> T) -> Self {
        Self::or_panic(Self::try_from_fn(extents, item))
    }

    /// Collective. As [`from_fn`](Self::from_fn), but returns the error.
    ///
    /// # Errors
    /// As [`try_zeroed`](Self::try_zeroed).
    ///
    /// # Panics
    /// As [`try_zeroed`](Self::try_zeroed).
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_from_fn(
        extents: [usize; D],
        mut item: impl FnMut([usize; D]) -> T,
    ) -> Result<Self, AllocError> {
        let mut index = [0; D];
        Self::create(extents, |_| {
            let value = item(index);
            advance(&mut index, &extents);
            value
        })
    }

    /// Collective. The items of `coarray` as an array with these extents, the same on all images, in row order.
    ///
    /// # Panics
    /// If there are fewer items, or images ask for different extents.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let line = Coarray::<[usize]>::from_fn(12, |i| i);
    ///     let plane = NdCoarray::from_coarray([3, 4], line);
    ///     assert_eq!(plane[[2, 1]], 9);
    ///     let fixed = Coarray::new([[1, 2], [3, 4]]); // its extents become known at run time only
    ///     let any: NdCoarray<i32, 2> = fixed.into();
    ///     assert_eq!(any.extents(), [2, 2]);
    /// });
    /// ```
    ///
    /// # Source
    /// `shape_cast`, *Coarray C++* section 4.3.
    #[must_use]
    #[track_caller]
    pub fn from_coarray(extents: [usize; D], coarray: Coarray<[T]>) -> Self {
        if let Err(error) = Self::agree(extents) {
            refuse(error, &Self::call());
        }
        let needed = items::<T, D>(extents);
        let found = coarray.extent();
        assert!(
            needed.is_some_and(|needed| needed <= found),
            "a coarray of {found} items does not have extents {extents:?}: they need more items"
        );
        Self {
            items: coarray,
            extents,
        }
    }

    #[track_caller]
    fn create(extents: [usize; D], item: impl FnMut(usize) -> T) -> Result<Self, AllocError> {
        Self::agree(extents)?;
        let Some(items) = items::<T, D>(extents) else {
            return Err(AllocError::TooLarge {
                length: usize::MAX,
                subject: type_name::<Self>(),
            });
        };
        let items = create_part::<Self, T>(items, Location::caller(), item)?;
        Ok(Self { items, extents })
    }

    /// Collective. Checks that all images ask for the same extents.
    #[track_caller]
    fn agree(extents: [usize; D]) -> Result<(), AllocError> {
        let mine = extents.map(|extent| extent as u64);
        // The most of the complement is the complement of the least.
        let mut most = [mine, mine.map(|extent| !extent)];
        let collective = Collective::new().on_behalf_of("the creation of an NdCoarray");
        collective.try_co_max(&mut most)?;
        let [most, least] = most;
        let least = least.map(|complement| !complement);
        assert!(
            most == least,
            "images ask for arrays with different extents: image {} for {mine:?}, and others for {least:?} to {most:?}; let all \
             create the same array",
            this_image()
        );
        Ok(())
    }

    #[track_caller]
    fn or_panic(created: Result<Self, AllocError>) -> Self {
        match created {
            Ok(coarray) => coarray,
            Err(error) => refuse(error, &Self::call()),
        }
    }

    #[track_caller]
    fn call() -> Call {
        Call::on_part::<Self, [T]>(1, Location::caller())
    }
}

/// All extents become known at run time only.
impl<S, const D: usize> From<Coarray<S>> for NdCoarray<S::Part, D>
where
    S: ?Sized + Dimensions<D>,
{
    fn from(coarray: Coarray<S>) -> Self {
        Self {
            extents: S::extents(coarray.extent()),
            // The items of the innermost dimension, all of which a coarray of a smaller shape has.
            items: Coarray {
                storage: coarray.storage,
                shape: PhantomData,
            },
        }
    }
}

/// The next index in row order.
fn advance<const D: usize>(index: &mut [usize; D], extents: &[usize; D]) {
    for (at, &extent) in index.iter_mut().zip(extents).rev() {
        *at += 1;
        if *at < extent {
            return;
        }
        *at = 0;
    }
}
