//! Windows: how they begin and end.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use mpi::environment::Universe;
use mpi::ffi::{self, MPI_Aint, MPI_Comm, MPI_Win};
use mpi::topology::Communicator;

use crate::communicator::{ReturnErrors, gather, group};
use crate::error::{check, mpi_error};
use crate::{Error, Initialized, constants};

/// What the start of memory is a multiple of.
const ALIGNMENT: usize = 8;

/// What the length of memory is a multiple of where MPI allocates it: a cache line. With other lengths, different ones
/// on each process, MPICH 4.0 gives processes of one node parts that are not where the others look for them.
const LINE: usize = 64;

/// The code for lengths and memory that do not suit: not one of MPI's, which are positive.
const UNSUITABLE: c_int = -1;

/// Memory of each process of a group that all of them can reach.
///
/// An access epoch to all processes (`MPI_Win_lock_all`) lasts as long as the window does, so that every
/// operation can be called at any time (*passive target*). Offsets and lengths are in bytes.
///
/// What is in the window is reached by copies only, since others may change it at any time: there are no references to
/// it. Two operations on overlapping places, at least one of which writes, that neither synchronisation
/// nor the atomic operations order, leave unspecified numbers there, and that is all: nothing in this is undefined behaviour.
///
/// # Ending
/// [`free`](Self::free) is collective, which a destructor cannot be. A window that is dropped without it
/// stays with MPI, with its memory, until the program ends. MPICH may complain about that in
/// `MPI_Finalize`, so free windows before.
///
/// # Example
/// Each process leaves its number with the next one:
///
/// ```
/// use mpi::traits::*;
/// use mpi_rma::Window;
///
/// # fn main() -> Result<(), mpi_rma::Error> {
/// let universe = mpi::initialize().unwrap();
/// let world = universe.world();
/// let window = Window::allocate(&universe, &world, 8)?;
///
/// let next = (world.rank() + 1) % world.size();
/// window.put(next, 0, &[i64::from(world.rank())])?;
/// window.flush(next)?;
/// world.barrier();
///
/// let mut number = [0_i64];
/// window.read(0, &mut number)?;
/// assert_eq!(number[0], i64::from((world.rank() + world.size() - 1) % world.size()));
/// window.free()
/// # }
/// ```
///
/// # Source
/// Windows and their separate and unified memory, MPI 3.1 sections 11.2 and 11.4; passive target, section 11.5.3.
#[derive(Debug)]
#[must_use = "windows are to be freed, by all processes"]
pub struct Window<'u> {
    raw: MPI_Win,
    start: *mut u8,
    lengths: Lengths,
    rank: c_int,
    size: c_int,
    is_shared: bool,
    /// MPI outlives the window, which stays with its thread.
    universe: PhantomData<(&'u Universe, *mut u8)>,
}

/// How many bytes each process has in the window.
#[derive(Debug)]
enum Lengths {
    All(usize),
    Each(Box<[usize]>),
}

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

    /// Collective. As [`allocate`](Self::allocate), in memory that the processes share, who must be
    /// able to: see [`split_shared`](Communicator::split_shared). [`shared`](Self::shared) tells where it is.
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

    /// Collective. As [`allocate`](Self::allocate), but leaves the memory as MPI has made it, so that of a
    /// large window only those pages exist which are used.
    ///
    /// # Errors
    /// On all processes, if it fails on one.
    ///
    /// # Safety
    /// Nobody reads what nobody has written.
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
            // SAFETY: MPI allocated that much for this process; others use it only after the barrier.
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
    /// The memory is initialised, and valid for reads and writes until the window has been freed; if it never is, for ever. Until
    /// then nobody holds a reference to it other than to atomics and cells.
    ///
    /// # Example
    /// A window over numbers that the program keeps using itself, as atomics. Not all libraries can do this for a process that no
    /// launcher has started:
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

    /// Makes a window of a length, which MPI is told in bytes, and begins its epoch. No length means that this
    /// process cannot take part.
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

        // SAFETY: any handle will do, for it is overwritten.
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

    /// Collective. Completes all operations and frees the window; memory that it allocated is gone then.
    ///
    /// # Errors
    /// Those of MPI.
    ///
    /// # Example
    /// See [`Window`].
    ///
    /// # Source
    /// `MPI_Win_free`, MPI 3.1 section 11.2.5.
    pub fn free(self) -> Result<(), Error> {
        let mut raw = self.raw;
        // SAFETY: the window lives, in an epoch that `make` began.
        check("MPI_Win_unlock_all", unsafe {
            ffi::MPI_Win_unlock_all(raw)
        })?;
        // SAFETY: the window lives, and nobody can use it afterwards: requests would borrow it.
        check("MPI_Win_free", unsafe { ffi::MPI_Win_free(&raw mut raw) })
    }

    /// Local. The number of this process in the window's group.
    #[must_use]
    pub fn rank(&self) -> i32 {
        self.rank
    }

    /// Local. How many processes have a part in the window.
    #[must_use]
    pub fn size(&self) -> i32 {
        self.size
    }

    /// Local. How many bytes of `rank` the window has.
    ///
    /// # Errors
    /// If there is no such process.
    ///
    /// # Example
    /// Each process can give another length:
    /// ```
    /// use mpi::traits::*;
    /// use mpi_rma::Window;
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// let universe = mpi::initialize().unwrap();
    /// let world = universe.world();
    /// let window = Window::allocate(&universe, &world, 8 * world.rank() as usize)?;
    /// assert_eq!(window.length(world.size() - 1)?, 8 * (world.size() as usize - 1));
    /// window.free()
    /// # }
    /// ```
    pub fn length(&self, rank: i32) -> Result<usize, Error> {
        self.check_rank(rank)?;
        Ok(self.length_of(rank))
    }

    /// Local. Where this process's own bytes are. Others may change them at any time.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Local. MPI's name of the window.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> MPI_Win {
        self.raw
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    #[inline]
    pub(crate) fn check_rank(&self, rank: i32) -> Result<(), Error> {
        if rank >= 0 && rank < self.size {
            return Ok(());
        }
        let size = self.size;
        Err(Error::Rank { rank, size })
    }

    /// Checks that `bytes` at `offset` of `rank` are in the window, at a multiple of `alignment`.
    #[inline]
    pub(crate) fn check_place(
        &self,
        rank: i32,
        offset: usize,
        bytes: usize,
        alignment: usize,
    ) -> Result<(), Error> {
        self.check_rank(rank)?;
        let length = self.length_of(rank);
        if offset > length || bytes > length - offset {
            return Err(Error::Range {
                rank,
                offset,
                bytes,
                length,
            });
        }
        if !offset.is_multiple_of(alignment) {
            return Err(Error::Alignment { offset, alignment });
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn length_of(&self, rank: i32) -> usize {
        match &self.lengths {
            Lengths::All(length) => *length,
            Lengths::Each(lengths) => lengths[rank as usize],
        }
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

/// Whether the process sees in its memory what MPI writes there, without further ado.
fn is_unified(raw: MPI_Win) -> Result<bool, Error> {
    let mut value = std::ptr::null::<c_int>();
    let mut is_there = 0;
    // SAFETY: the window lives; the function writes the address of an integer to `value`.
    let code = unsafe {
        ffi::MPI_Win_get_attr(
            raw,
            constants::model(),
            (&raw mut value).cast::<c_void>(),
            &raw mut is_there,
        )
    };
    check("MPI_Win_get_attr", code)?;
    // SAFETY: the attribute is there, and an integer.
    Ok(is_there != 0 && unsafe { *value } == constants::unified())
}

impl Lengths {
    fn of(all: &[[u64; 2]]) -> Self {
        let lengths = || all.iter().map(|&[length, _]| length as usize);
        let first = lengths().next().unwrap_or(0);
        if lengths().all(|length| length == first) {
            Self::All(first)
        } else {
            Self::Each(lengths().collect())
        }
    }
}
