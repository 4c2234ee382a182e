//! All that was measured of a job.

use crate::profile::data::Data;
use crate::profile::summary::Summary;

/// All that was measured of a job: in one run of its program or in two.
#[derive(Debug)]
pub(super) struct Measured {
    /// How many images the job had.
    pub(super) images: usize,
    /// How many cores they had together, if all were on one machine.
    pub(super) cores: Option<usize>,
    /// Where they waited, from a run in which that was recorded.
    pub(super) waits: Option<Summary>,
    /// What they moved, from a run in which that was counted.
    pub(super) data: Option<Data>,
}
