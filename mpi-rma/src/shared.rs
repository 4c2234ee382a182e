//! Loads and stores to memory in reach of the processor: a process's own memory, and shared windows.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use mpi::ffi::{self, MPI_Aint};

use crate::error::check;
use crate::{Element, Error, Window, copy};

/// The memory of one process, in reach of the processor.
///
/// # Example
/// See [`Window::shared`].
///
/// # Source
/// `MPI_Win_shared_query`, MPI 3.1 section 11.2.3.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'w> {
    rank: i32,
    start: *mut u8,
    length: usize,
    window: PhantomData<&'w Window<'w>>,
}

impl Window<'_> {
    /// Local. Copies from `offset` in this process's own memory.
    ///
    /// It sees puts of others after they have flushed and synchronised with this process.
    ///
    /// # Errors
    /// If the place is not in the window or not aligned.
    ///
    /// # Example
    /// See [`Window`].
    pub fn read<T: Element>(&self, offset: usize, target: &mut [T]) -> Result<(), Error> {
        self.own().read(offset, target)
    }

    /// Local. Copies to `offset` in this process's own memory.
    ///
    /// Others see it after this process has called [`sync`](Self::sync) and they have synchronised with it.
    ///
    /// # Errors
    /// If the place is not in the window or not aligned.
    ///
    /// # Example
    /// ```
    /// use mpi::traits::*;
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let world = universe.world();
    /// let window = Window::allocate(&universe, &world, 8)?;
    /// window.write(0, &[i64::from(world.rank())])?;
    /// window.sync()?;
    /// world.barrier();
    /// let mut last = [0_i64];
    /// window.get(world.size() - 1, 0, &mut last)?;
    /// assert_eq!(last[0], i64::from(world.size() - 1));
    /// window.free()
    /// # }
    /// ```
    pub fn write<T: Element>(&self, offset: usize, source: &[T]) -> Result<(), Error> {
        self.own().write(offset, source)
    }

    fn own(&self) -> Segment<'_> {
        let rank = self.rank();
        Segment {
            rank,
            start: self.start(),
            length: self.length_of(rank),
            window: PhantomData,
        }
    }

    /// Local. The memory of `rank`, for this process to read and write by itself: `None` if the window is not
    /// [shared](Self::allocate_shared).
    ///
    /// # Errors
    /// If there is no such process; errors of MPI.
    ///
    /// # Example
    /// ```
    /// use mpi::traits::*;
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let node = universe.world().split_shared(0);
    /// let window = Window::allocate_shared(&universe, &node, 64)?;
    /// let first = window.shared(0)?.unwrap();
    /// let mut number = [1_u32];
    /// first.read(0, &mut number)?;
    /// assert_eq!(number, [0]);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Win_shared_query`, MPI 3.1 section 11.2.3.
    pub fn shared(&self, rank: i32) -> Result<Option<Segment<'_>>, Error> {
        self.check_rank(rank)?;
        if !self.is_shared() {
            return Ok(None);
        }
        let (mut size, mut unit, mut start) =
            (0 as MPI_Aint, 0 as c_int, std::ptr::null_mut::<u8>());
        // SAFETY: the window lives and is shared; the function writes to three places that outlive the call.
        let code = unsafe {
            ffi::MPI_Win_shared_query(
                self.as_raw(),
                rank,
                &raw mut size,
                &raw mut unit,
                (&raw mut start).cast::<c_void>(),
            )
        };
        check("MPI_Win_shared_query", code)?;
        Ok(Some(Segment {
            rank,
            start,
            length: self.length_of(rank),
            window: PhantomData,
        }))
    }
}

impl Segment<'_> {
    /// Local. The first byte. Others may change it at any time.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Local. How many bytes there are.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Local. Copies from `offset`.
    ///
    /// # Errors
    /// If the place is not in the memory or not aligned.
    ///
    /// # Example
    /// See [`Window::shared`].
    pub fn read<T: Element>(&self, offset: usize, target: &mut [T]) -> Result<(), Error> {
        self.check::<T>(offset, target.len())?;
        // SAFETY: the place is inside the memory, by the check, and the memory lives as long as the window. It is
        // initialised: allocated memory begins with zeros, and for other memory the maker of the window vouches. Every
        // bit pattern is an element. The target is not in the window, to which there are no references.
        unsafe {
            copy::load(
                self.start.add(offset),
                target.as_mut_ptr().cast::<u8>(),
                size_of_val(target),
            );
        }
        Ok(())
    }

    /// Local. Copies to `offset`.
    ///
    /// # Errors
    /// If the place is not in the memory or not aligned.
    ///
    /// # Example
    /// See [`Window::write`]; here it may be another process's memory.
    pub fn write<T: Element>(&self, offset: usize, source: &[T]) -> Result<(), Error> {
        self.check::<T>(offset, source.len())?;
        // SAFETY: the place is inside the memory, by the check, and the memory lives as long as the window. The source
        // is not in the window, to which there are no references.
        unsafe {
            copy::store(
                self.start.add(offset),
                source.as_ptr().cast::<u8>(),
                size_of_val(source),
            );
        }
        Ok(())
    }

    fn check<T: Element>(&self, offset: usize, count: usize) -> Result<(), Error> {
        let Self { rank, length, .. } = *self;
        let bytes = count.saturating_mul(size_of::<T>());
        if offset > length || bytes > length - offset {
            return Err(Error::Range {
                rank,
                offset,
                bytes,
                length,
            });
        }
        let alignment = align_of::<T>();
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Alignment { offset, alignment });
        }
        Ok(())
    }
}
