//! Counts of the calls of `sync_images`, one for each ordered pair of images.

use crate::image::Image;
use crate::lockfree::eventcount::Eventcount;
use crate::messages::messaging::send_advance;

impl Image {
    /// Counts a call of `sync_images` with `image`, and wakes it. Everything written before is visible to an image that
    /// sees the count.
    pub fn advance_pair(&self, image: usize) {
        let calls = self.pairs[image].get() + 1;
        self.pairs[image].set(calls);
        let pair = self.job.region.pair(image, self.index);
        match self.remote_place(pair) {
            Some(place) => send_advance(self, place, calls),
            None => pair.advance_to(calls),
        }
    }

    /// The eventcount that `image` advances when it calls `sync_images` with this image, and the count that matches the
    /// calls of this image.
    #[must_use]
    pub fn pair_with(&self, image: usize) -> (&Eventcount, u64) {
        let eventcount = self.job.region.pair(self.index, image);
        (eventcount, self.pairs[image].get())
    }
}
