//! Moving bytes between the parts of images: the trait [`Fabric`](fabric::Fabric), and one implementation for each engine.
//!
//! It knows images by number, and no team. What is issued is noted in `pending`; the thread of an image reaches its fabric by
//! `way`, without looking for the image.

pub(crate) mod atomic;
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod cluster;
pub(crate) mod completion;
pub(crate) mod deferral;
pub(crate) mod fabric;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
pub(crate) mod pending;
pub(crate) mod position;
pub(crate) mod request;
pub(crate) mod shared_memory;
#[cfg(feature = "shmem")]
pub(crate) mod shmem;
#[cfg(feature = "simulated")]
pub(crate) mod simulated;
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) mod watched;
pub(crate) mod way;
