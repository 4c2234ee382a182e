//! The guard of an exchange in progress.

use coarray_coref::Remote;
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
}

/// Finishes the exchange; but an image that panics does not wait.
impl<T: Remote, const D: usize> Drop for Exchanging<'_, T, D> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.array.settle();
        }
    }
}
