//! Coarrays whose length differs from image to image: one run of items on each, which is a [`RaggedRows`] of one row.

mod guards;
mod part;
mod row_guards;
mod rows;

use std::any::type_name;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{AllocError, Call, ImageFailed};

use crate::create::refuse;
use crate::phase::{self, Phased};
use crate::storage::Storage;

pub use guards::{OpenRagged, PublishedRagged};
pub use part::RaggedPart;
pub use row_guards::{OpenRaggedRows, PublishedRaggedRows};
pub use rows::RaggedRows;

/// A run of `T`s on every image; each image chooses its own length.
///
/// Creating one is collective; changing a run's length is not, while it is closed. Locally it is a slice.
/// `x.at(image)` first gets the description of that image's run: hoist it out of loops. [`RaggedRows`] has several runs on each image.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut x = Ragged::from_fn(this_image() * 10, |i| i as i32);
///     if let Some(first) = x.first_mut() {
///         *first = this_image() as i32;
///     }
///     let x = x.open();
///     assert_eq!(x.at(2)[0].get() + x.at(3)[4].get(), 2 + 4);
///     assert!(x.at(0).is_empty());
/// });
/// ```
///
/// # Source
/// Coarrays of pointers, *Coarray C++* section 3.6; Fortran allocatable components of coarrays.
pub struct Ragged<T: Remote> {
    rows: RaggedRows<T>,
}

impl<T: Remote> Ragged<T> {
    /// Collective. A run of `length` items on this image, item `i` being `item(i)`.
    ///
    /// # Panics
    /// If there is no room, with the largest users of the heap.
    ///
    /// # Examples
    /// See [`Ragged`]. There are no runs of values without bytes:
    /// ```compile_fail
    /// coarray::run(1, || drop(coarray::Ragged::<[u8; 0]>::from_fn(5, |_| [])));
    /// ```
    ///
    /// # Source
    /// As [`Ragged`].
    #[must_use]
    #[track_caller]
    pub fn from_fn(length: usize, item: impl FnMut(usize) -> T) -> Self {
        let caller = Location::caller();
        let mut ragged = Self::try_empty()
            .unwrap_or_else(|error| refuse(error, &Call::on_part::<Self, [[usize; 2]]>(1, caller)));
        ragged.replace(length, item);
        ragged
    }

    /// Collective. A run of no items on this image.
    ///
    /// # Panics
    /// As [`from_fn`](Self::from_fn).
    ///
    /// # Examples
    /// A list of particles that grows and shrinks, each image's by itself:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut particles = Ragged::<[f64; 3]>::empty();
    ///     if this_image() == 1 {
    ///         particles.replace(1000, |_| [0.5; 3]);
    ///     }
    ///     let particles = particles.publish();
    ///     let lengths: Vec<usize> = (0..num_images()).map(|image| particles.at(image).len()).collect();
    ///     assert_eq!(lengths, [0, 1000, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Ragged`].
    #[must_use]
    #[track_caller]
    pub fn empty() -> Self {
        Self::from_fn(0, |_| unreachable!("there are no items"))
    }

    /// Collective. As [`empty`](Self::empty), but returns the error. Items come by [`try_replace`](Self::try_replace), on each image by itself.
    ///
    /// # Errors
    /// As [`Coarray::try_new`](crate::Coarray::try_new), the same on all images.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     Ragged::<f64>::try_empty().is_err()
    /// });
    /// assert_eq!(survivors.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`](crate::Coarray::try_new).
    #[track_caller]
    pub fn try_empty() -> Result<Self, AllocError> {
        let rows = RaggedRows::create::<Self>(1, Location::caller())?;
        Ok(Self { rows })
    }

    /// Local. Replaces this image's run by `length` items, item `i` being `item(i)`.
    ///
    /// # Panics
    /// If there is no room; the old run is then gone.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut queue = Ragged::from_fn(4, |i| i);
    ///     let odd: Vec<usize> = queue.iter().copied().filter(|item| item % 2 == 1).collect();
    ///     queue.replace(odd.len(), |i| odd[i]); // no image waits for another
    ///     let queue = queue.open();
    ///     assert_eq!(queue.at(1).to_vec(), [1, 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran allocatable components of coarrays, 2018 clause 9.7.1.2: their allocation synchronises nothing.
    #[track_caller]
    pub fn replace(&mut self, length: usize, item: impl FnMut(usize) -> T) {
        if let Err(error) = self.try_replace(length, item) {
            panic!("{error}");
        }
    }

    /// Local. As [`replace`](Self::replace), but returns the error.
    ///
    /// # Errors
    /// If there is no room; the run is then empty.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let mut run = Ragged::<u64>::empty();
    ///     let mut length = 1 << 20; // as much as there is room for on this image
    ///     while run.try_replace(length, |i| i as u64).is_err() {
    ///         length /= 2;
    ///     }
    ///     run.len() == length && length > 1 << 10
    /// });
    /// assert_eq!(outcome.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`replace`](Self::replace), with `stat`.
    #[track_caller]
    pub fn try_replace(
        &mut self,
        length: usize,
        item: impl FnMut(usize) -> T,
    ) -> Result<(), AllocError> {
        self.rows
            .set(0, length, item, (type_name::<Self>(), Location::caller()))
    }

    /// Collective. Opens the runs to all images; their lengths stay as they are until all have closed.
    ///
    /// # Panics
    /// As [`Coarray::open`](crate::Coarray::open).
    ///
    /// # Examples
    /// See [`Ragged`].
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[track_caller]
    pub fn open(&mut self) -> OpenRagged<'_, T> {
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
    pub fn try_open(&mut self) -> Result<OpenRagged<'_, T>, ImageFailed> {
        phase::try_open(self)
    }

    /// Collective. Lets all images read all runs, and nobody write.
    ///
    /// # Panics
    /// As [`Coarray::publish`](crate::Coarray::publish).
    ///
    /// # Examples
    /// See [`empty`](Self::empty).
    ///
    /// # Source
    /// As [`Published`](crate::Published).
    #[track_caller]
    pub fn publish(&mut self) -> PublishedRagged<'_, T> {
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
    pub fn try_publish(&mut self) -> Result<PublishedRagged<'_, T>, ImageFailed> {
        phase::try_publish(self)
    }
}

#[allow(private_interfaces)]
impl<T: Remote> Phased for Ragged<T> {
    fn subject() -> &'static str {
        type_name::<Self>()
    }

    #[inline]
    fn storage(&self) -> &Storage {
        self.rows.storage()
    }

    #[inline]
    fn private(&self) -> &Storage {
        self.rows.private()
    }

    unsafe fn is_valid(&self) -> bool {
        // SAFETY: the caller vouches that nobody writes to the part, which is the row.
        unsafe { self.rows.is_valid() }
    }
}

impl<T: Remote> Deref for Ragged<T> {
    type Target = [T];

    #[inline]
    #[track_caller]
    fn deref(&self) -> &[T] {
        &self.rows[0]
    }
}

impl<T: Remote> DerefMut for Ragged<T> {
    #[inline]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.rows[0]
    }
}

/// As [`Coarray`](crate::Coarray).
impl<T: Remote + fmt::Debug> fmt::Debug for Ragged<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.storage().is_in_phase() {
            return write!(formatter, "Ragged<{}>, still open", type_name::<T>());
        }
        (**self).fmt(formatter)
    }
}
