//! When transfers are complete: at both ends, or at this one.

use mpi::ffi;

use crate::error::check;
use crate::{Error, Window};

impl Window<'_> {
    /// Local. Completes this process's operations on `rank`, at both ends.
    ///
    /// # Errors
    /// If there is no such process; errors of MPI.
    ///
    /// # Example
    /// See [`Window`].
    ///
    /// # Source
    /// `MPI_Win_flush`, MPI 3.1 section 11.5.4.
    #[inline]
    pub fn flush(&self, rank: i32) -> Result<(), Error> {
        self.check_rank(rank)?;
        // SAFETY: the process is one of the window's, by the check.
        unsafe { self.flush_unchecked(rank) }
    }

    /// Local. As [`flush`](Self::flush), without the check of the process.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Safety
    /// `rank` is a process of the window.
    ///
    /// # Example
    /// See [`Window`], for [`flush`](Self::flush).
    ///
    /// # Source
    /// As [`flush`](Self::flush).
    #[inline]
    pub unsafe fn flush_unchecked(&self, rank: i32) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch to all its processes; the caller vouches that `rank` is one of them.
        check("MPI_Win_flush", unsafe {
            ffi::MPI_Win_flush(rank, self.as_raw())
        })
    }

    /// Local. Completes this process's operations on all others, at both ends.
    ///
    /// One after the other: `MPI_Win_flush_all` of MPICH 4.0 returns while puts are in flight. If only some processes
    /// are concerned, [`flush`](Self::flush) costs less.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// for rank in 0..window.size() {
    ///     window.put(rank, 0, &[1_u8])?;
    /// }
    /// window.flush_all()?;
    /// let mut byte = [0_u8];
    /// window.get(window.size() - 1, 0, &mut byte)?;
    /// assert_eq!(byte, [1]);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Win_flush_all`, MPI 3.1 section 11.5.4.
    pub fn flush_all(&self) -> Result<(), Error> {
        (0..self.size()).try_for_each(|rank| self.flush(rank))
    }

    /// Local. Completes this process's operations on `rank` at its own end, so that memory lent to them is free again.
    ///
    /// # Errors
    /// If there is no such process; errors of MPI.
    ///
    /// # Example
    /// See [`start_put`](Self::start_put).
    ///
    /// # Source
    /// `MPI_Win_flush_local`, MPI 3.1 section 11.5.4.
    #[inline]
    pub fn flush_local(&self, rank: i32) -> Result<(), Error> {
        self.check_rank(rank)?;
        // SAFETY: the process is one of the window's, by the check.
        unsafe { self.flush_local_unchecked(rank) }
    }

    /// Local. As [`flush_local`](Self::flush_local), without the check of the process.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Safety
    /// `rank` is a process of the window.
    ///
    /// # Example
    /// See [`start_put`](Self::start_put), for [`flush_local`](Self::flush_local).
    ///
    /// # Source
    /// As [`flush_local`](Self::flush_local).
    #[inline]
    pub unsafe fn flush_local_unchecked(&self, rank: i32) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch to all its processes; the caller vouches that `rank` is one of them.
        check("MPI_Win_flush_local", unsafe {
            ffi::MPI_Win_flush_local(rank, self.as_raw())
        })
    }

    /// Local. As [`flush_local`](Self::flush_local), of the operations on all processes.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::{Operation, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// window.accumulate(window.rank(), 0, Operation::Replace, 5_u64)?;
    /// window.flush_local_all()?;
    /// window.flush(window.rank())?;
    /// assert_eq!(window.fetch_and_op(window.rank(), 0, Operation::Load, 0_u64)?, 5);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Win_flush_local_all`, MPI 3.1 section 11.5.4.
    #[inline]
    pub fn flush_local_all(&self) -> Result<(), Error> {
        // SAFETY: the window lives, in an epoch to all its processes.
        check("MPI_Win_flush_local_all", unsafe {
            ffi::MPI_Win_flush_local_all(self.as_raw())
        })
    }

    /// Local. Orders this process's own reads and writes of its memory before and after the call, and lets MPI make
    /// progress.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// See [`write`](Self::write).
    ///
    /// # Source
    /// `MPI_Win_sync`, MPI 3.1 section 11.5.4.
    pub fn sync(&self) -> Result<(), Error> {
        // SAFETY: the window lives.
        check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(self.as_raw()) })
    }

    /// Ends the program if a flush failed: MPI may then still use borrowed memory.
    #[inline]
    pub(crate) fn settle(&self, flushed: Result<(), Error>) {
        if let Err(error) = flushed {
            give_up(&error);
        }
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
