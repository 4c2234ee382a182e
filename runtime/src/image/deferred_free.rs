//! Blocks that a dropped team leaves behind on an image while other images still read what the image posted there.

use std::rc::Rc;

use crate::heap::Block;
use crate::image::descriptors::Descriptors;
use crate::image::remote_log::TeamLogs;
use crate::image::team::Team;

/// The descriptors and the control block of a team that this image has dropped.
///
/// The other members keep their control blocks until this image has freed its own, so this image can still read their
/// watermarks.
#[derive(Debug)]
pub(crate) struct DeferredFree {
    pub(crate) descriptors: Descriptors,
    pub(crate) parent: Rc<Team>,
    pub(crate) block: Block,
    pub(crate) members: Rc<[u32]>,
    /// Offset of the team's control structure in each part of the region.
    pub(crate) control: usize,
    /// For teams with members on other nodes.
    pub(crate) team_logs: Option<Rc<TeamLogs>>,
}
