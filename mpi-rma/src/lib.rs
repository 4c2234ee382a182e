//! One-sided communication for [rsmpi](mpi): windows, put, get and atomic operations of MPI-3.
//!
//! A [`Window`] is memory of each process of a communicator that all of them can reach, whether or not its owner
//! does anything at that time (*passive target*).
//!
//! * [`Window::put`] and [`Window::get`] copy, [`Window::flush`] completes.
//! * [`Window::request_put`] and [`Window::request_get`] begin copies that complete one by one.
//! * [`Window::accumulate`], [`Window::fetch_and_op`] and [`Window::compare_and_swap`] change one word in one step.
//! * [`Window::shared`] gives the address of the memory of processes on the same node.
//!
//! ```
//! use mpi::traits::*;
//! use mpi_rma::{Operation, Window};
//!
//! fn main() -> Result<(), mpi_rma::Error> {
//!     let universe = mpi::initialize().unwrap();
//!     let world = universe.world();
//!     let window = Window::allocate(&universe, &world, 16)?;
//!
//!     window.fetch_and_op(0, 8, Operation::Sum, world.rank())?;
//!     world.barrier();
//!     let mut sum = [0];
//!     window.get(0, 8, &mut sum)?;
//!     assert_eq!(sum[0], (0..world.size()).sum());
//!     window.free()
//! }
//! ```
//!
//! # What is safe
//! Every function that takes no pointers. The memory of a window holds numbers ([`Element`]), whatever others write
//! there, and is reached only by copies; places are checked before MPI gets them; a window cannot outlive MPI
//! ([`Initialized`]), and a request cannot outlive its memory. As always with MPI, all processes must call collective
//! functions in the same order.
//!
//! # Errors
//! Errors of MPI are returned ([`Error::Mpi`]), not fatal: each window has the handler `MPI_ERRORS_RETURN`.
//! Communicators keep their own. One error ends the program (`MPI_Abort`, after a message): when MPI fails to complete
//! an operation on memory that was borrowed for the call, because MPI might still use that memory afterwards.
//!
//! # Libraries
//! Tried with Open MPI 4.1 and MPICH 4.0. Open MPI's component `osc/rdma` crashes in
//! [`Window::compare_and_swap`] on windows that were made by [`Window::create`] for processes of one node: set
//! `OMPI_MCA_osc=^rdma` in the environment. Its component `osc/pt2pt` refuses windows if MPI was initialised with
//! `Threading::Multiple`.
//!
//! `MPI_Win_flush_all` of MPICH returns while puts are in flight: [`Window::flush_all`] does not use it.
//!
//! Source: MPI 3.1, chapter 11.

#![deny(unsafe_op_in_unsafe_fn)]

pub use mpi;

mod accumulate;
mod atomic;
mod communicator;
mod completion;
mod constants;
mod copy;
mod element;
mod error;
mod initialized;
mod request;
mod shared;
mod transfer;
mod window;

pub use atomic::Operation;
pub use element::{Element, Word};
pub use error::{Error, error_text};
pub use initialized::Initialized;
pub use request::{Request, Transfer};
pub use shared::Segment;
pub use window::Window;
