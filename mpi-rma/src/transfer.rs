//! Puts and gets, and how they are completed.

use std::ffi::{c_int, c_void};

use mpi::ffi::{self, MPI_Aint};

use crate::element::datatype;
use crate::error::check;
use crate::{Element, Error, Window};

/// How many elements one call of MPI moves at most: counts are `int`.
const AT_ONCE: usize = 1 << 30;

impl Window<'_> {
    /// Copies `source` to `offset` in the memory of `rank`. The source may be reused on return; the
    /// copy has arrived after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; those of MPI.
    #[inline]
    pub fn put<T: Element>(&self, rank: i32, offset: usize, source: &[T]) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, source.len())?;
        // SAFETY: the source is valid until the copy is complete at this end, which is before the return.
        let started = unsafe { self.start_put(rank, offset, source.as_ptr(), source.len()) };
        self.settle(self.flush_local(rank));
        started
    }

    /// Fills `target` from `offset` in the memory of `rank`; complete on return.
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; those of MPI.
    #[inline]
    pub fn get<T: Element>(&self, rank: i32, offset: usize, target: &mut [T]) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, target.len())?;
        // SAFETY: the target is valid until the copy is complete, which is before the return.
        let started = unsafe { self.start_get(rank, offset, target.as_mut_ptr(), target.len()) };
        self.settle(self.flush_local(rank));
        started
    }

    /// Begins to copy `count` elements to `offset` in the memory of `rank`. Complete at this end after
    /// [`flush_local`](Self::flush_local), at the other after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; those of MPI.
    ///
    /// # Safety
    /// Until the copy is complete at this end: the source is valid for reads, and nobody writes it.
    #[inline(always)]
    pub unsafe fn start_put<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, count)?;
        if count <= AT_ONCE {
            // SAFETY: the place is in the window by the check above; the caller vouches for the rest.
            return unsafe { self.start_put_at_once(rank, offset, source, count) };
        }
        for first in (0..count).step_by(AT_ONCE) {
            let count = AT_ONCE.min(count - first);
            let offset = offset + first * size_of::<T>();
            // SAFETY: as above, since the piece is in both places.
            unsafe { self.start_put_at_once(rank, offset, source.add(first), count)? };
        }
        Ok(())
    }

    /// As [`start_put`](Self::start_put), for who knows that the place is there.
    ///
    /// # Errors
    /// Those of MPI.
    ///
    /// # Safety
    /// As [`start_put`](Self::start_put); the place is in the window, and has at most 2^30 elements, which is as many as one call
    /// of MPI moves.
    #[inline]
    pub unsafe fn start_put_at_once<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch; the caller vouches for both places.
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

    /// Begins to fill `count` elements from `offset` in the memory of `rank`. Complete after
    /// [`flush_local`](Self::flush_local) or [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned; those of MPI.
    ///
    /// # Safety
    /// Until the copy is complete: the target is valid for writes, and nobody reads or writes it.
    #[inline(always)]
    pub unsafe fn start_get<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, count)?;
        if count <= AT_ONCE {
            // SAFETY: the place is in the window by the check above; the caller vouches for the rest.
            return unsafe { self.start_get_at_once(rank, offset, target, count) };
        }
        for first in (0..count).step_by(AT_ONCE) {
            let count = AT_ONCE.min(count - first);
            let offset = offset + first * size_of::<T>();
            // SAFETY: as above, since the piece is in both places.
            unsafe { self.start_get_at_once(rank, offset, target.add(first), count)? };
        }
        Ok(())
    }

    /// # Safety
    /// As [`start_get`](Self::start_get); the place is in the window, and one call can move all of it.
    #[inline]
    unsafe fn start_get_at_once<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch; the caller vouches for both places.
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

    /// Completes this process's operations on `rank`, at both ends.
    ///
    /// # Errors
    /// If there is no such process; those of MPI.
    #[inline]
    pub fn flush(&self, rank: i32) -> Result<(), Error> {
        self.check_rank(rank)?;
        // SAFETY: the window lives, in an epoch to all processes.
        check("MPI_Win_flush", unsafe {
            ffi::MPI_Win_flush(rank, self.as_raw())
        })
    }

    /// As [`flush`](Self::flush), for who knows that there is such a process.
    ///
    /// # Errors
    /// Those of MPI.
    ///
    /// # Safety
    /// `rank` is that of a process of the window.
    #[inline]
    pub unsafe fn flush_unchecked(&self, rank: i32) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch to all processes, of which the caller says that this is one.
        check("MPI_Win_flush", unsafe {
            ffi::MPI_Win_flush(rank, self.as_raw())
        })
    }

    /// Completes this process's operations on all others, at both ends.
    ///
    /// One after the other: `MPI_Win_flush_all` of MPICH 4.0 returns while puts are under way. Where only some others are
    /// concerned, [`flush`](Self::flush) costs less.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn flush_all(&self) -> Result<(), Error> {
        (0..self.size()).try_for_each(|rank| self.flush(rank))
    }

    /// Completes this process's operations on `rank` at its own end, so that memory lent to them is free again.
    ///
    /// # Errors
    /// If there is no such process; those of MPI.
    #[inline]
    pub fn flush_local(&self, rank: i32) -> Result<(), Error> {
        self.check_rank(rank)?;
        // SAFETY: the window lives, in an epoch to all processes.
        check("MPI_Win_flush_local", unsafe {
            ffi::MPI_Win_flush_local(rank, self.as_raw())
        })
    }

    /// Orders this process's own reads and writes of its memory before and after the call, and lets MPI make progress.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn sync(&self) -> Result<(), Error> {
        // SAFETY: the window lives.
        check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(self.as_raw()) })
    }

    /// Ends the program if a flush failed that was to end MPI's use of borrowed memory.
    #[inline]
    pub(crate) fn settle(&self, flushed: Result<(), Error>) {
        if let Err(error) = flushed {
            give_up(&error);
        }
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

/// Returning would end the borrow of memory that MPI may still use; so would a panic.
#[cold]
fn give_up(error: &Error) -> ! {
    eprintln!("mpi-rma: MPI did not give back memory that it was lent: {error}");
    // SAFETY: MPI is initialised.
    unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
    std::process::abort()
}
