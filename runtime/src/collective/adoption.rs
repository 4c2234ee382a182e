//! Looking after what dropped teams have left behind, until nobody needs it.

use std::mem::offset_of;

use crate::image::Image;
use crate::image::orphan::Orphan;
use crate::job::control::TeamControl;
use crate::lockfree::posts::{Board, Unneeded};

impl Orphan {
    fn board<'a>(&self, image: &'a Image, member: usize) -> &'a Board {
        let offset = self.control + offset_of!(TeamControl, board);
        // SAFETY: as `Team::control`; the block is not free before this image, too, has freed its own.
        unsafe {
            &*image
                .job
                .region
                .part_address(member, offset)
                .cast::<Board>()
        }
    }

    /// Takes back what nobody needs. Returns whether that is everything.
    fn shrink(&mut self, image: &Image) -> bool {
        let members = self.members.iter().map(|&member| member as usize);
        let nodes = &image.job.nodes;
        let left =
            members.filter(|&member| nodes.share(image.index, member) && !image.has_failed(member));
        let mut unneeded = Unneeded::by(left.map(|member| self.board(image, member)));
        if let Some(correspondence) = &self.correspondence {
            unneeded = correspondence.narrow(unneeded);
        }
        self.records.take_back(image, unneeded);
        self.records.give_up_spares(image);
        self.records.is_empty()
    }
}

impl Image {
    /// Keeps what a team leaves behind, until nobody needs it. Returns it if it may be dropped at once: this image
    /// is over, and uses no memory again.
    pub(crate) fn adopt(&self, orphan: Orphan) -> Option<Orphan> {
        match &mut *self.orphans.borrow_mut() {
            Some(orphans) => {
                orphans.push(orphan);
                None
            }
            None => Some(orphan),
        }
    }

    /// Takes back what dropped teams have left behind and nobody needs any more.
    pub(crate) fn collect_orphans(&self) {
        let Some(orphans) = self
            .orphans
            .borrow_mut()
            .as_mut()
            .filter(|orphans| !orphans.is_empty())
            .map(std::mem::take)
        else {
            return;
        };
        for mut orphan in orphans {
            if orphan.shrink(self) {
                // SAFETY: the block was allocated by the parent for the team, which this image has dropped, and
                // whose structures it reads no more.
                unsafe { orphan.parent.free(orphan.block) };
            } else {
                drop(self.adopt(orphan));
            }
        }
    }

    /// Whether the image has come to its end, and uses no memory of others again.
    pub(crate) fn is_over(&self) -> bool {
        self.orphans.borrow().is_none()
    }

    /// Forgets what dropped teams have left behind; other images may go on reading it.
    pub(crate) fn abandon_orphans(&self) {
        drop(self.orphans.take());
    }
}
