//! The guard of an exchange in progress.

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;
use ndarray::{ArrayView, Dim, Dimension};

use super::halo_array::HaloArray;

/// An exchange that has begun, see [`HaloArray::exchange_start`].
///
/// Meanwhile the image's own cells can be read. Neighbours may wait for this image until it calls
/// [`finish`](Self::finish), or drops this. If it is leaked, the exchange is finished when the array is next used.
///
/// # Examples
/// See [`HaloArray::exchange_start`].
///
/// # Source
/// As [`HaloArray::exchange_start`].
#[derive(Debug)]
#[must_use = "the exchange is finished when this is dropped: keep it while you compute"]
pub struct Exchanging<'a, T: Remote, const D: usize> {
    array: &'a mut HaloArray<T, D>,
}

impl<'a, T: Remote, const D: usize> Exchanging<'a, T, D> {
    pub(super) fn new(array: &'a mut HaloArray<T, D>) -> Self {
        Self { array }
    }

    /// Local. This image's own cells.
    ///
    /// # Examples
    /// See [`HaloArray::exchange_start`].
    #[must_use]
    pub fn interior(&self) -> ArrayView<'_, T, Dim<[usize; D]>>
    where
        Dim<[usize; D]>: Dimension,
    {
        self.array.own_cells()
    }

    /// Collective. Finishes the exchange, as dropping this does: afterwards the halo holds the neighbours' cells.
    ///
    /// If an image of the current team has failed, and cells are missing, the job ends with a report.
    ///
    /// # Examples
    /// See [`HaloArray::exchange_start`].
    pub fn finish(self) {}

    /// Collective. As [`finish`](Self::finish), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`HaloArray::try_exchange`].
    ///
    /// # Panics
    /// As [`finish`](Self::finish).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([6, 6], ImageGrid::balanced()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, this_image()).unwrap();
    ///     assert_eq!(u.exchange_start().try_finish(), Ok(()));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`HaloArray::try_exchange`].
    #[track_caller]
    pub fn try_finish(self) -> Result<(), ImageFailed> {
        self.array.finish().map_err(|unfinished| unfinished.failed)
    }
}

/// Finishes the exchange; but an image that panics does not wait.
impl<T: Remote, const D: usize> Drop for Exchanging<'_, T, D> {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.array.is_abandoned.get() {
            self.array.settle();
        }
    }
}
