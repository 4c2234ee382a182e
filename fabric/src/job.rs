//! What the images of one job in one process share.

use crate::control::Failure;
use crate::launch::settings::{Bind, FabricKind, Settings};
use crate::region::Region;
use crate::tally::Patience;

/// A running job.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) region: Region,
    pub(crate) patience: Patience,
    /// Whether places may be reached by load and store.
    pub(crate) direct: bool,
    pub(crate) bind: Bind,
    /// How many images are on a node.
    pub(crate) node_images: usize,
    pub(crate) engine: FabricKind,
}

impl Job {
    pub(crate) fn new(region: Region, settings: &Settings) -> Self {
        let dimensions = region.dimensions();
        // An image that waits for a core must not keep another one busy: where they share cores, whoever is waited for
        // most likely waits for this one.
        let patience = if dimensions.have_cores_for_all() {
            Patience {
                spins: 4000,
                yields: 200,
            }
        } else {
            Patience {
                spins: 1,
                yields: 20,
            }
        };
        Self {
            region,
            patience,
            direct: settings.direct,
            bind: settings.bind,
            node_images: settings.node_images,
            engine: settings.fabric,
        }
    }

    /// Ends the job because of `failure`; false if it already ended for another reason.
    pub(crate) fn fail(&self, failure: &Failure) -> bool {
        let first = self.region.job().failure.record(failure);
        self.region.job().end();
        first
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.region.job().has_ended()
    }
}
