//! Puts and gets, and how they are completed.

use std::ffi::{c_int, c_void};

use mpi::ffi::{self, MPI_Aint};

use crate::element::datatype;
use crate::error::check;
use crate::{Element, Error, Window};

/// The most elements that one call of MPI moves: counts are `int`.
pub(crate) const AT_ONCE: usize = 1 << 30;

impl Window<'_> {
    /// One-sided. Copies `source` to `offset` in the memory of `rank`. The source may be reused on return; the
    /// copy has arrived after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; errors of MPI.
    ///
    /// # Example
    /// See [`Window`].
    ///
    /// # Source
    /// `MPI_Put`, MPI 3.1 section 11.3.1.
    #[inline]
    pub fn put<T: Element>(&self, rank: i32, offset: usize, source: &[T]) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, source.len())?;
        // SAFETY: the source is valid until the copy is complete at this end, which is before the return.
        let started = unsafe { self.start_put(rank, offset, source.as_ptr(), source.len()) };
        self.settle(self.flush_local(rank));
        started
    }

    /// One-sided. Fills `target` from `offset` in the memory of `rank`; complete on return.
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 32)?;
    /// let mut numbers = [1.5_f64; 4];
    /// window.get(window.size() - 1, 0, &mut numbers)?;
    /// assert_eq!(numbers, [0.0; 4]); // windows begin as zeros
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Get`, MPI 3.1 section 11.3.2.
    #[inline]
    pub fn get<T: Element>(&self, rank: i32, offset: usize, target: &mut [T]) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, target.len())?;
        // SAFETY: the target is valid until the copy is complete, which is before the return.
        let started = unsafe { self.start_get(rank, offset, target.as_mut_ptr(), target.len()) };
        self.settle(self.flush_local(rank));
        started
    }

    /// One-sided. Begins to copy `count` elements to `offset` in the memory of `rank`. Complete at this end after
    /// [`flush_local`](Self::flush_local), at the other after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; errors of MPI.
    ///
    /// # Safety
    /// Until the copy is complete at this end: the source is valid for reads, and nobody writes it.
    ///
    /// # Example
    /// Several puts, completed together:
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 32)?;
    /// let (rows, me) = ([[1_u32, 2], [3, 4]], window.rank());
    /// for (index, row) in rows.iter().enumerate() {
    ///     // SAFETY: the rows live, and stay as they are, until the flush.
    ///     unsafe { window.start_put(me, 16 * index, row.as_ptr(), 2)? };
    /// }
    /// window.flush(me)?;
    /// let mut back = [0_u32; 2];
    /// // SAFETY: the target lives, and is not looked at, until the flush.
    /// unsafe { window.start_get(me, 16, back.as_mut_ptr(), 2)? };
    /// window.flush_local(me)?;
    /// assert_eq!(back, [3, 4]);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Put`, MPI 3.1 section 11.3.1.
    #[inline(always)]
    pub unsafe fn start_put<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, count)?;
        // SAFETY: the place is in the window by the check above; the caller vouches for the rest.
        unsafe { self.start_put_unchecked(rank, offset, source, count) }
    }

    /// One-sided. As [`start_put`](Self::start_put), without the check of the place.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Safety
    /// As [`start_put`](Self::start_put); the place is in the window, and aligned.
    ///
    /// # Example
    /// See [`start_put`](Self::start_put).
    ///
    /// # Source
    /// `MPI_Put`, MPI 3.1 section 11.3.1.
    #[inline(always)]
    pub unsafe fn start_put_unchecked<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<(), Error> {
        if count > AT_ONCE {
            return in_pieces(count, move |first, count| {
                let offset = offset + first * size_of::<T>();
                // SAFETY: the caller vouches for the whole place and the whole memory, and the piece is inside both.
                unsafe { self.start_put_at_once(rank, offset, source.add(first), count) }
            });
        }
        // SAFETY: the caller vouches for the window's place and for the memory; one call can move all of it.
        unsafe { self.start_put_at_once(rank, offset, source, count) }
    }

    /// # Safety
    /// As [`start_put_unchecked`](Self::start_put_unchecked); one call can move all of it.
    #[inline]
    unsafe fn start_put_at_once<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch; the caller vouches that the place is in the window and aligned, that
        // the memory is valid until the copy is complete, and that `count` fits a `c_int`.
        let code = unsafe {
            ffi::MPI_Put(
                source.cast::<c_void>(),
                count as c_int,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                count as c_int,
                datatype::<T>(),
                self.as_raw(),
            )
        };
        check("MPI_Put", code)
    }

    /// One-sided. Begins to fill `count` elements from `offset` in the memory of `rank`. Complete after
    /// [`flush_local`](Self::flush_local) or [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; errors of MPI.
    ///
    /// # Safety
    /// Until the copy is complete: the target is valid for writes, and nobody reads or writes it.
    ///
    /// # Example
    /// See [`start_put`](Self::start_put).
    ///
    /// # Source
    /// `MPI_Get`, MPI 3.1 section 11.3.2.
    #[inline(always)]
    pub unsafe fn start_get<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, count)?;
        // SAFETY: the place is in the window by the check above; the caller vouches for the rest.
        unsafe { self.start_get_unchecked(rank, offset, target, count) }
    }

    /// One-sided. As [`start_get`](Self::start_get), without the check of the place.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Safety
    /// As [`start_get`](Self::start_get); the place is in the window, and aligned.
    ///
    /// # Example
    /// See [`start_put`](Self::start_put).
    ///
    /// # Source
    /// `MPI_Get`, MPI 3.1 section 11.3.2.
    #[inline(always)]
    pub unsafe fn start_get_unchecked<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<(), Error> {
        if count > AT_ONCE {
            return in_pieces(count, move |first, count| {
                let offset = offset + first * size_of::<T>();
                // SAFETY: the caller vouches for the whole place and the whole memory, and the piece is inside both.
                unsafe { self.start_get_at_once(rank, offset, target.add(first), count) }
            });
        }
        // SAFETY: the caller vouches for the window's place and for the memory; one call can move all of it.
        unsafe { self.start_get_at_once(rank, offset, target, count) }
    }

    /// # Safety
    /// As [`start_get_unchecked`](Self::start_get_unchecked); one call can move all of it.
    #[inline]
    unsafe fn start_get_at_once<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch; the caller vouches that the place is in the window and aligned, that
        // the memory is valid until the copy is complete, and that `count` fits a `c_int`.
        let code = unsafe {
            ffi::MPI_Get(
                target.cast::<c_void>(),
                count as c_int,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                count as c_int,
                datatype::<T>(),
                self.as_raw(),
            )
        };
        check("MPI_Get", code)
    }

    #[inline]
    pub(crate) fn check_places<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        count: usize,
    ) -> Result<(), Error> {
        let bytes = count.saturating_mul(size_of::<T>());
        self.check_place(rank, offset, bytes, align_of::<T>())
    }
}

/// Moves more elements than one call of MPI can: `move_piece(first, count)` moves `count` elements from `first` on.
#[cold]
fn in_pieces(
    count: usize,
    move_piece: impl Fn(usize, usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut pieces = (0..count).step_by(AT_ONCE);
    pieces.try_for_each(|first| move_piece(first, AT_ONCE.min(count - first)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn pieces_are_all_that_there_is_and_none_follows_an_error() {
        let pieces = RefCell::new(Vec::new());
        let move_piece = |first, count| {
            pieces.borrow_mut().push((first, count));
            Ok(())
        };
        assert_eq!(in_pieces(2 * AT_ONCE + 5, move_piece), Ok(()));
        let expected = [(0, AT_ONCE), (AT_ONCE, AT_ONCE), (2 * AT_ONCE, 5)];
        assert_eq!(pieces.take(), expected);

        let refuse = |first, count| {
            pieces.borrow_mut().push((first, count));
            Err(Error::Count { count })
        };
        let refused = in_pieces(AT_ONCE + 1, refuse);
        assert_eq!(refused, Err(Error::Count { count: AT_ONCE }));
        assert_eq!(pieces.take(), [(0, AT_ONCE)]);
    }
}
