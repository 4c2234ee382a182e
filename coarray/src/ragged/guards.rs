//! The guards of the phases in which other images reach ragged runs.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;

use coarray_coref::{Coref, ReadOnly, Remote, bytes_are_valid};
use coarray_runtime::Operation;

use super::Ragged;
use crate::storage::{Begun, Places};

/// A [`Ragged`] in its open phase; see [`Open`](crate::Open).
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut votes = Ragged::from_fn(this_image() + 1, |_| 0);
///     let open = votes.open();
///     for image in 0..num_images() {
///         open.at(image).fill(2); // all say the same
///     }
///     open.close();
///     assert_eq!(*votes, *vec![2; this_image() + 1]);
/// });
/// ```
///
/// # Source
/// As [`Ragged`].
#[must_use = "the runs close again when this guard is dropped"]
pub struct OpenRagged<'a, T: Remote> {
    pub(crate) ragged: &'a mut Ragged<T>,
    places: Places,
    opened: &'static Location<'static>,
}

impl<'a, T: Remote> OpenRagged<'a, T> {
    /// The guard of a phase that has begun.
    pub(crate) fn new(
        ragged: &'a mut Ragged<T>,
        _begun: Begun,
        opened: &'static Location<'static>,
    ) -> Self {
        let places = ragged.phase().places();
        Self {
            ragged,
            places,
            opened,
        }
    }

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
        unsafe { self.ragged.run_of(&self.places, image) }
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
        self.at(self.places.me)
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
        write!(formatter, "OpenRagged<{item}>, since {}", self.opened)
    }
}

impl<T: Remote> Drop for OpenRagged<'_, T> {
    fn drop(&mut self) {
        let (items, length) = self.ragged.run();
        // SAFETY: `items` is aligned and valid for reads of `length` initialised items. `end` calls this when all images have left
        // the phase, so nobody writes to them.
        let valid = || unsafe { bytes_are_valid(items, length) };
        self.ragged.phase().end(
            Operation::Close,
            type_name::<Ragged<T>>(),
            self.opened,
            valid,
        );
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
///     columns.end();
/// });
/// ```
///
/// # Source
/// As [`Ragged`].
#[must_use = "the read-only phase ends when this guard is dropped"]
pub struct PublishedRagged<'a, T: Remote> {
    pub(crate) ragged: &'a mut Ragged<T>,
    places: Places,
    published: &'static Location<'static>,
}

impl<'a, T: Remote> PublishedRagged<'a, T> {
    /// The guard of a phase that has begun.
    pub(super) fn new(
        ragged: &'a mut Ragged<T>,
        _begun: Begun,
        published: &'static Location<'static>,
    ) -> Self {
        let places = ragged.phase().places();
        Self {
            ragged,
            places,
            published,
        }
    }

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
        unsafe { self.ragged.run_of(&self.places, image) }
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
        let place = self.at(image);
        place.is_direct().then(|| match place.len() {
            0 => &[][..],
            length => {
                let heap = self.ragged.phase().image().heap(place.image());
                // SAFETY: the place is direct, so the run is mapped; the pointer has the provenance of that heap. The owner
                // initialised `length` items before the phase began, and nobody writes to them while the guard lives.
                unsafe {
                    std::slice::from_raw_parts(heap.with_addr(place.local_address()).cast(), length)
                }
            }
        })
    }

    /// Collective. Ends the phase, as dropping the guard does.
    ///
    /// # Examples
    /// See [`PublishedRagged`].
    pub fn end(self) {}
}

impl<T: Remote> Deref for PublishedRagged<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let (items, length) = self.ragged.run();
        // SAFETY: this image's run is aligned, allocated and initialised, and nobody writes to it while the guard lives.
        unsafe { std::slice::from_raw_parts(items, length) }
    }
}

impl<T: Remote + fmt::Debug> fmt::Debug for PublishedRagged<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl<T: Remote> Drop for PublishedRagged<'_, T> {
    fn drop(&mut self) {
        self.ragged.phase().end(
            Operation::Unpublish,
            type_name::<Ragged<T>>(),
            self.published,
            || true,
        );
    }
}
