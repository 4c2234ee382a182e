//! What a team leaves behind on an image that dropped it while others still read what it posted there.

use std::rc::Rc;

use crate::heap::Block;
use crate::image::descriptors::Descriptors;
use crate::image::remote_log::TeamLogs;
use crate::image::team::Team;

/// The records of a team that is gone on this image, and the block with the team's structures: the others keep
/// theirs while this image has not freed its own, so that they can be asked what they have released.
#[derive(Debug)]
pub(crate) struct DeferredFree {
    pub(crate) records: Descriptors,
    pub(crate) parent: Rc<Team>,
    pub(crate) block: Block,
    pub(crate) members: Rc<[u32]>,
    /// Offset of the team's control structure in each image's part of the region.
    pub(crate) control: usize,
    /// With members on other nodes.
    pub(crate) team_logs: Option<Rc<TeamLogs>>,
}
