//! How the tasks of an image await contributions: they poll again at once for a while, then the reactor wakes them.

use std::task::Waker;

use crate::collective::missing::Missing;
use crate::image::Image;
use crate::image::reactor::{Awaited, Reactor};

/// How often a task is told to poll again at once.
const END_TIMEOUT: u32 = 1000;

impl Missing<'_> {
    /// Has `waker` woken when there is a reason to look again.
    pub fn wake(&self, waker: &Waker) {
        let image = self.request.team().image();
        let is_late = self.request.count_polls() >= END_TIMEOUT;
        let Some(reactor) = is_late.then(|| image.reactor()).flatten() else {
            return waker.wake_by_ref();
        };
        let (eventcount, target) = self.eventcount();
        let awaited = Awaited {
            place: image.job.region.offset_of(eventcount),
            target,
            image: self.image(),
            words: self.describe(),
            waker: waker.clone(),
        };
        reactor.await_for(self.request.key(), awaited);
    }
}

impl Image {
    /// The reactor, which is started when it is first needed; none if there can be none.
    fn reactor(&self) -> Option<&Reactor> {
        let can_be = self.network.is_none() && !self.is_over();
        can_be
            .then(|| {
                self.reactor
                    .get_or_init(|| Reactor::start(&self.job, self.index))
            })?
            .as_ref()
    }

    /// The reactor, if it was ever needed.
    pub(crate) fn started_reactor(&self) -> Option<&Reactor> {
        self.reactor.get()?.as_ref()
    }
}
