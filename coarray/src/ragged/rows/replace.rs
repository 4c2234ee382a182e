//! Rows of another length, which an image has without the others.

use std::any::type_name;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::AllocError;

use super::RaggedRows;

impl<T: Remote> RaggedRows<T> {
    /// Local. Replaces a row of this image by `length` items, item `i` being `item(i)`.
    ///
    /// If `item` panics, the row is empty.
    ///
    /// # Panics
    /// If there is no such row. If there is no room; the old row is then gone.
    ///
    /// # Examples
    /// See [`RaggedRows`].
    ///
    /// # Source
    /// Fortran allocatable components of coarrays, 2018 clause 9.7.1.2: their allocation synchronises nothing.
    #[track_caller]
    pub fn replace(&mut self, row: usize, length: usize, item: impl FnMut(usize) -> T) {
        if let Err(error) = self.try_replace(row, length, item) {
            panic!("{error}");
        }
    }

    /// Local. As [`replace`](Self::replace), but returns the error.
    ///
    /// # Errors
    /// If there is no room; the row is then empty.
    ///
    /// # Panics
    /// If there is no such row, or the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let mut queues = RaggedRows::<u64>::empty(2);
    ///     queues.replace(0, 10, |i| i as u64);
    ///     let refused = queues.try_replace(1, 1 << 20, |i| i as u64);
    ///     refused.is_err() && queues[1].is_empty() && queues[0].len() == 10
    /// });
    /// assert_eq!(outcome.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`replace`](Self::replace), with `stat`.
    #[track_caller]
    pub fn try_replace(
        &mut self,
        row: usize,
        length: usize,
        item: impl FnMut(usize) -> T,
    ) -> Result<(), AllocError> {
        self.set(row, length, item, (type_name::<Self>(), Location::caller()))
    }

    /// What `try_replace` does, for a `subject` that was called at a line.
    #[track_caller]
    pub(crate) fn set(
        &mut self,
        row: usize,
        length: usize,
        mut item: impl FnMut(usize) -> T,
        (subject, caller): (&'static str, &'static Location<'static>),
    ) -> Result<(), AllocError> {
        self.check(row);
        // Empty until all items are there: `item` may panic.
        self.descriptions[row] = [0, 0];
        let image = self.descriptions.storage.image();
        if let Some(block) = self.blocks[row].take() {
            // SAFETY: the block was allocated here and is freed once. The description no longer names it, and no phase is in
            // progress: no image will access it.
            unsafe { image.free_ragged(block) };
        }
        if length == 0 {
            return Ok(());
        }
        let bytes = length
            .checked_mul(size_of::<T>())
            .ok_or(AllocError::TooLarge { length, subject })?;
        let block = image.allocate_ragged(bytes, align_of::<T>(), subject, caller)?;
        self.blocks[row] = Some(block);
        // SAFETY: the block lies in this image's heap, so the pointer stays in it.
        let items = unsafe { image.heap(image.index()).add(block.offset()).cast::<T>() };
        for index in 0..length {
            // SAFETY: the block is aligned for `T` and has room for `length` items; the index is less.
            unsafe { items.add(index).write(item(index)) }
        }
        self.descriptions[row] = [block.offset(), length];
        Ok(())
    }
}
