//! Moving bytes between the parts of images: the trait [`Fabric`](fabric::Fabric), and one implementation for each fabric.
//!
//! It knows images by number, and no team. What is issued is noted in `pending`; the thread of an image reaches its fabric by
//! `handle`, without looking for the image. `access` and `in_flight` keep operations on the same place in order where a library does not.

#[cfg(feature = "cluster")]
#[cfg_attr(
    not(all(feature = "mpi", feature = "shmem")),
    allow(dead_code, reason = "each fabric uses a part of it")
)]
mod access;
pub mod atomic;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod completion;
pub mod deferral;
pub mod fabric;
pub mod handle;
#[cfg(feature = "cluster")]
#[cfg_attr(
    not(all(feature = "mpi", feature = "shmem")),
    allow(dead_code, reason = "each fabric uses a part of it")
)]
mod in_flight;
pub mod movement;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod observed;
pub mod pending;
pub mod request;
pub mod shared_memory;
#[cfg(feature = "shmem")]
pub mod shmem;
pub mod signal;
#[cfg(feature = "cluster")]
pub mod signalled;
#[cfg(feature = "simulated")]
pub mod simulated;
pub mod site;
pub mod spare;
pub mod strided;
#[cfg(feature = "cluster")]
pub mod watchdog;
