//! How the tasks of an image await contributions: they poll again at once for a while, then the reactor wakes them.

use std::task::Waker;

use crate::collective::missing::Missing;
use crate::image::Image;
use crate::image::reactor::{Awaited, Reactor};

/// How often a task is told to poll again at once.
const MOST_POLLS: u32 = 1000;

impl Missing<'_> {
    /// Has `waker` woken when there is a reason to look again.
    pub fn wake(&self, waker: &Waker) {
        let image = self.request.team().image();
        let is_late = self.request.count_polls() >= MOST_POLLS;
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
        reactor.register(self.request.key(), awaited);
    }
}

/// The reactor, which is started when it is first needed; none if there can be none.
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
