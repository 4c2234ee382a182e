//! Memory that images share, and one-sided operations on it: the lowest layer of `coarray`.
//!
//! * [`Fabric`] is what a backend must do: put, get and atomics on any image, at once or later, fence, quiet, and
//!   active messages. One backend serves the images of one machine, be they threads or processes; others go through MPI,
//!   OpenSHMEM, and, for tests, a simulated network.
//! * [`direct`] holds the loads, stores and copies for memory that other images touch.
//! * [`reach`] is the way from the thread of an image to its fabric.
//!
//! It knows images by their numbers, and no teams: those are in `coarray-runtime`. Programs name the crate `coarray` only.

// From the bottom to the top: none imports what comes after it.
pub mod system;

pub mod memory;

pub mod transport;

pub use memory::direct;
pub use memory::locality::{Place, may_span_nodes, spans_nodes};
pub use memory::region::{BUFFER_BYTES, SCRATCH_BYTES};
pub use system::available_memory::available_memory;
pub use system::display_size::Bytes;
pub use system::limits::MAX_IMAGES;
pub use transport::atomic::{AtomicOperation, Word};
pub use transport::deferral::Deferral;
pub use transport::fabric::{Fabric, Message};
pub use transport::handle::{
    is_in_job, is_past_fabric, note_issue, offset_elsewhere, reach, reach_to_put,
};
pub use transport::pending::{has_notes, has_outstanding, has_outstanding_or_notes};
pub use transport::request::{Buffer, Request};
pub use transport::signal::{Signal, SignalOperation};
#[cfg(feature = "simulated")]
pub use transport::simulated::Fault;
pub use transport::site::{attribute_notified, attribute_to, attribute_to_library};
pub use transport::strided::{Run, Strided, StridedAxis};

#[cfg(feature = "cluster")]
#[doc = include_str!("write_a_fabric.md")]
pub mod write_a_fabric {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
