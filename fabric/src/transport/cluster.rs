//! What a fabric that starts images on several machines offers around a job.

use std::rc::Rc;

use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::transport::fabric::Fabric;

/// A fabric that knows all images of a job before they share anything.
///
/// "Collective" means that all images of the job make the call.
pub trait Cluster {
    /// The number of this image.
    fn image(&self) -> usize;

    /// How many images the job has.
    fn images(&self) -> usize;

    /// The lowest image on the node of this one: images of one node share memory.
    fn node(&self) -> usize;

    /// Collective. The bytes of all images, which are equally long, in the order of the images.
    fn gather(&self, mine: &[u8]) -> Vec<u8>;

    /// Collective. Makes every image's part of the region reachable for those on other nodes. The fabric may
    /// put memory of its own in the place of this node's parts.
    ///
    /// # Errors
    /// Why that is impossible, in a sentence that says what to do.
    fn attach(&self, region: &mut Region, nodes: &Nodes) -> Result<Rc<dyn Fabric>, String>;

    /// Collective. Takes back what `attach` made; nobody uses the fabric any more.
    fn detach(&self);

    /// Collective. Ends the fabric, if it was started for this job.
    fn finish(&self);

    /// Ends all processes of the job at once; the launcher's exit code is this one.
    fn abort(&self, code: u8) -> !;
}
