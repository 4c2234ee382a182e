//! Deferred frees: descriptors and blocks of dropped teams, kept until no image needs them.

use std::mem::offset_of;

use crate::image::Image;
use crate::image::deferred_free::DeferredFree;
use crate::job::control::TeamControl;
use crate::lockfree::log::{Log, Reclaimable};

impl DeferredFree {
    fn log<'a>(&self, image: &'a Image, member: usize) -> &'a Log {
        let offset = self.control + offset_of!(TeamControl, log);
        // SAFETY: as `Team::control`: the block is not free before this image has freed its own copy.
        unsafe { &*image.job.region.part_address(member, offset).cast::<Log>() }
    }

    /// Frees what no image needs. Returns whether that is everything.
    fn shrink(&mut self, image: &Image) -> bool {
        let members = self.members.iter().map(|&member| member as usize);
        let nodes = &image.job.nodes;
        let left =
            members.filter(|&member| nodes.share(image.index, member) && !image.has_failed(member));
        let mut reclaimable = Reclaimable::by(left.map(|member| self.log(image, member)));
        if let Some(team_logs) = &self.team_logs {
            reclaimable = team_logs.narrow(reclaimable);
        }
        self.descriptors.reclaim(image, reclaimable);
        self.descriptors.free_spares(image);
        self.descriptors.is_empty()
    }
}

/// Queues what a dropped team leaves behind. Returns it if it may be dropped at once, because this image is over and
/// allocates no more.
pub(crate) fn enqueue_deferred_free(
    image: &Image,
    deferred_free: DeferredFree,
) -> Option<DeferredFree> {
    match &mut *image.deferred_frees.borrow_mut() {
        Some(deferred_frees) => {
            deferred_frees.push(deferred_free);
            None
        }
        None => Some(deferred_free),
    }
}

/// Frees what dropped teams left behind, as far as no image needs it.
pub(crate) fn collect_deferred_frees(image: &Image) {
    let Some(deferred_frees) = image
        .deferred_frees
        .borrow_mut()
        .as_mut()
        .filter(|deferred_frees| !deferred_frees.is_empty())
        .map(std::mem::take)
    else {
        return;
    };
    for mut deferred_free in deferred_frees {
        if deferred_free.shrink(image) {
            // SAFETY: the parent allocated the block for the team. This image has dropped the team and does not read
            // its structures again.
            unsafe { deferred_free.parent.free(deferred_free.block) };
        } else {
            drop(enqueue_deferred_free(image, deferred_free));
        }
    }
}

/// Forgets what dropped teams left behind. Other images may go on reading it.
pub(crate) fn abandon_deferred_frees(image: &Image) {
    drop(image.deferred_frees.take());
}
