//! Proof that MPI can be used.

use std::marker::PhantomData;

use mpi::environment::{Threading, Universe, threading_support};
use mpi::ffi;

use crate::Error;

/// Proof that MPI is initialised, and stays so for `'u`.
///
/// It comes from rsmpi's [`Universe`], which finalises MPI when it is dropped; so the compiler rejects every use of a
/// window afterwards:
///
/// ```
/// use mpi_rma::Window;
///
/// let universe = mpi::initialize().unwrap();
/// let window = Window::allocate(&universe, &universe.world(), 1024).unwrap();
/// window.free().unwrap();
/// ```
///
/// ```compile_fail
/// # use mpi_rma::Window;
/// let universe = mpi::initialize().unwrap();
/// let window = Window::allocate(&universe, &universe.world(), 1024).unwrap();
/// drop(universe);
/// window.free().unwrap();
/// ```
///
/// # Source
/// `MPI_Initialized` and `MPI_Query_thread`, MPI 3.1 sections 8.7 and 12.4, at compile time.
#[derive(Clone, Copy, Debug)]
pub struct Initialized<'u> {
    /// Whether the caller of [`Initialized::assume`] vouches for the threads, too.
    vouched: bool,
    universe: PhantomData<&'u Universe>,
}

impl Initialized<'_> {
    /// Local. For programs whose MPI was initialised by other means than rsmpi.
    ///
    /// # Safety
    /// MPI is initialised, and not finalised before the last use of a window made with this. Only threads that may
    /// call MPI, by `MPI_Query_thread`, use this.
    ///
    /// # Example
    /// A library that is called by a program in C, which has initialised MPI:
    /// ```
    /// use mpi_rma::{Initialized, Window};
    ///
    /// # fn main() -> Result<(), mpi_rma::Error> {
    /// # let universe = mpi::initialize().unwrap();
    /// # let world = universe.world();
    /// // SAFETY: the caller has initialised MPI, on this thread, and finalises it later.
    /// let initialized = unsafe { Initialized::assume() };
    /// let window = Window::allocate(initialized, &world, 64)?;
    /// window.free()
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn assume() -> Self {
        Self {
            vouched: true,
            universe: PhantomData,
        }
    }

    /// Local. Checks that this thread may call MPI: any thread may if MPI was initialised for that, and otherwise only
    /// the thread that initialised it.
    ///
    /// # Errors
    /// If it may not.
    ///
    /// # Example
    /// ```
    /// use mpi_rma::Initialized;
    ///
    /// let universe = mpi::initialize().unwrap();
    /// assert!(Initialized::from(&universe).check_thread().is_ok()); // the thread that initialised it
    /// ```
    ///
    /// # Source
    /// `MPI_Is_thread_main`, MPI 3.1 section 12.4.3.
    pub fn check_thread(self) -> Result<(), Error> {
        if self.vouched || threading_support() == Threading::Multiple {
            return Ok(());
        }
        let mut is_main = 0;
        // SAFETY: MPI is initialised; the function may be called by any thread.
        let code = unsafe { ffi::MPI_Is_thread_main(&raw mut is_main) };
        if code == 0 && is_main != 0 {
            Ok(())
        } else {
            Err(Error::Thread)
        }
    }
}

impl<'u> From<&'u Universe> for Initialized<'u> {
    fn from(_universe: &'u Universe) -> Self {
        Self {
            vouched: false,
            universe: PhantomData,
        }
    }
}
