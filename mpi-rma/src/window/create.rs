//! Creation of windows.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use mpi::ffi::{self, MPI_Aint, MPI_Comm, MPI_Win};
use mpi::topology::Communicator;

use super::{Lengths, Window};
use crate::communicator::{ReturnErrors, gather, group};
use crate::error::{check, mpi_error};
use crate::{Error, Initialized, constants};

/// The start of memory is a multiple of this.
const ALIGNMENT: usize = 8;

/// The length of memory that MPI allocates is a multiple of this: a cache line. If processes of one node ask for
/// different lengths that are no multiples, MPICH 4.0 gives them parts that others look for at wrong addresses.
const LINE: usize = 64;

/// The code for an unsuitable length or memory; MPI's own codes are positive.
const UNSUITABLE: c_int = -1;

impl<'u> Window<'u> {
    /// Collective. A window over memory that MPI allocates: `length` bytes on this process, all zero.
    ///
    /// MPI can choose memory that it reaches fast.
    ///
    /// # Errors
    /// On all processes, if it fails on one.
    ///
    /// # Example
    /// See [`Window`].
    ///
    /// # Source
    /// `MPI_Win_allocate`, MPI 3.1 section 11.2.2.
    pub fn allocate(
        initialized: impl Into<Initialized<'u>>,
        communicator: &impl Communicator,
        length: usize,
    ) -> Result<Self, Error> {
        // SAFETY: the memory is written at once.
        let window = unsafe { Self::allocate_untouched(initialized, communicator, length) }?;
        window.begin_with_zeros(communicator)?;
        Ok(window)
    }

    /// Collective. As [`allocate`](Self::allocate), in memory that the processes share, so they must be on one node:
    /// see [`split_shared`](Communicator::split_shared). [`shared`](Self::shared) gives its address.
    ///
    /// # Errors
    /// On all processes, if it fails on one.
    ///
    /// # Example
    /// See [`shared`](Self::shared).
    ///
    /// # Source
    /// `MPI_Win_allocate_shared`, MPI 3.1 section 11.2.3.
    pub fn allocate_shared(
        initialized: impl Into<Initialized<'u>>,
        communicator: &impl Communicator,
        length: usize,
    ) -> Result<Self, Error> {
        const NAME: &str = "MPI_Win_allocate_shared";
        let function = ffi::MPI_Win_allocate_shared;
        let mut window = Self::allocate_by(
            initialized.into(),
            communicator.as_raw(),
            length,
            NAME,
            function,
        )?;
        window.is_shared = true;
        window.begin_with_zeros(communicator)?;
        Ok(window)
    }

    /// Collective. As [`allocate`](Self::allocate), but leaves the memory as MPI has made it, so that only the used
    /// pages of a large window exist.
    ///
    /// # Errors
    /// On all processes, if it fails on one.
    ///
    /// # Safety
    /// Nobody reads bytes that nobody has written.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// // SAFETY: only the first eight bytes are used, and read after they were written.
    /// let window = unsafe { Window::allocate_untouched(&universe, &universe.world(), 1 << 30)? };
    /// window.write(0, &[7_u64])?;
    /// let mut number = [0_u64];
    /// window.read(0, &mut number)?;
    /// assert_eq!(number, [7]);
    /// window.free()
    /// # }
    /// ```
    ///
    /// # Source
    /// As [`allocate`](Self::allocate).
    pub unsafe fn allocate_untouched(
        initialized: impl Into<Initialized<'u>>,
        communicator: &impl Communicator,
        length: usize,
    ) -> Result<Self, Error> {
        const NAME: &str = "MPI_Win_allocate";
        let function = ffi::MPI_Win_allocate;
        Self::allocate_by(
            initialized.into(),
            communicator.as_raw(),
            length,
            NAME,
            function,
        )
    }

    fn allocate_by(
        initialized: Initialized<'u>,
        communicator: MPI_Comm,
        length: usize,
        name: &'static str,
        function: AllocateFunction,
    ) -> Result<Self, Error> {
        let whole_lines = length.checked_next_multiple_of(LINE);
        let bytes = whole_lines.and_then(|bytes| MPI_Aint::try_from(bytes).ok());
        let request = bytes.map(|bytes| (length, bytes));
        Self::make(initialized, communicator, name, request, |bytes, raw| {
            let mut start = std::ptr::null_mut::<u8>();
            // SAFETY: MPI is initialised, the communicator lives, and the function writes the address and the
            // handle to places that outlive the call.
            let code = unsafe {
                function(
                    bytes,
                    1,
                    ffi::RSMPI_INFO_NULL,
                    communicator,
                    (&raw mut start).cast::<c_void>(),
                    raw,
                )
            };
            (code, start)
        })
    }

    /// Clears this process's memory, before others can reach it.
    fn begin_with_zeros(&self, communicator: &impl Communicator) -> Result<(), Error> {
        let length = self.length_of(self.rank);
        if length > 0 {
            // SAFETY: MPI allocated at least `length` bytes for this process; others use them only after the barrier.
            unsafe { self.start.write_bytes(0, length) };
        }
        self.sync()?;
        // SAFETY: the communicator lives.
        check("MPI_Barrier", unsafe {
            ffi::MPI_Barrier(communicator.as_raw())
        })
    }

    /// Collective. A window over memory that exists already: `length` bytes from `start` on this process.
    ///
    /// # Errors
    /// On all processes, if it fails on one. The memory must be aligned to 8 bytes.
    ///
    /// # Safety
    /// The memory is initialised, and valid for reads and writes until the window has been freed; for ever if it is
    /// never freed. Until then nobody holds a reference to it other than to atomics and cells.
    ///
    /// # Example
    /// A window over numbers that the program keeps using itself, as atomics. Not all libraries can do this for a
    /// process that no launcher has started:
    /// ```no_run
    /// use mpi_rma::{Operation, Window};
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let counts = [AtomicU64::new(0), AtomicU64::new(10)];
    /// let start = (&raw const counts).cast_mut().cast::<u8>();
    /// // SAFETY: the atomics outlive the window, which is freed below.
    /// let window = unsafe { Window::create(&universe, &universe.world(), start, size_of_val(&counts))? };
    /// window.fetch_and_op(window.rank(), 8, Operation::Sum, 1_u64)?;
    /// window.free()?;
    /// assert_eq!(counts[1].load(Relaxed), 11);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Source
    /// `MPI_Win_create`, MPI 3.1 section 11.2.1.
    pub unsafe fn create(
        initialized: impl Into<Initialized<'u>>,
        communicator: &impl Communicator,
        start: *mut u8,
        length: usize,
    ) -> Result<Self, Error> {
        let communicator = communicator.as_raw();
        let is_aligned = start.addr().is_multiple_of(ALIGNMENT);
        let bytes = MPI_Aint::try_from(length).ok().filter(|_| is_aligned);
        let request = bytes.map(|bytes| (length, bytes));
        let name = "MPI_Win_create";
        Self::make(
            initialized.into(),
            communicator,
            name,
            request,
            |bytes, raw| {
                // SAFETY: MPI is initialised, the communicator lives, the function writes the handle to a
                // place that outlives the call; the caller vouches for the memory.
                let code = unsafe {
                    ffi::MPI_Win_create(
                        start.cast::<c_void>(),
                        bytes,
                        1,
                        ffi::RSMPI_INFO_NULL,
                        communicator,
                        raw,
                    )
                };
                (code, start)
            },
        )
    }

    /// Makes a window and begins its epoch. `request` has the window's length and the length for MPI; none means
    /// that this process cannot take part.
    fn make(
        initialized: Initialized<'u>,
        communicator: MPI_Comm,
        name: &'static str,
        request: Option<(usize, MPI_Aint)>,
        create: impl FnOnce(MPI_Aint, *mut MPI_Win) -> (c_int, *mut u8),
    ) -> Result<Self, Error> {
        initialized.check_thread()?;
        let (rank, size) = group(communicator)?;
        let _handler = ReturnErrors::from(communicator)?;

        let unsuitable = u64::from(request.is_none());
        let length = request.map_or(0, |(length, _)| length);
        let all = gather(communicator, size, [length as u64, unsuitable])?;
        let unable = || all.iter().position(|&[_, unsuitable]| unsuitable != 0);
        let (_, bytes) = match (request, unable()) {
            (Some(request), None) => request,
            (_, rank) => return Err(elsewhere(rank.unwrap_or(0), UNSUITABLE)),
        };

        // SAFETY: a constant that rsmpi defines; any handle will do, because it is overwritten.
        let mut raw = unsafe { ffi::RSMPI_WIN_NULL };
        let (code, start) = create(bytes, &raw mut raw);
        let codes = gather(
            communicator,
            size,
            [code as u32 as u64, start.addr() as u64],
        )?;
        if code != 0 {
            return Err(mpi_error(name, code));
        }
        if let Some(rank) = codes.iter().position(|&[code, _]| code != 0) {
            return Err(elsewhere(rank, codes[rank][0] as u32 as i32));
        }
        let is_aligned = |start: u64| start.is_multiple_of(ALIGNMENT as u64);
        if let Some(rank) = codes.iter().position(|&[_, start]| !is_aligned(start)) {
            // SAFETY: all processes have made the window, and none uses it.
            check("MPI_Win_free", unsafe { ffi::MPI_Win_free(&raw mut raw) })?;
            return Err(elsewhere(rank, UNSUITABLE));
        }
        // SAFETY: the window lives.
        check("MPI_Win_set_errhandler", unsafe {
            ffi::MPI_Win_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN)
        })?;
        if !is_unified(raw)? {
            return Err(Error::SeparateMemory);
        }
        // SAFETY: the window lives, and only this type locks it, never in a way that excludes others.
        check("MPI_Win_lock_all", unsafe {
            ffi::MPI_Win_lock_all(constants::no_check(), raw)
        })?;
        Ok(Self {
            raw,
            start,
            lengths: Lengths::of(&all),
            rank,
            size,
            is_shared: false,
            universe: PhantomData,
        })
    }
}

type AllocateFunction = unsafe extern "C" fn(
    MPI_Aint,
    c_int,
    ffi::MPI_Info,
    MPI_Comm,
    *mut c_void,
    *mut MPI_Win,
) -> c_int;

fn elsewhere(rank: usize, code: i32) -> Error {
    let rank = rank as i32;
    Error::Elsewhere { rank, code }
}

/// Whether the process sees MPI's writes to its memory without further synchronisation.
fn is_unified(raw: MPI_Win) -> Result<bool, Error> {
    let mut value = std::ptr::null::<c_int>();
    let mut is_there = 0;
    // SAFETY: the window lives; the function writes the address of an integer to `value`, and a flag to `is_there`.
    let code = unsafe {
        ffi::MPI_Win_get_attr(
            raw,
            constants::model(),
            (&raw mut value).cast::<c_void>(),
            &raw mut is_there,
        )
    };
    check("MPI_Win_get_attr", code)?;
    // SAFETY: this is evaluated only if the attribute is there, and then `value` is the address of an integer.
    Ok(is_there != 0 && unsafe { *value } == constants::unified())
}
