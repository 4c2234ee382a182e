//! Windows: what they are, and how they end.

mod create;

use std::ffi::c_int;
use std::marker::PhantomData;

use mpi::environment::Universe;
use mpi::ffi::{self, MPI_Win};

use crate::Error;
use crate::error::check;

/// Memory of each process of a group that all of them can reach.
///
/// An access epoch to all processes (`MPI_Win_lock_all`) lasts as long as the window does, so that every
/// operation can be called at any time (*passive target*). Offsets and lengths are in bytes.
///
/// The window's memory is reached only by copies, because others may change it at any time: there are no references to
/// it. If two operations on overlapping places race and at least one of them writes, they leave unspecified numbers
/// there; this is not undefined behaviour. Synchronisation and the atomic operations prevent such races.
///
/// # Ending
/// [`free`](Self::free) is collective, which a destructor cannot be. A window that is dropped without it keeps its
/// memory until the program ends. MPICH may complain about that in `MPI_Finalize`, so free windows before.
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

/// The number of bytes that each process has in the window.
#[derive(Debug)]
enum Lengths {
    All(usize),
    Each(Box<[usize]>),
}

impl Window<'_> {
    /// Collective. Completes all operations and frees the window; memory that it allocated is gone then.
    ///
    /// # Errors
    /// Errors of MPI.
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

    /// Local. The number of processes in the window's group.
    #[must_use]
    pub fn size(&self) -> i32 {
        self.size
    }

    /// Local. The number of bytes that `rank` has in the window.
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

    /// Local. The first of this process's own bytes. Others may change them at any time.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Local. MPI's handle of the window.
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
