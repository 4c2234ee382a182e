//! What the images of one job in one process share.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::apart::Claim;
use crate::control::Failure;
use crate::launch::settings::{Bind, FabricKind, Settings, Wait};
use crate::nodes::Nodes;
use crate::parked::Threads;
use crate::region::Region;
use crate::tally::Patience;

/// A running job.
#[derive(Debug)]
pub(crate) struct Job {
    /// Given up before the region is unmapped: fields are dropped in this order.
    _claim: Claim,
    pub(crate) region: Region,
    pub(crate) wait: Wait,
    /// That of an image whose core nobody else wants.
    pub(crate) patience: Patience,
    /// Whether places may be reached by load and store.
    pub(crate) direct: bool,
    pub(crate) bind: Bind,
    pub(crate) nodes: Nodes,
    pub(crate) engine: FabricKind,
    /// The threads of this process that belong to it.
    pub(crate) threads: Threads,
    /// How long images of other nodes may be silent while one waits for them.
    pub(crate) silence: Option<Duration>,
    /// Whether the failure on record was first noticed in this process, which is to report it.
    is_reporter: AtomicBool,
    /// The lowest image of other nodes that reports the end of the job; too large a number for none.
    told_by: AtomicUsize,
}

impl Job {
    /// A job whose images all share memory.
    pub(crate) fn new(region: Region, settings: &Settings) -> Self {
        let images = region.dimensions().images;
        let nodes = Nodes::counted(images, settings.node_images);
        Self::on_nodes(region, settings, nodes)
    }

    /// The job of one node, with a region of its own.
    pub(crate) fn on_nodes(region: Region, settings: &Settings, nodes: Nodes) -> Self {
        let dimensions = region.dimensions();
        let patience = patience(
            settings.wait,
            nodes.share_all(),
            dimensions.have_cores_for_all(),
        );
        Self {
            _claim: Claim::new(region.addresses(), !nodes.share_all()),
            region,
            wait: settings.wait,
            patience,
            direct: settings.direct,
            bind: settings.bind,
            nodes,
            engine: settings.fabric,
            threads: Threads::default(),
            silence: settings.silence,
            is_reporter: AtomicBool::new(false),
            told_by: AtomicUsize::new(usize::MAX),
        }
    }

    /// Ends the job because of `failure`; false if it already ended for another reason.
    pub(crate) fn fail(&self, failure: &Failure) -> bool {
        let first = self.learn(failure);
        if first {
            self.is_reporter.store(true, Ordering::Relaxed);
        }
        first
    }

    /// Ends the job because of `failure`, of which another node tells; false if it already ended for another reason.
    pub(crate) fn learn(&self, failure: &Failure) -> bool {
        let first = self.region.job().failure.record(failure);
        self.region.job().end();
        first
    }

    /// Notes that an image of another node reports the end of the job.
    pub(crate) fn be_told_by(&self, image: usize) {
        self.told_by.fetch_min(image, Ordering::Relaxed);
    }

    /// Whether an image of another node that is lower than `image` reports the end of the job.
    #[cfg(any(feature = "mpi", feature = "shmem"))]
    pub(crate) fn is_told_by_lower(&self, image: usize) -> bool {
        self.told_by.load(Ordering::Relaxed) < image
    }

    pub(crate) fn is_reporter(&self) -> bool {
        self.is_reporter.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.region.job().has_ended()
    }
}

/// How long images wait before they sleep, if nobody else wants their cores.
fn patience(wait: Wait, share_all: bool, have_cores_for_all: bool) -> Patience {
    let [spins, yields] = match (wait, have_cores_for_all) {
        (Wait::Sleep, _) => [1, 0],
        // What others do arrives only when the image looks for it.
        _ if !share_all => [1, 1000],
        (Wait::Spin, _) => [100_000, 200],
        (Wait::Adaptive, true) => [4000, 200],
        // An image that waits for a core must not keep another one busy: where they share cores, whoever is waited for
        // most likely waits for this one.
        (Wait::Adaptive, false) => [1, 20],
    };
    Patience { spins, yields }
}
