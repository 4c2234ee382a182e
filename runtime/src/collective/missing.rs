//! Waiting for the first of several contributions to asynchronous collectives.
//!
//! An image can sleep on one eventcount only. So it sleeps on the first for a short time, and checks the others in
//! between. The deadlock search sees that the image sleeps, but not for what: the image itself checks all contributions
//! before it records its wait again, and a deadlock is reported only after that.

use std::panic::Location;
use std::time::Duration;

use crate::collective::outstanding::posted_count;
use crate::collective::request::CollectiveRequest;
use crate::image::reactor::describe_any;
use crate::lockfree::eventcount::{self, Around, Eventcount, WaitStrategy};
use crate::waiting::{Cause, Stop, Waiting};

/// A contribution that has not arrived.
#[derive(Clone, Copy, Debug)]
pub struct Missing<'a> {
    /// The collective.
    pub request: &'a CollectiveRequest,
    /// The index of the contributor.
    pub index: usize,
}

/// The longest sleep on one eventcount while others matter as well.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

impl Missing<'_> {
    /// Waits until one of these contributions has arrived, or an image has failed that owes one;
    /// [`CollectiveRequest::is_here`] tells which. `caller` is the line of the program that waits. If the job has
    /// ended, the image unwinds.
    pub fn await_any(missing: &[Self], caller: &'static Location<'static>) {
        let [first, others @ ..] = missing else {
            return;
        };
        let image = first.request.team().image();
        let (eventcount, target) = first.eventcount();
        let ended = eventcount::until(eventcount, target, image.backoff.patience(), || AnyOf {
            others,
            watch: Waiting::new(
                image,
                AllMissing {
                    all: missing,
                    caller,
                },
            ),
        });
        if let Err(End::Stopped(Stop::Ended)) = ended {
            image.unwind();
        }
    }

    /// The eventcount to wait for, and its target.
    pub(crate) fn eventcount(&self) -> (&Eventcount, u64) {
        let posted = posted_count(self.request.team(), self.index);
        (posted, self.request.awaited_count())
    }

    fn has_come(&self) -> bool {
        let (eventcount, target) = self.eventcount();
        eventcount.has_reached(target)
    }

    /// The number of the contributor.
    pub(crate) fn image(&self) -> usize {
        self.request.team().members()[self.index] as usize
    }

    /// The collective, as text.
    pub(crate) fn describe(&self) -> String {
        self.request.call().describe(self.request.team())
    }
}

/// Why a sleep ends early.
enum End {
    /// Another of the contributions has arrived.
    Arrived,
    Stopped(Stop),
}

/// Waits for one contribution, and checks the others before each sleep.
struct AnyOf<'a> {
    others: &'a [Missing<'a>],
    watch: Waiting<'a, AllMissing<'a>>,
}

impl<'a> Around for AnyOf<'a> {
    type Inner = Waiting<'a, AllMissing<'a>>;
    type Stop = End;

    fn inner(&self) -> &Waiting<'a, AllMissing<'a>> {
        &self.watch
    }

    fn stop(stop: Stop) -> End {
        End::Stopped(stop)
    }

    fn check(&self) -> Result<(), End> {
        if self.others.iter().any(Missing::has_come) {
            return Err(End::Arrived);
        }
        self.watch.check().map_err(End::Stopped)
    }

    fn park_timeout(&self) -> Duration {
        self.watch.park_timeout().min(MAX_POLL_INTERVAL)
    }

    /// One interval is over: [`check`](Self::check) decides whether the whole wait took long.
    fn on_timeout(&self) -> Result<(), End> {
        Ok(())
    }
}

/// Why the image waits: for any of these contributions.
struct AllMissing<'a> {
    all: &'a [Missing<'a>],
    caller: &'static Location<'static>,
}

impl Cause for AllMissing<'_> {
    fn describe(&self) -> String {
        let (words, _) = describe_any(self.all.iter().map(|lack| (lack.image(), lack.describe())));
        format!("is in wait_any at {}, for {words}", self.caller)
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.all[0].image())
    }

    fn has_failed(&self) -> bool {
        let has_failed = |lack: &Missing<'_>| lack.request.team().is_failed(lack.index);
        self.all.iter().any(has_failed)
    }
}
