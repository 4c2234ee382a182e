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
#[derive(Debug)]
#[must_use = "the operation is complete when this says so"]
pub struct Request<'w> {
    raw: MPI_Request,
    window: PhantomData<&'w Window<'w>>,
}

/// A put or a get that was begun with memory of its own.
///
/// Dropping it waits. Leaking it leaks the memory, too, so that MPI never writes what is not its own any more.
#[derive(Debug)]
#[must_use = "the operation is complete when this says so"]
pub struct Transfer<'w, T> {
    request: Request<'w>,
    /// Dropped only when MPI has said that it uses them no more.
    elements: ManuallyDrop<Vec<T>>,
}

impl Window<'_> {
    /// Begins to copy `source` to `offset` in the memory of `rank`. The request gives the elements back, which
    /// tells nothing about the other end: the copy has arrived after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the place is not in the window or not aligned, or if there are more than `i32::MAX`
    /// elements; those of MPI.
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
    pub fn request_put<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        source: Vec<T>,
    ) -> Result<Transfer<'_, T>, Error> {
        // SAFETY: the elements stay where they are until the request is complete.
        let request =
            unsafe { self.request_put_from(rank, offset, source.as_ptr(), source.len())? };
        Ok(Transfer {
            request,
            elements: ManuallyDrop::new(source),
        })
    }

    /// Begins to get `count` elements from `offset` in the memory of `rank`.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    pub fn request_get<T: Element>(
        &self,
        rank: i32,
        offset: usize,
        count: usize,
    ) -> Result<Transfer<'_, T>, Error> {
        self.check_places::<T>(rank, offset, count)?;
        let mut elements = vec![T::default(); count];
        // SAFETY: the elements stay where they are until the request is complete.
        let request = unsafe { self.request_get_into(rank, offset, elements.as_mut_ptr(), count)? };
        let elements = ManuallyDrop::new(elements);
        Ok(Transfer { request, elements })
    }

    /// As [`request_put`](Self::request_put), from memory that is lent.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    ///
    /// # Safety
    /// Until the request is complete, or the window flushed: the source is valid for reads, and nobody writes it.
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
        // SAFETY: any handle will do, for it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the window lives, in an epoch; both places are as long as the count, by the check and by
        // the caller's word.
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

    /// As [`request_get`](Self::request_get), into memory that is lent.
    ///
    /// # Errors
    /// As [`request_put`](Self::request_put).
    ///
    /// # Safety
    /// Until the request is complete, or the window flushed: the target is valid for writes, and nobody reads or writes it.
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
        // SAFETY: any handle will do, for it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: as in `request_put_from`.
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
    fn new(raw: MPI_Request) -> Self {
        Self {
            raw,
            window: PhantomData,
        }
    }

    /// Whether the operation is complete at this end. Lets MPI make progress.
    ///
    /// # Errors
    /// Those of MPI.
    #[inline]
    pub fn test(&mut self) -> Result<bool, Error> {
        let mut is_complete = 0;
        // SAFETY: the request lives, or is null, for which MPI says that it is complete.
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

    /// Waits until the operation is complete at this end.
    ///
    /// # Errors
    /// Those of MPI.
    #[inline]
    pub fn wait(mut self) -> Result<(), Error> {
        self.finish()
    }

    /// MPI's name of the request, which it is then up to the caller to complete.
    #[inline]
    #[must_use]
    pub fn into_raw(self) -> MPI_Request {
        ManuallyDrop::new(self).raw
    }

    fn finish(&mut self) -> Result<(), Error> {
        // SAFETY: the request lives, or is null, for which there is nothing to wait.
        check("MPI_Wait", unsafe {
            ffi::MPI_Wait(&raw mut self.raw, ffi::RSMPI_STATUS_IGNORE)
        })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        // SAFETY: a constant of rsmpi's.
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
    /// Whether the operation is complete at this end. Lets MPI make progress.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn test(&mut self) -> Result<bool, Error> {
        self.request.test()
    }

    /// Waits until the operation is complete at this end, and returns what it copied.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn wait(mut self) -> Result<Vec<T>, Error> {
        self.request.finish()?;
        Ok(std::mem::take(&mut *self.elements))
    }
}

impl<T> Drop for Transfer<'_, T> {
    fn drop(&mut self) {
        if self.request.finish().is_ok() {
            // SAFETY: this is dropped once, and MPI uses the elements no more.
            unsafe { ManuallyDrop::drop(&mut self.elements) };
        }
    }
}
