//! Counts of the calls of `sync_images`, one for each ordered pair of images.
//!
//! An image has as many of them as the job has images. Their memory is committed for those that meet.

use std::panic::Location;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::lockfree::eventcount::Eventcount;
use crate::messages::messaging::send_message;

impl Image {
    /// Counts a call of `sync_images` with `image`, and wakes it. Everything written before is visible to an image that
    /// sees the count.
    pub fn advance_pair(&self, image: usize, caller: &'static Location<'static>) {
        let calls = self.pairs[image].get() + 1;
        if let Some(checking) = self.checking() {
            self.offer("sync_images", caller);
            checking.meet(image, calls, caller);
        }
        let is_first = calls == 1;
        if is_first {
            commit_pair(self, self.index, image);
        }
        self.pairs[image].set(calls);
        if !self.job.nodes.share(self.index, image) {
            let message = Outgoing::new(MessageKind::SyncImages).word(calls);
            return send_message(self, image, &message);
        }
        if is_first {
            commit_pair(self, image, self.index);
        }
        self.job.region.pair(image, self.index).advance_to(calls);
    }

    /// This image has seen the call of `image` that matches its own last one.
    pub fn note_pair(&self, image: usize, caller: &'static Location<'static>) {
        if let Some(checking) = self.checking() {
            checking.has_met(image, self.pairs[image].get(), caller);
        }
    }

    /// The eventcount that `image` advances when it calls `sync_images` with this image, and the count that matches the
    /// calls of this image. It has called [`advance_pair`](Self::advance_pair) before.
    #[must_use]
    pub fn pair_with(&self, image: usize) -> (&Eventcount, u64) {
        let eventcount = self.job.region.pair(self.index, image);
        (eventcount, self.pairs[image].get())
    }
}

/// Handles a call of `sync_images` by image `from`, its `calls`-th.
pub(crate) fn handle_sync_images(image: &Image, from: usize, calls: u64) {
    if image.pairs[from].get() == 0 {
        commit_pair(image, image.index, from);
    }
    image.job.region.pair(image.index, from).advance_to(calls);
}

fn commit_pair(here: &Image, image: usize, from: usize) {
    if let Err(error) = here.job.region.commit_pair(image, from) {
        here.fail(format!(
            "no memory is left for images {image} and {from} to synchronise: {error}"
        ));
    }
}
