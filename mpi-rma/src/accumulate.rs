//! Atomic operations that return nothing.

use std::ffi::{c_int, c_void};

use mpi::ffi::{self, MPI_Aint, MPI_Request};

use crate::element::datatype;
use crate::error::check;
use crate::transfer::AT_ONCE;
use crate::{Error, Operation, Window, Word};

impl Window<'_> {
    /// One-sided. Applies `operation` with `operand` to the word at `offset` of `rank`.
    ///
    /// In one step for all processes that reach the word by atomic operations of the same type. Complete after
    /// [`flush`](Self::flush); earlier puts to `rank` that are not may come later. Some libraries keep it until then, or until
    /// [`flush_local`](Self::flush_local).
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
    /// for _ in 0..3 {
    ///     window.accumulate(window.rank(), 0, Operation::Sum, 2_u64)?;
    /// }
    /// window.flush(window.rank())?;
    /// assert_eq!(window.fetch_and_op(window.rank(), 0, Operation::Load, 0_u64)?, 6);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Raccumulate`, MPI 3.1 section 11.3.5.
    #[inline]
    pub fn accumulate<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        operation: Operation,
        operand: T,
    ) -> Result<(), Error> {
        let words = std::slice::from_ref(&operand);
        self.accumulate_all([(rank, offset, words)], operation)
    }

    /// One-sided. As [`accumulate`](Self::accumulate) for each of consecutive words of some processes. Each of `targets` is a process, the
    /// offset of its first word, and the operands. They do not change in one step together.
    ///
    /// # Errors
    /// As [`accumulate`](Self::accumulate); then some words may have changed.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::{Operation, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 24)?;
    /// window.accumulate_all([(window.rank(), 8, &[3_u64, 4][..])], Operation::Replace)?;
    /// window.flush(window.rank())?;
    /// assert_eq!(window.fetch_and_op(window.rank(), 16, Operation::Load, 0_u64)?, 4);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// As [`accumulate`](Self::accumulate).
    #[inline]
    pub fn accumulate_all<'a, T: Word>(
        &self,
        targets: impl IntoIterator<Item = (i32, usize, &'a [T])>,
        operation: Operation,
    ) -> Result<(), Error> {
        // Settles at the end, and if `targets` panics.
        let mut begun = Begun::new(self);
        for (rank, offset, operands) in targets {
            self.check_places::<T>(rank, offset, operands.len())?;
            // SAFETY: the words are in the window and aligned, by the check, and the operands outlive `begun`.
            unsafe { begun.begin(rank, offset, operation, operands)? };
        }
        Ok(())
    }

    /// One-sided. Starts an [`accumulate`](Self::accumulate), whose operand MPI reads until it is complete.
    ///
    /// # Errors
    /// As [`accumulate`](Self::accumulate).
    ///
    /// # Safety
    /// `operand` is aligned, valid for reads, and not written, until [`flush_local`](Self::flush_local).
    ///
    /// # Example
    /// ```
    /// use mpi_rma::{Operation, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 8)?;
    /// let (me, amounts) = (window.rank(), [1_u64, 2, 3]);
    /// for amount in &amounts {
    ///     // SAFETY: the amounts live until after the flush.
    ///     unsafe { window.start_accumulate(me, 0, Operation::Sum, amount)? };
    /// }
    /// window.flush(me)?; // of all three
    /// assert_eq!(window.fetch_and_op(me, 0, Operation::Load, 0_u64)?, 6);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Accumulate`, MPI 3.1 section 11.3.4.
    #[inline]
    pub unsafe fn start_accumulate<T: Word>(
        &self,
        rank: i32,
        offset: usize,
        operation: Operation,
        operand: *const T,
    ) -> Result<(), Error> {
        self.check_places::<T>(rank, offset, 1)?;
        // SAFETY: the window lives, in an epoch; the word is inside it and aligned, by the check; the caller vouches for
        // the operand.
        let code = unsafe {
            ffi::MPI_Accumulate(
                operand.cast::<c_void>(),
                1,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                1,
                datatype::<T>(),
                operation.raw(),
                self.as_raw(),
            )
        };
        check("MPI_Accumulate", code)
    }
}

/// The most operations that are under way before they are waited for.
const AT_A_TIME: usize = 8;

/// Operations that have begun: the first `count` requests. MPI has read their operands when this is dropped.
///
/// It waits for requests, and not for targets by `MPI_Win_flush_local`: where processes share memory, that is a memory fence in Open MPI, which waits for the
/// cache line of the target.
struct Begun<'a> {
    window: &'a Window<'a>,
    count: usize,
    requests: [MPI_Request; AT_A_TIME],
}

impl<'a> Begun<'a> {
    #[inline]
    fn new(window: &'a Window<'a>) -> Self {
        Self {
            window,
            count: 0,
            // SAFETY: a constant that rsmpi defines.
            requests: [unsafe { ffi::RSMPI_REQUEST_NULL }; AT_A_TIME],
        }
    }

    /// # Safety
    /// The words are in the window and aligned, and the operands outlive `self`.
    #[inline]
    unsafe fn begin<T: Word>(
        &mut self,
        rank: i32,
        offset: usize,
        operation: Operation,
        operands: &[T],
    ) -> Result<(), Error> {
        if operation == Operation::Load {
            // `MPI_NO_OP` is for operations that return something.
            return Ok(());
        }
        let mut offset = offset;
        for piece in operands.chunks(AT_ONCE) {
            if self.count == AT_A_TIME {
                self.wait();
            }
            let count = piece.len() as c_int;
            // SAFETY: the window lives, in an epoch; the caller vouches for the words, and that the operands outlive `self`, whose end is after the
            // request's.
            let code = unsafe {
                ffi::MPI_Raccumulate(
                    piece.as_ptr().cast::<c_void>(),
                    count,
                    datatype::<T>(),
                    rank,
                    offset as MPI_Aint,
                    count,
                    datatype::<T>(),
                    operation.raw(),
                    self.window.as_raw(),
                    &raw mut self.requests[self.count],
                )
            };
            check("MPI_Raccumulate", code)?;
            self.count += 1;
            offset += size_of_val(piece);
        }
        Ok(())
    }

    #[inline]
    fn wait(&mut self) {
        for request in &mut self.requests[..self.count] {
            // SAFETY: the request is under way.
            let code = unsafe { ffi::MPI_Wait(request, ffi::RSMPI_STATUS_IGNORE) };
            self.window.settle(check("MPI_Wait", code));
        }
        self.count = 0;
    }
}

impl Drop for Begun<'_> {
    #[inline]
    fn drop(&mut self) {
        self.wait();
    }
}
