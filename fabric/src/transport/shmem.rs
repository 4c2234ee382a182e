//! The fabric of OpenSHMEM: images are processes that `shmemrun`, or another launcher of an installed library, has started.
//!
//! The part of each image is a block of the symmetric heap. Parts that `shmem_ptr` reaches are shown in the place of the
//! region's own memory, where loads and stores do all the work; the others are reached by the library's calls:
//!
//! * puts, gets and atomics at once (`one_sided`), and puts and gets that are issued, and complete apart (`contexts`);
//! * messages through rings in symmetric memory (`channel`).
//!
//! The library tells nobody whether it has been started. A program that calls OpenSHMEM itself leaves its start
//! and end to this fabric, and makes its calls from the thread of the image, or while that one makes none.

mod atomics;
mod channel;
mod contexts;
mod environment;
mod exit;
mod grouping;
mod job;
mod one_sided;
mod symmetric;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use crate::transport::cluster::Cluster;

/// Collective. Starts the library, with symmetric heaps that have room for parts with heaps of so many bytes. Calls `initialized` with the
/// number of this image when the library is initialised, before this image waits for others.
///
/// # Errors
/// Why that is impossible, in a sentence that says what to do.
///
/// # Safety
/// Once in a process, which then is one image. Whoever has the cluster uses it as its methods say.
pub unsafe fn start(
    heap: usize,
    initialized: impl FnOnce(usize),
) -> Result<Rc<dyn Cluster>, String> {
    let contexts = environment::contexts()?;
    environment::prepare(heap)?;
    Ok(Rc::new(job::Started::new(contexts, initialized)?))
}
