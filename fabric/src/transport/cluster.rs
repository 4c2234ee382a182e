//! The trait [`Cluster`]: what MPI and OpenSHMEM offer before and after the images of a job share memory.

use std::rc::Rc;

use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::transport::fabric::Fabric;

/// A library that has started all images of a job, and lets them exchange bytes before they share memory.
///
/// "Collective" means that all images of the job make the call.
pub trait Cluster {
    /// The number of this image.
    fn image(&self) -> usize;

    /// How many images the job has.
    fn images(&self) -> usize;

    /// The lowest image on the node of this one: images of one node share memory.
    fn node(&self) -> usize;

    /// Collective. All-gathers `mine`, which has the same length on all images; the result is in the order of the images.
    fn gather(&self, mine: &[u8]) -> Vec<u8>;

    /// Collective. Makes every image's part of the region reachable from other nodes. The library may
    /// map memory of its own in the place of this node's parts.
    ///
    /// # Errors
    /// Why that is impossible, and what to do.
    fn attach(&self, region: &mut Region, nodes: &Nodes) -> Result<Rc<dyn Fabric>, String>;

    /// Collective. Undoes `attach`; no image uses the fabric any more.
    fn detach(&self);

    /// Collective. Finalises the library, if it was initialised for this job.
    fn finish(&self);

    /// Ends all processes of the job at once; the launcher's exit code is this one.
    fn abort(&self, code: u8) -> !;
}
