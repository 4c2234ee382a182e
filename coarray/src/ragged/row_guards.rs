//! The guards of the phases in which other images reach the rows.

use std::any::type_name;
use std::fmt;
use std::ops::Index;
use std::panic::Location;

use coarray_coref::{ReadOnly, Remote};
use coarray_runtime::Operation;

use super::part::RaggedPart;
use super::rows::RaggedRows;
use crate::phase::{Openable, Phase, Publishable};
use crate::storage::Begun;

/// A [`RaggedRows`] in its open phase; see [`Open`](crate::Open).
///
/// # Examples
/// Each image answers in the queue that it has on the others:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut queues = RaggedRows::from_fn(num_images(), |from| vec![0usize; from + 1]);
///     let open = queues.open();
///     for image in 0..num_images() {
///         open.at(image).row(this_image()).fill(10 * this_image());
///     }
///     open.close(); // all puts have arrived
///     assert_eq!((&queues[1], &queues[2]), (&[10, 10][..], &[20, 20, 20][..]));
/// });
/// ```
///
/// # Source
/// As [`RaggedRows`].
#[must_use = "the rows close again when this guard is dropped"]
pub struct OpenRaggedRows<'a, T: Remote> {
    pub(crate) phase: Phase<'a, RaggedRows<T>>,
}

impl<T: Remote> Openable for RaggedRows<T> {
    type Guard<'a> = OpenRaggedRows<'a, T>;

    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, opened: &'static Location<'static>) -> OpenRaggedRows<'_, T> {
        OpenRaggedRows {
            phase: Phase::new(self, Operation::Close, begun, opened),
        }
    }
}

impl<T: Remote> OpenRaggedRows<'_, T> {
    /// Local. The rows of image `image`. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`OpenRaggedRows`].
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> RaggedPart<'_, T> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its rows, and ends by one when
        // all have dropped their guards, from which corefs borrow. No image frees or replaces a row in the phase.
        unsafe { RaggedPart::new(&self.phase, image) }
    }

    /// Local. This image's own rows, to get and put like any others.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut inboxes = RaggedRows::from_fn(2, |_| [0, 0]);
    ///     let inboxes = inboxes.open();
    ///     inboxes.at(1 - this_image()).row(1)[0].put(7);
    ///     sync_all();
    ///     assert_eq!(inboxes.here().row(1).to_vec(), [7, 0]);
    /// });
    /// ```
    #[must_use]
    pub fn here(&self) -> RaggedPart<'_, T> {
        self.at(self.phase.me())
    }

    /// Collective. Closes the rows, as dropping the guard does.
    ///
    /// # Examples
    /// See [`OpenRaggedRows`].
    pub fn close(self) {}
}

/// Other images may be writing the values, which are not shown.
impl<T: Remote> fmt::Debug for OpenRaggedRows<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (item, began) = (type_name::<T>(), self.phase.began);
        write!(formatter, "OpenRaggedRows<{item}>, since {began}")
    }
}

/// A [`RaggedRows`] in its read-only phase; see [`Published`](crate::Published). One's own rows are slices, `x[row]`.
///
/// # Examples
/// See [`RaggedRows::from_fn`].
///
/// # Source
/// As [`RaggedRows`].
#[must_use = "the read-only phase ends when this guard is dropped"]
pub struct PublishedRaggedRows<'a, T: Remote> {
    pub(crate) phase: Phase<'a, RaggedRows<T>>,
}

impl<T: Remote> Publishable for RaggedRows<T> {
    type Guard<'a> = PublishedRaggedRows<'a, T>;

    #[allow(private_interfaces)]
    fn guard(
        &mut self,
        begun: Begun,
        published: &'static Location<'static>,
    ) -> PublishedRaggedRows<'_, T> {
        PublishedRaggedRows {
            phase: Phase::new(self, Operation::Unpublish, begun, published),
        }
    }
}

impl<T: Remote> PublishedRaggedRows<'_, T> {
    /// Local. The rows of image `image`, for reading. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`RaggedRows`].
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> RaggedPart<'_, T, ReadOnly> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its rows. Until the barrier at
        // its end only shared references and read-only corefs exist. No image frees or replaces a row in the phase.
        unsafe { RaggedPart::new(&self.phase, image) }
    }

    /// Local. The rows of this image, one after the other.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let rows = RaggedRows::from_fn(3, |row| vec![1; row]).into_published();
    ///     assert_eq!(rows.iter().flatten().sum::<usize>(), 3);
    /// });
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        let rows = &*self.phase.coarray;
        // SAFETY: nobody writes to the rows while the guard lives.
        (0..rows.len()).map(move |row| unsafe { rows.row(row) })
    }

    /// Collective. Ends the phase, as dropping the guard does.
    ///
    /// # Examples
    /// See [`RaggedRows`].
    pub fn close(self) {}
}

impl<T: Remote> Index<usize> for PublishedRaggedRows<'_, T> {
    type Output = [T];

    /// # Panics
    /// If there is no such row.
    #[track_caller]
    fn index(&self, row: usize) -> &[T] {
        let rows = &*self.phase.coarray;
        rows.check(row);
        // SAFETY: nobody writes to the rows while the guard lives.
        unsafe { rows.row(row) }
    }
}

impl<T: Remote + fmt::Debug> fmt::Debug for PublishedRaggedRows<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}
