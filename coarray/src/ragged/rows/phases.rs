//! The phases of rows: open to all images, or published.

use std::any::type_name;

use coarray_coref::{Remote, bytes_are_valid};
use coarray_runtime::ImageFailed;

use super::RaggedRows;
use crate::phase::{self, Phased};
use crate::ragged::row_guards::{OpenRaggedRows, PublishedRaggedRows};
use crate::storage::Storage;

impl<T: Remote> RaggedRows<T> {
    /// Collective. Opens the rows to all images; their lengths stay as they are until all have closed.
    ///
    /// # Panics
    /// As [`Coarray::open`](crate::Coarray::open).
    ///
    /// # Examples
    /// See [`OpenRaggedRows`].
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[track_caller]
    pub fn open(&mut self) -> OpenRaggedRows<'_, T> {
        phase::open(self)
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job: see [`Coarray::try_open`](crate::Coarray::try_open).
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`](crate::Coarray::try_open).
    ///
    /// # Source
    /// As [`Coarray::try_open`](crate::Coarray::try_open).
    #[track_caller]
    pub fn try_open(&mut self) -> Result<OpenRaggedRows<'_, T>, ImageFailed> {
        phase::try_open(self)
    }

    /// Collective. Lets all images read all rows, and nobody write.
    ///
    /// # Panics
    /// As [`Coarray::publish`](crate::Coarray::publish).
    ///
    /// # Examples
    /// See [`RaggedRows`].
    ///
    /// # Source
    /// As [`Published`](crate::Published).
    #[track_caller]
    pub fn publish(&mut self) -> PublishedRaggedRows<'_, T> {
        phase::publish(self)
    }

    /// Collective. As [`publish`](Self::publish), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`publish`](Self::publish).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`](crate::Coarray::try_open).
    ///
    /// # Source
    /// As [`Coarray::try_open`](crate::Coarray::try_open).
    #[track_caller]
    pub fn try_publish(&mut self) -> Result<PublishedRaggedRows<'_, T>, ImageFailed> {
        phase::try_publish(self)
    }
}

#[allow(private_interfaces)]
impl<T: Remote> Phased for RaggedRows<T> {
    fn subject() -> &'static str {
        type_name::<Self>()
    }

    #[inline]
    fn storage(&self) -> &Storage {
        &self.descriptions.storage
    }

    #[inline]
    fn private(&self) -> &Storage {
        self.storage().private::<[[usize; 2]]>()
    }

    unsafe fn is_valid(&self) -> bool {
        (0..self.len()).all(|row| {
            let (items, length) = self.run(row);
            // SAFETY: `items` is aligned and valid for reads of `length` initialised items; the caller vouches that nobody writes
            // to them.
            unsafe { bytes_are_valid(items, length) }
        })
    }
}
