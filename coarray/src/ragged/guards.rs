//! The guards of the phases in which other images reach ragged runs.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;

use coarray_coref::{Coref, ReadOnly, Remote};
use coarray_runtime::Operation;

use super::Ragged;
use super::part::RaggedPart;
use crate::phase::{Openable, Phase, Publishable};
use crate::storage::Begun;

/// A [`Ragged`] in its open phase; see [`Open`](crate::Open).
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut votes = Ragged::from_fn(this_image() + 1, |_| 0);
///     let open = votes.open();
///     open.at((this_image() + 1) % num_images()).fill(2); // each for the next one
///     open.close();
///     assert_eq!(*votes, *vec![2; this_image() + 1]);
/// });
/// ```
///
/// # Source
/// As [`Ragged`].
#[must_use = "the runs close again when this guard is dropped"]
pub struct OpenRagged<'a, T: Remote> {
    pub(crate) phase: Phase<'a, Ragged<T>>,
}

impl<T: Remote> Openable for Ragged<T> {
    type Guard<'a> = OpenRagged<'a, T>;

    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, opened: &'static Location<'static>) -> OpenRagged<'_, T> {
        OpenRagged {
            phase: Phase::new(self, Operation::Close, begun, opened),
        }
    }
}

impl<T: Remote> OpenRagged<'_, T> {
    /// One-sided. The run of image `image`, in the length that it has there.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`OpenRagged`].
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<[T]> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its run, and ends by one when
        // all have dropped their guards, from which corefs borrow. No image frees or replaces its run in the phase.
        unsafe { RaggedPart::new(&self.phase, image) }.row(0)
    }

    /// Local. This image's own run, to get and put like any other.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut inbox = Ragged::from_fn(2, |_| 0);
    ///     let inbox = inbox.open();
    ///     inbox.at(1 - this_image())[0].put(7);
    ///     sync_all();
    ///     assert_eq!(inbox.here().to_vec(), [7, 0]);
    /// });
    /// ```
    #[must_use]
    pub fn here(&self) -> &Coref<[T]> {
        self.at(self.phase.me())
    }

    /// Collective. Closes the runs, as dropping the guard does.
    ///
    /// # Examples
    /// See [`OpenRagged`].
    pub fn close(self) {}
}

/// Other images may be writing the values, which are not shown.
impl<T: Remote> fmt::Debug for OpenRagged<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = type_name::<T>();
        write!(formatter, "OpenRagged<{item}>, since {}", self.phase.began)
    }
}

/// A [`Ragged`] in its read-only phase; see [`Published`](crate::Published).
///
/// # Examples
/// The rows of a sparse matrix, read wherever they are:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut columns = Ragged::from_fn(2 * this_image() + 1, |i| 10 * this_image() + i);
///     let columns = columns.publish();
///     let longest = match columns.try_ref(2) {
///         Some(run) => run.to_vec(), // in place
///         None => columns.at(2).to_vec(),
///     };
///     assert_eq!(longest, [20, 21, 22, 23, 24]);
///     assert_eq!(columns.len(), 2 * this_image() + 1); // one's own is a slice
///     columns.close();
/// });
/// ```
///
/// # Source
/// As [`Ragged`].
#[must_use = "the read-only phase ends when this guard is dropped"]
pub struct PublishedRagged<'a, T: Remote> {
    pub(crate) phase: Phase<'a, Ragged<T>>,
}

impl<T: Remote> Publishable for Ragged<T> {
    type Guard<'a> = PublishedRagged<'a, T>;

    #[allow(private_interfaces)]
    fn guard(
        &mut self,
        begun: Begun,
        published: &'static Location<'static>,
    ) -> PublishedRagged<'_, T> {
        PublishedRagged {
            phase: Phase::new(self, Operation::Unpublish, begun, published),
        }
    }
}

impl<T: Remote> PublishedRagged<'_, T> {
    /// One-sided. The run of image `image`, for reading.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`PublishedRagged`].
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<[T], ReadOnly> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its run. Until the barrier at
        // its end only shared references and read-only corefs exist. No image frees or replaces its run in the phase.
        unsafe { RaggedPart::new(&self.phase, image) }.row(0)
    }

    /// Local. The run of image `image` as memory of this image, if it is mapped here.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`PublishedRagged`].
    #[must_use]
    #[track_caller]
    pub fn try_ref(&self, image: usize) -> Option<&[T]> {
        // SAFETY: as in `at`.
        unsafe { RaggedPart::new(&self.phase, image) }.try_ref(0)
    }

    /// Collective. Ends the phase, as dropping the guard does.
    ///
    /// # Examples
    /// See [`PublishedRagged`].
    pub fn close(self) {}
}

impl<T: Remote> Deref for PublishedRagged<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: nobody writes to the run while the guard lives.
        unsafe { self.phase.coarray.rows.row(0) }
    }
}

impl<T: Remote + fmt::Debug> fmt::Debug for PublishedRagged<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}
