//! Proof that MPI can be used.

use std::marker::PhantomData;

use mpi::environment::{Threading, Universe, threading_support};
use mpi::ffi;

use crate::Error;

/// Proof that MPI is initialised, and stays so for `'u`.
///
/// It comes from rsmpi's [`Universe`], which finalises MPI when it is dropped; the compiler thus sees to
/// it that no window is used afterwards:
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
#[derive(Clone, Copy, Debug)]
pub struct Initialized<'u> {
    /// Whether somebody vouches for the threads, too.
    vouched: bool,
    universe: PhantomData<&'u Universe>,
}

impl Initialized<'_> {
    /// For programs whose MPI was initialised by other means than rsmpi.
    ///
    /// # Safety
    /// MPI is initialised, and not finalised before the last use of what is made with this. It is used only by
    /// threads that may call MPI, as `MPI_Query_thread` tells.
    #[must_use]
    pub unsafe fn assume() -> Self {
        Self {
            vouched: true,
            universe: PhantomData,
        }
    }

    /// Whether this thread may call MPI: any thread if MPI was initialised for that, or else the one that did.
    ///
    /// # Errors
    /// If it may not.
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
