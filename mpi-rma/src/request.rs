//! Puts and gets that complete one by one.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use mpi::ffi::{self, MPI_Aint, MPI_Request};

use crate::element::datatype;
use crate::error::check;
use crate::{Element, Error, Window};

/// A put or a get that was begun with memory lent to it.
///
/// Dropping it waits; leaking it leaves the operation to [`Window::flush`].
///
/// # Example
/// See [`Window::request_put_from`].
///
/// # Source
/// Requests, MPI 3.1 section 3.7.1.
#[derive(Debug)]
#[must_use = "the operation is complete when this says so"]
pub struct Request<'w> {
    raw: MPI_Request,
    window: PhantomData<&'w Window<'w>>,
}

/// A put or a get that was begun with memory of its own.
///
/// Dropping it waits. Leaking it leaks the memory, too, so that MPI never writes to memory that has been freed.
///
/// # Example
/// See [`Window::request_put`].
///
/// # Source
/// As [`Request`].
#[derive(Debug)]
#[must_use = "the operation is complete when this says so"]
pub struct Transfer<'w, T> {
    request: Request<'w>,
    /// Dropped only when MPI does not use them any more.
    elements: ManuallyDrop<Vec<T>>,
}

impl Window<'_> {
    /// One-sided. Begins to copy `source` to `offset` in the memory of `rank`. The request gives the elements back when
    /// MPI has read them; the copy has arrived only after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned, or if there are more than `i32::MAX`
    /// elements; errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 32)?;
    /// let put = window.request_put(window.rank(), 0, vec![1.5, 2.5])?;
    /// let numbers = put.wait()?;
    /// window.flush(window.rank())?;
    /// let get = window.request_get::<f64>(window.rank(), 8, 1)?;
    /// assert_eq!(get.wait()?, [2.5]);
    /// # assert_eq!(numbers, [1.5, 2.5]);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Rput`, MPI 3.1 section 11.3.5.
    pub fn request_put<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: Vec<T>,
    ) -> Result<Transfer<'_, T>, Error> {
        // SAFETY: the elements are valid, and stay where they are, until the request is complete: `Transfer` owns them.
        let request =
            unsafe { self.request_put_from(rank, offset, source.as_ptr(), source.len())? };
        Ok(Transfer {
            request,
            elements: ManuallyDrop::new(source),
        })
    }

    /// One-sided. Begins to get `count` elements from `offset` in the memory of `rank`.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    ///
    /// # Example
    /// See [`request_put`](Self::request_put).
    ///
    /// # Source
    /// `MPI_Rget`, MPI 3.1 section 11.3.5.
    pub fn request_get<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        count: usize,
    ) -> Result<Transfer<'_, T>, Error> {
        self.check_places::<T>(rank, offset, count)?;
        let mut elements = vec![T::default(); count];
        // SAFETY: the elements are valid, and stay where they are, until the request is complete: `Transfer` owns them.
        let request = unsafe { self.request_get_into(rank, offset, elements.as_mut_ptr(), count)? };
        let elements = ManuallyDrop::new(elements);
        Ok(Transfer { request, elements })
    }

    /// One-sided. As [`request_put`](Self::request_put), from memory that is lent.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    ///
    /// # Safety
    /// Until the request is complete, or the window flushed: the source is valid for reads, and nobody writes it.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 16)?;
    /// let (row, mut back) = ([3_u64, 4], [0_u64; 2]);
    /// let me = window.rank();
    /// // SAFETY: `row` lives, and stays as it is, until the request is complete.
    /// let put = unsafe { window.request_put_from(me, 0, row.as_ptr(), 2)? };
    /// put.wait()?;
    /// window.flush(me)?;
    /// // SAFETY: `back` lives, and is not looked at, until the request is complete.
    /// let mut get = unsafe { window.request_get_into(me, 0, back.as_mut_ptr(), 2)? };
    /// while !get.test()? {} // or do something else
    /// drop(get);
    /// assert_eq!(back, row);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Rput`, MPI 3.1 section 11.3.5.
    #[inline]
    pub unsafe fn request_put_from<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: *const T,
        count: usize,
    ) -> Result<Request<'_>, Error> {
        self.check_places::<T>(rank, offset, count)?;
        let length = count_of(count)?;
        // SAFETY: a constant that rsmpi defines; any handle will do, because it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the window lives, in an epoch; its place is aligned and has `count` elements, by the check; the
        // caller vouches that the source is valid for reads of `count` elements, and unchanged, until the request is
        // complete.
        let code = unsafe {
            ffi::MPI_Rput(
                source.cast::<c_void>(),
                length,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                length,
                datatype::<T>(),
                self.as_raw(),
                &raw mut raw,
            )
        };
        check("MPI_Rput", code)?;
        Ok(Request::new(raw))
    }

    /// One-sided. As [`request_get`](Self::request_get), into memory that is lent.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    ///
    /// # Safety
    /// Until the request is complete, or the window flushed: the target is valid for writes, and nobody reads or writes
    /// it.
    ///
    /// # Example
    /// See [`request_put_from`](Self::request_put_from).
    ///
    /// # Source
    /// `MPI_Rget`, MPI 3.1 section 11.3.5.
    #[inline]
    pub unsafe fn request_get_into<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        target: *mut T,
        count: usize,
    ) -> Result<Request<'_>, Error> {
        self.check_places::<T>(rank, offset, count)?;
        let length = count_of(count)?;
        // SAFETY: a constant that rsmpi defines; any handle will do, because it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the window lives, in an epoch; its place is aligned and has `count` elements, by the check; the
        // caller vouches that the target is valid for writes of `count` elements until the request is complete.
        let code = unsafe {
            ffi::MPI_Rget(
                target.cast::<c_void>(),
                length,
                datatype::<T>(),
                rank,
                offset as MPI_Aint,
                length,
                datatype::<T>(),
                self.as_raw(),
                &raw mut raw,
            )
        };
        check("MPI_Rget", code)?;
        Ok(Request::new(raw))
    }
}

fn count_of(count: usize) -> Result<c_int, Error> {
    c_int::try_from(count).map_err(|_| Error::Count { count })
}

impl Request<'_> {
    pub(crate) fn new(raw: MPI_Request) -> Self {
        Self {
            raw,
            window: PhantomData,
        }
    }

    /// Local. Whether the operation is complete at this end. Lets MPI make progress.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// See [`Window::request_put_from`].
    ///
    /// # Source
    /// `MPI_Test`, MPI 3.1 section 3.7.3.
    #[inline]
    pub fn test(&mut self) -> Result<bool, Error> {
        let mut is_complete = 0;
        // SAFETY: the request lives, or is null: for a null request MPI returns at once, as complete.
        let code = unsafe {
            ffi::MPI_Test(
                &raw mut self.raw,
                &raw mut is_complete,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        check("MPI_Test", code)?;
        Ok(is_complete != 0)
    }

    /// Local. Waits until the operation is complete at this end.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// See [`Window::request_put`].
    ///
    /// # Source
    /// `MPI_Wait`, MPI 3.1 section 3.7.3.
    #[inline]
    pub fn wait(mut self) -> Result<(), Error> {
        self.finish()
    }

    /// Local. MPI's handle of the request, which the caller must then complete.
    ///
    /// # Example
    /// For calls that this crate does not have, such as `MPI_Waitall`:
    /// ```
    /// use mpi::ffi;
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let window = Window::allocate(&universe, &universe.world(), 16)?;
    /// let row = [3_u64, 4];
    /// // SAFETY: `row` lives until `MPI_Waitall` returns.
    /// let mut requests = [unsafe { window.request_put_from(window.rank(), 0, row.as_ptr(), 2)? }.into_raw()];
    /// // SAFETY: one request that is under way.
    /// let code = unsafe { ffi::MPI_Waitall(1, requests.as_mut_ptr(), ffi::RSMPI_STATUSES_IGNORE) };
    /// assert_eq!(code, 0);
    /// window.flush(window.rank())?;
    /// window.free()
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub fn into_raw(self) -> MPI_Request {
        ManuallyDrop::new(self).raw
    }

    fn finish(&mut self) -> Result<(), Error> {
        // SAFETY: the request lives, or is null: for a null request MPI returns at once.
        check("MPI_Wait", unsafe {
            ffi::MPI_Wait(&raw mut self.raw, ffi::RSMPI_STATUS_IGNORE)
        })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        // SAFETY: a constant that rsmpi defines.
        if self.raw == unsafe { ffi::RSMPI_REQUEST_NULL } {
            return;
        }
        if let Err(error) = self.finish()
            && !std::thread::panicking()
        {
            panic!("{error}");
        }
    }
}

impl<T> Transfer<'_, T> {
    /// Local. Whether the operation is complete at this end. Lets MPI make progress.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// See [`Window::request_put_from`].
    ///
    /// # Source
    /// `MPI_Test`, MPI 3.1 section 3.7.3.
    pub fn test(&mut self) -> Result<bool, Error> {
        self.request.test()
    }

    /// Local. Waits until the operation is complete at this end, and returns the elements.
    ///
    /// # Errors
    /// Errors of MPI.
    ///
    /// # Example
    /// See [`Window::request_put`].
    ///
    /// # Source
    /// `MPI_Wait`, MPI 3.1 section 3.7.3.
    pub fn wait(mut self) -> Result<Vec<T>, Error> {
        self.request.finish()?;
        Ok(std::mem::take(&mut *self.elements))
    }
}

impl<T> Drop for Transfer<'_, T> {
    fn drop(&mut self) {
        if self.request.finish().is_ok() {
            // SAFETY: a value is dropped once, and MPI does not use the elements any more.
            unsafe { ManuallyDrop::drop(&mut self.elements) };
        }
    }
}
