//! How tasks await contributions and posts: a task polls again at once for a while; after that the reactor wakes it.

use std::task::Waker;

use crate::collective::missing::Missing;
use crate::image::Image;
use crate::image::reactor::{Awaited, Reactor};
use coarray_fabric::system::controlled::controller;

/// The most polls in a row before the reactor takes over.
const MOST_POLLS: u32 = 1000;

impl Missing<'_> {
    /// Arranges for `waker` to be woken when another poll may succeed.
    pub fn wake(&self, waker: &Waker) {
        if let Some(controller) = controller() {
            // The executor would keep the turn.
            controller.yield_now();
            return waker.wake_by_ref();
        }
        let image = self.team().image();
        let is_late = self.count_polls() >= MOST_POLLS;
        let Some(reactor) = is_late.then(|| reactor_of(image)).flatten() else {
            return waker.wake_by_ref();
        };
        let (eventcount, target) = self.eventcount();
        let awaited = Awaited {
            place: image.job.region.offset_of(eventcount),
            target,
            image: self.image(),
            description: self.describe(),
            waker: waker.clone(),
        };
        reactor.register(self.key(), awaited);
    }
}

/// The image's reactor, started on first use. None if the image cannot have one.
fn reactor_of(image: &Image) -> Option<&Reactor> {
    let can_be = image.network.is_none() && !image.is_over();
    can_be
        .then(|| {
            image
                .reactor
                .get_or_init(|| Reactor::start(&image.job, image.index))
        })?
        .as_ref()
}
