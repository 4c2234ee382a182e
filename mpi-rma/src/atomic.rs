//! Atomic operations on one word, which return its old value.

use std::ffi::c_void;

use mpi::ffi::{self, MPI_Aint, MPI_Op};

use crate::element::datatype;
use crate::error::check;
use crate::{Error, Request, Window, Word, constants};

/// The operation of a [`Window::fetch_and_op`] or [`Window::accumulate`] on a word.
///
/// # Example
/// See [`Window::fetch_and_op`].
///
/// # Source
/// The operations of `MPI_Fetch_and_op`, MPI 3.1 section 11.3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Leaves it as it is.
    Load,
    /// Replaces it.
    Replace,
    /// Adds, wrapping around.
    Sum,
    /// Keeps the bits that are in both.
    And,
    /// Keeps the bits that are in either.
    Or,
    /// Keeps the bits that are in only one of them.
    Xor,
    /// Keeps the smaller one.
    Min,
    /// Keeps the larger one.
    Max,
}

impl Operation {
    #[inline]
    pub(crate) fn raw(self) -> MPI_Op {
        // SAFETY: these are constants that rsmpi defines.
        unsafe {
            match self {
                Self::Load => constants::no_op(),
                Self::Replace => constants::replace(),
                Self::Sum => ffi::RSMPI_SUM,
                Self::And => ffi::RSMPI_BAND,
                Self::Or => ffi::RSMPI_BOR,
                Self::Xor => ffi::RSMPI_BXOR,
                Self::Min => ffi::RSMPI_MIN,
                Self::Max => ffi::RSMPI_MAX,
            }
        }
    }
}

impl Window<'_> {
    /// One-sided. Applies `operation` with `operand` to the word at `offset` of `rank`, and returns its old value.
    ///
    /// In one step for all processes that reach the word by atomic operations of the same type; complete on return.
    ///
    /// # Errors
    /// If the word is not in the window or not aligned; errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::{Operation, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// let ticket: u64 = window.fetch_and_op(0, 0, Operation::Sum, 1)?;
    /// assert!(ticket < window.size() as u64);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Fetch_and_op`, MPI 3.1 section 11.3.4.
    #[inline]
    pub fn fetch_and_op<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        operation: Operation,
        operand: T,
    ) -> Result<T, Error> {
        self.check_places::<T>(rank, offset, 1)?;
        let mut former = T::default();
        // SAFETY: the window lives, in an epoch; the word is inside it and aligned, by the check; `operand` and
        // `former` outlive the flush, which completes the operation.
        let code = unsafe {
            ffi::MPI_Fetch_and_op(
                (&raw const operand).cast::<c_void>(),
                (&raw mut former).cast::<c_void>(),
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                operation.raw(),
                self.as_raw(),
            )
        };
        self.settle(self.flush(rank));
        check("MPI_Fetch_and_op", code)?;
        Ok(former)
    }

    /// One-sided. Replaces the word at `offset` of `rank` by `new` if it is `current`, and returns its old value.
    ///
    /// In one step for all processes that reach the word by atomic operations of the same type; complete on return.
    ///
    /// # Errors
    /// If the word is not in the window or not aligned; errors of MPI.
    ///
    /// # Example
    /// A lock that is taken or not:
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// let me = i64::from(window.rank()) + 1;
    /// if window.compare_and_swap(0, 0, 0, me)? == 0 {
    ///     assert_eq!(window.compare_and_swap(0, 0, me, 0)?, me); // taken, and given back
    /// }
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Compare_and_swap`, MPI 3.1 section 11.3.4.
    #[inline]
    pub fn compare_and_swap<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        current: T,
        new: T,
    ) -> Result<T, Error> {
        self.check_places::<T>(rank, offset, 1)?;
        let mut former = T::default();
        // SAFETY: the window lives, in an epoch; the word is inside it and aligned, by the check; `new`, `current` and
        // `former` outlive the flush, which completes the operation.
        let code = unsafe {
            ffi::MPI_Compare_and_swap(
                (&raw const new).cast::<c_void>(),
                (&raw const current).cast::<c_void>(),
                (&raw mut former).cast::<c_void>(),
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                self.as_raw(),
            )
        };
        self.settle(self.flush(rank));
        check("MPI_Compare_and_swap", code)?;
        Ok(former)
    }

    /// One-sided. Starts a [`fetch_and_op`](Self::fetch_and_op), which leaves the old value in `former` when the request is
    /// complete.
    ///
    /// # Errors
    /// As [`fetch_and_op`](Self::fetch_and_op).
    ///
    /// # Safety
    /// Until the request is complete `operand` is aligned, valid for reads, and not written; `former` is aligned, valid for
    /// writes, and not accessed.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::{Operation, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// let (amount, mut former) = (5_u64, 99);
    /// // SAFETY: both live until after the wait.
    /// let request = unsafe {
    ///     window.request_fetch_and_op(window.rank(), 0, Operation::Sum, &amount, &mut former)?
    /// };
    /// request.wait()?;
    /// assert_eq!(former, 0);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Rget_accumulate`, MPI 3.1 section 11.3.5.
    #[inline]
    pub unsafe fn request_fetch_and_op<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        operation: Operation,
        operand: *const T,
        former: *mut T,
    ) -> Result<Request<'_>, Error> {
        self.check_places::<T>(rank, offset, 1)?;
        // SAFETY: a constant that rsmpi defines; any handle will do, because it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the window lives, in an epoch; the word is inside it and aligned, by the check; the caller vouches for
        // both words here.
        let code = unsafe {
            ffi::MPI_Rget_accumulate(
                operand.cast::<c_void>(),
                1,
                datatype::<T>(),
                former.cast::<c_void>(),
                1,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                1,
                datatype::<T>(),
                operation.raw(),
                self.as_raw(),
                &raw mut raw,
            )
        };
        check("MPI_Rget_accumulate", code)?;
        Ok(Request::new(raw))
    }

    /// One-sided. Starts a [`compare_and_swap`](Self::compare_and_swap), which leaves the old value in `former` when a
    /// [`flush_local`](Self::flush_local) has returned.
    ///
    /// # Errors
    /// As [`compare_and_swap`](Self::compare_and_swap).
    ///
    /// # Safety
    /// Until then `current` and `new` are aligned, valid for reads, and not written; `former` is aligned, valid for writes,
    /// and not accessed.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// let (me, current, new, mut former) = (window.rank(), 0_u64, 7, 99);
    /// // SAFETY: all live until after the flush.
    /// unsafe { window.start_compare_and_swap(me, 0, &current, &new, &mut former)? };
    /// window.flush_local(me)?;
    /// assert_eq!(former, 0);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Compare_and_swap`, MPI 3.1 section 11.3.4.
    #[inline]
    pub unsafe fn start_compare_and_swap<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        current: *const T,
        new: *const T,
        former: *mut T,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, 1)?;
        // SAFETY: the window lives, in an epoch; the word is inside it and aligned, by the check; the caller vouches for
        // the three words here.
        let code = unsafe {
            ffi::MPI_Compare_and_swap(
                new.cast::<c_void>(),
                current.cast::<c_void>(),
                former.cast::<c_void>(),
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                self.as_raw(),
            )
        };
        check("MPI_Compare_and_swap", code)
    }
}
