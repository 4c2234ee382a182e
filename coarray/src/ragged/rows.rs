//! Coarrays of several runs on each image.
//!
//! Each image allocates its runs by itself. A symmetric coarray has the description of every image's runs: offset and length. Its
//! phase is the phase of the whole.

mod phases;
mod replace;

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::panic::Location;
use std::ptr::NonNull;
use std::slice;

use coarray_coref::{LeavesItsThread, Remote};
use coarray_runtime::{AllocError, Call, RaggedBlock};

use super::part::no_such_row;
use crate::coarray::Coarray;
use crate::create::{create_part, refuse};
use crate::phase::Phased;

/// Several rows of `T`s on every image: equally many on all, but each of a length of its own.
///
/// The particles of each cell, the neighbours of each vertex, a queue for each image. Creating one is collective; changing the
/// length of a row is not, while it is closed. Locally each row is a slice, `x[row]`. On other images
/// [`x.at(image).row(row)`](crate::places::RaggedPart::row) first gets the description of that row;
/// [`x.at(image).rows()`](crate::places::RaggedPart::rows) gets all of an image at once, to be hoisted out of loops.
///
/// # Examples
/// Particles by cell. Each image has three cells of a ring, and reads the last one of the image before:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut cells = RaggedRows::<f64>::empty(3);
///     let positions = [0.1, 0.4, 2.3, 2.5, 2.9].map(|x| x + 3.0 * this_image() as f64);
///     for cell in 0..cells.len() {
///         let left = (3 * this_image() + cell) as f64;
///         let inside: Vec<f64> = positions.into_iter().filter(|x| (left..left + 1.0).contains(x)).collect();
///         cells.replace(cell, inside.len(), |i| inside[i]); // no image waits for another
///     }
///     assert_eq!((cells[0].len(), cells[1].len(), cells[2].len()), (2, 0, 3));
///     let cells = cells.publish();
///     if this_image() > 0 {
///         let near = cells.at(this_image() - 1).row(2).to_vec();
///         assert!(near.iter().all(|x| x.ceil() == cells[0][0].floor()));
///     }
/// });
/// ```
///
/// # Source
/// Coarrays of pointers, `coarray<int*[N]>`, *Coarray C++* section 3.6; Fortran coarrays of a derived type with an allocatable
/// component, `cells(i)[p]%items(:)`, 2018 clause 7.5.4.
pub struct RaggedRows<T: Remote> {
    /// Of each row: offset in the image's heap and number of items.
    descriptions: Coarray<[[usize; 2]]>,
    /// Of each row, if it ever had items since it was replaced last.
    blocks: Vec<Option<RaggedBlock>>,
    items: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Send for RaggedRows<T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Sync for RaggedRows<T> {}

impl<T: Remote> RaggedRows<T> {
    /// Collective. As many empty rows on each image, the same number on all.
    ///
    /// # Panics
    /// On all images if there is no room for their descriptions. The job ends with a report if images ask for different numbers of
    /// rows.
    ///
    /// # Examples
    /// See [`RaggedRows`].
    ///
    /// # Source
    /// As [`RaggedRows`].
    #[must_use]
    #[track_caller]
    pub fn empty(rows: usize) -> Self {
        // No closure, whose line would be named instead of the program's.
        match Self::try_empty(rows) {
            Ok(empty) => empty,
            Err(error) => {
                let caller = Location::caller();
                refuse(error, &Call::on_part::<Self, [[usize; 2]]>(rows, caller))
            }
        }
    }

    /// Collective. As [`empty`](Self::empty), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`], the same on all images.
    ///
    /// # Panics
    /// The job ends with a report if images ask for different numbers of rows.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).heap(1 << 16).run(|| {
    ///     let many = RaggedRows::<u8>::try_empty(1 << 16);
    ///     let fewer = RaggedRows::<u8>::try_empty(1 << 6); // nothing was lost
    ///     (many.is_err(), fewer.unwrap().len())
    /// });
    /// assert_eq!(outcome.unwrap(), [(true, 64); 2]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_empty(rows: usize) -> Result<Self, AllocError> {
        Self::create::<Self>(rows, Location::caller())
    }

    /// Collective. As many rows on each image, the same number on all; row `i` has the items of `row(i)`, on each image its own.
    ///
    /// # Panics
    /// As [`empty`](Self::empty), and if there is no room for the items.
    ///
    /// # Examples
    /// The neighbours of each vertex, from lists that were read from a file, say:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let lists = [vec![vec![1, 2], vec![0]], vec![vec![0, 3], vec![2]]];
    ///     let mine = &lists[this_image()]; // of vertices 2 * this_image() and the next
    ///     let neighbours = RaggedRows::from_fn(mine.len(), |vertex| &mine[vertex]).into_published();
    ///     assert_eq!(neighbours.at(1).row(0).to_vec(), [0, 3]);
    ///     assert_eq!(neighbours[1], mine[1]); // one's own are slices
    /// });
    /// ```
    ///
    /// # Source
    /// As [`RaggedRows`].
    #[must_use]
    #[track_caller]
    pub fn from_fn<R: AsRef<[T]>>(rows: usize, mut row: impl FnMut(usize) -> R) -> Self {
        let mut ragged = Self::empty(rows);
        for index in 0..rows {
            let items = row(index);
            let items = items.as_ref();
            ragged.replace(index, items.len(), |i| items[i]);
        }
        ragged
    }

    /// Local. How many rows each image has.
    ///
    /// # Examples
    /// See [`RaggedRows`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Local. Whether there are no rows at all.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     assert!(RaggedRows::<u8>::empty(0).is_empty());
    ///     assert!(!RaggedRows::<u8>::empty(1).is_empty()); // one row, without items
    /// });
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Local. The rows of this image, one after the other.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let triangle = RaggedRows::from_fn(4, |row| vec![row; row]);
    ///     assert!(triangle.iter().map(<[_]>::len).eq(0..4));
    ///     assert_eq!(triangle.iter().flatten().sum::<usize>(), 1 + 4 + 9);
    /// });
    /// ```
    #[track_caller]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.private();
        // SAFETY: no phase is in progress, and none begins while `self` is borrowed.
        (0..self.len()).map(|row| unsafe { self.row(row) })
    }

    /// Local. The rows of this image, one after the other, to be changed. Their lengths stay.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut triangle = RaggedRows::from_fn(4, |row| vec![row; row]);
    ///     triangle.iter_mut().for_each(|row| row.fill(7));
    ///     triangle[3][1] += 1;
    ///     assert_eq!(triangle[3], [7, 8, 7]);
    /// });
    /// ```
    #[track_caller]
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [T]> {
        self.private();
        (0..self.len()).map(|row| {
            let (items, length) = self.run(row);
            // SAFETY: the row is aligned, allocated and initialised, as in `row`. No phase is in progress, and none begins while
            // `self` is borrowed exclusively. No two rows share memory, and each is lent once.
            unsafe { slice::from_raw_parts_mut(items, length) }
        })
    }

    /// Collective. Empty rows, as a part of an `Owner`, whom reports name.
    pub(super) fn create<Owner: 'static>(
        rows: usize,
        caller: &'static Location<'static>,
    ) -> Result<Self, AllocError> {
        const {
            let () = T::CHECK;
            // Memory would not bound their number, and a coref has 43 bits for it.
            assert!(
                size_of::<T>() > 0,
                "a ragged coarray of values without bytes is of no use"
            );
        };
        Ok(Self {
            descriptions: create_part::<Owner, _>(rows, caller, |_| [0; 2])?,
            blocks: vec![None; rows],
            items: PhantomData,
        })
    }

    /// A row of this image, whatever the phase. There is such a row.
    fn run(&self, row: usize) -> (*mut T, usize) {
        // SAFETY: the descriptions are aligned, allocated and initialised. Only this image writes its own, through `&mut self`.
        let [offset, length] = unsafe { (&*self.descriptions.pointer())[row] };
        let image = self.storage().image();
        match length {
            0 => (NonNull::dangling().as_ptr(), 0),
            // SAFETY: the description names a block in this image's heap, so the pointer stays in it.
            _ => (
                unsafe { image.heap(image.index()).add(offset).cast() },
                length,
            ),
        }
    }

    /// A row of this image, whatever the phase. There is such a row.
    ///
    /// # Safety
    /// Nobody writes to the row while the reference lives.
    #[inline]
    pub(super) unsafe fn row(&self, row: usize) -> &[T] {
        let (items, length) = self.run(row);
        // SAFETY: the row is aligned, allocated and initialised by `set`; an empty one is dangling but aligned. The caller vouches
        // that nobody writes to it.
        unsafe { slice::from_raw_parts(items, length) }
    }

    /// # Panics
    /// If there is no such row.
    #[inline]
    #[track_caller]
    pub(super) fn check(&self, row: usize) {
        if row >= self.len() {
            no_such_row(row, self.len(), self.storage().image().index());
        }
    }
}

impl<T: Remote> Index<usize> for RaggedRows<T> {
    type Output = [T];

    /// # Panics
    /// If there is no such row, or the guard of an earlier phase was leaked.
    #[inline]
    #[track_caller]
    fn index(&self, row: usize) -> &[T] {
        self.private();
        self.check(row);
        // SAFETY: no phase is in progress, so no other image may reach the row, and only borrows of `self` alias it.
        unsafe { self.row(row) }
    }
}

impl<T: Remote> IndexMut<usize> for RaggedRows<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, row: usize) -> &mut [T] {
        self.private();
        self.check(row);
        let (items, length) = self.run(row);
        // SAFETY: the row is aligned, allocated and initialised, as in `row`. No phase is in progress, and `self` is borrowed
        // exclusively, so nothing aliases it.
        unsafe { slice::from_raw_parts_mut(items, length) }
    }
}

impl<T: Remote> Drop for RaggedRows<T> {
    fn drop(&mut self) {
        // In a leaked phase other images may still reach the rows.
        if self.storage().is_in_phase() {
            return;
        }
        for block in self.blocks.iter_mut().filter_map(Option::take) {
            // SAFETY: the block was allocated here and is freed once. No phase is in progress, so no image will access it.
            unsafe { self.descriptions.storage.image().free_ragged(block) };
        }
    }
}

/// As [`Coarray`].
impl<T: Remote + fmt::Debug> fmt::Debug for RaggedRows<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.storage().is_in_phase() {
            return write!(formatter, "RaggedRows<{}>, still open", type_name::<T>());
        }
        formatter.debug_list().entries(self.iter()).finish()
    }
}
