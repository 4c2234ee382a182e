//! The rows of another image.

use std::fmt;
use std::marker::PhantomData;

use coarray_coref::{Access, Coref, ReadOnly, ReadWrite, Remote};
use coarray_fabric::attribute_to_library;
use coarray_runtime::Image;

use crate::phase::{Phase, Phased};

/// The rows of an image in an open or published [`RaggedRows`](crate::RaggedRows), by `at`; in a published one they are
/// [`ReadOnly`].
///
/// # Examples
/// See [`rows`](Self::rows).
///
/// # Source
/// As [`RaggedRows`](crate::RaggedRows).
pub struct RaggedPart<'a, T: Remote, A: Access = ReadWrite> {
    descriptions: &'a Coref<[[usize; 2]], ReadOnly>,
    me: &'a Image,
    items: PhantomData<&'a Coref<[T], A>>,
}

impl<T: Remote, A: Access> Clone for RaggedPart<'_, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Remote, A: Access> Copy for RaggedPart<'_, T, A> {}

impl<'a, T: Remote, A: Access> RaggedPart<'a, T, A> {
    /// The rows of `image`.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Safety
    /// As [`Coref::new`], for the rows of every image, while the phase lasts. Its storage has their descriptions, which the owners wrote.
    #[track_caller]
    pub(super) unsafe fn new<C: Phased>(phase: &'a Phase<'_, C>, image: usize) -> Self {
        Self {
            // SAFETY: during the phase, all descriptions are initialised, and nobody writes them.
            descriptions: unsafe { phase.at(image) },
            me: phase.coarray.storage().image(),
            items: PhantomData,
        }
    }

    /// Local. How many rows the image has, as all have.
    ///
    /// # Examples
    /// See [`rows`](Self::rows).
    #[must_use]
    pub fn len(self) -> usize {
        self.descriptions.len()
    }

    /// Local. Whether there are no rows at all.
    ///
    /// # Examples
    /// See [`rows`](Self::rows).
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// One-sided. A row, in the length that it has there. Its description is got first, which is a load where memory is shared.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// See [`RaggedRows`](crate::RaggedRows).
    ///
    /// # Source
    /// As [`RaggedRows`](crate::RaggedRows).
    #[must_use]
    #[track_caller]
    pub fn row(self, row: usize) -> &'a Coref<[T], A> {
        if row >= self.len() {
            no_such_row(row, self.len(), self.descriptions.image());
        }
        let own = self.is_far().then(attribute_to_library);
        let description = self.descriptions[row].get();
        drop(own);
        self.described(description)
    }

    /// One-sided. All rows, whose descriptions are got at once: for loops over the rows of an image.
    ///
    /// # Examples
    /// Each image counts, in the queue that it has on each of the others, what is there:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let queues = RaggedRows::from_fn(num_images(), |to| vec![to; this_image() + to]).into_open();
    ///     let theirs = queues.at(2); // nothing travels yet
    ///     assert!(theirs.len() == 3 && !theirs.is_empty());
    ///     let rows = theirs.rows(); // once for many accesses
    ///     assert_eq!((rows[0].len(), rows[1].len(), rows[2].len()), (2, 3, 4));
    ///     assert_eq!(rows[1].to_vec(), [1, 1, 1]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`RaggedRows`](crate::RaggedRows), whose source hoists the read of a pointer by a copointer.
    #[must_use]
    #[track_caller]
    pub fn rows(self) -> Vec<&'a Coref<[T], A>> {
        let own = self.is_far().then(attribute_to_library);
        let descriptions = self.descriptions.to_vec();
        drop(own);
        // No closure, whose line would be named instead of the program's.
        let mut rows = Vec::with_capacity(descriptions.len());
        for description in descriptions {
            rows.push(self.described(description));
        }
        rows
    }

    /// Whether descriptions travel, which are no data of the program.
    fn is_far(self) -> bool {
        !self.descriptions.is_direct()
    }

    #[track_caller]
    fn described(self, [offset, length]: [usize; 2]) -> &'a Coref<[T], A> {
        let (me, image) = (self.me, self.descriptions.image());
        let room = me.heap_bytes().saturating_sub(offset);
        assert!(
            length <= room / size_of::<T>(),
            "a ragged coarray's description on image {image} is damaged: {length} items at {offset}"
        );
        // SAFETY: the description is what its image wrote about its own block, which lies in the heap and has `length` valid
        // items. Who made `self` vouches for the owner's references and for the time. `is_direct` says whether the heap is mapped.
        // An empty row has no bytes, and its address is never used.
        unsafe {
            Coref::new(
                me.heap(image).addr() + offset,
                image,
                length,
                me.is_direct(image),
            )
        }
    }
}

impl<'a, T: Remote> RaggedPart<'a, T, ReadOnly> {
    /// Local. A row as memory of this image, if it is mapped here.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let rows = RaggedRows::from_fn(2, |row| vec![this_image(); row]).into_published();
    ///     let next = (this_image() + 1) % num_images();
    ///     let first = match rows.at(next).try_ref(1) {
    ///         Some(row) => row[0], // in place
    ///         None => rows.at(next).row(1)[0].get(),
    ///     };
    ///     assert_eq!(first, next);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Published::try_ref`](crate::Published::try_ref).
    #[must_use]
    #[track_caller]
    pub fn try_ref(self, row: usize) -> Option<&'a [T]> {
        let place = self.row(row);
        place.is_direct().then(|| match place.len() {
            0 => &[][..],
            length => {
                let heap = self.me.heap(place.image());
                // SAFETY: the place is direct, so the row is mapped; the pointer has the provenance of that heap. The owner
                // initialised `length` items before the phase began. Read-only parts are of published coarrays, to which nobody
                // writes while the guard lives, from which `'a` is borrowed.
                unsafe {
                    std::slice::from_raw_parts(heap.with_addr(place.local_address()).cast(), length)
                }
            }
        })
    }
}

impl<T: Remote, A: Access> fmt::Debug for RaggedPart<'_, T, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, image) = (self.descriptions.len(), self.descriptions.image());
        write!(formatter, "RaggedPart, {rows} rows of image {image}")
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn no_such_row(row: usize, rows: usize, image: usize) -> ! {
    panic!("row {row} is out of bounds of a ragged coarray with {rows} rows on image {image}")
}
