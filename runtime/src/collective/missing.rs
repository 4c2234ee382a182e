//! Waiting for the first of several contributions to asynchronous collectives, and of posts of events.
//!
//! An image can sleep on one eventcount only. So it sleeps on the first for a short time, and checks the others in
//! between. The deadlock search sees that the image sleeps, but not for what: the image itself checks all of them
//! before it records its wait again, and a deadlock is reported only after that. Between nodes posts are signals, of which a record has
//! one: there an image that waits for posts and something else counts as awake.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::collective::outstanding::posted_count;
use crate::collective::request::CollectiveRequest;
use crate::image::reactor::{Key, describe_any};
use crate::image::team::Team;
use crate::lockfree::eventcount::{self, Around, Eventcount, WaitStrategy};
use crate::profile::activity::Activity;
use crate::waiting::{Cause, Stop, Waiting};
use coarray_fabric::transport::signal::Signal;

/// What has not arrived, and an operation waits for.
#[derive(Clone, Copy, Debug)]
pub enum Missing<'a> {
    /// The contribution of the image with this index.
    Contribution(&'a CollectiveRequest, usize),
    /// Posts of an event of this image.
    Posts(&'a dyn AwaitedPosts),
}

/// Posts that an operation waits for.
pub trait AwaitedPosts: fmt::Debug {
    /// The posts of images on this node and on others, and how many they must be together.
    fn counts(&self) -> (&Eventcount, &Signal, u64);

    /// The team whose failed images end the wait.
    fn team(&self) -> &Rc<Team>;

    /// What is missing, as text.
    fn describe(&self) -> String;

    /// How often tasks have polled in vain.
    fn polls(&self) -> &Cell<u32>;
}

/// The longest sleep on one eventcount while others matter as well.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

impl<'a> Missing<'a> {
    /// Waits until one of these has arrived, or an image has failed that owes one, or the deadline has passed; the operations
    /// tell which. `caller` is the line of the program that waits. If the job has ended, the image unwinds.
    pub fn await_any(
        missing: &[Self],
        deadline: Option<Instant>,
        caller: &'static Location<'static>,
    ) {
        let Some(first) = missing.first() else {
            return;
        };
        let image = first.team().image();
        let (eventcount, target) = first.eventcount();
        let ended = eventcount::until(eventcount, target, image.backoff.patience(), || AnyOf {
            all: missing,
            watch: Waiting::new(
                image,
                AllMissing {
                    all: missing,
                    deadline,
                    caller,
                },
            ),
        });
        if let Err(End::Stopped(Stop::Ended)) = ended {
            image.unwind();
        }
    }

    pub(crate) fn team(&self) -> &'a Rc<Team> {
        match self {
            Self::Contribution(request, _) => request.team(),
            Self::Posts(posts) => posts.team(),
        }
    }

    /// The eventcount to wait for, and its target.
    pub(crate) fn eventcount(&self) -> (&'a Eventcount, u64) {
        match self {
            Self::Contribution(request, index) => {
                let posted = posted_count(request.team(), *index);
                (posted, request.awaited_count())
            }
            Self::Posts(posts) => {
                let (eventcount, signals, target) = posts.counts();
                (eventcount, target.saturating_sub(signals.sum()))
            }
        }
    }

    fn has_come(&self) -> bool {
        let (eventcount, target) = self.eventcount();
        eventcount.has_reached(target)
    }

    /// The number of the image that owes it, if that is one.
    pub(crate) fn image(&self) -> Option<usize> {
        match self {
            Self::Contribution(request, index) => Some(request.team().members()[*index] as usize),
            Self::Posts(_) => None,
        }
    }

    /// The operation, as text.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Contribution(request, _) => request.call().describe(request.team()),
            Self::Posts(posts) => posts.describe(),
        }
    }

    /// Identifies what waits for it.
    pub(crate) fn key(&self) -> Key {
        match self {
            Self::Contribution(request, _) => request.key(),
            Self::Posts(posts) => key_of(*posts),
        }
    }

    /// Counts a poll that was in vain. Returns the number of polls before it.
    pub(crate) fn count_polls(&self) -> u32 {
        let polls = match self {
            Self::Contribution(request, _) => request.polls(),
            Self::Posts(posts) => posts.polls(),
        };
        polls.replace(polls.get().saturating_add(1))
    }

    fn has_failed(&self) -> bool {
        match self {
            Self::Contribution(request, index) => request.team().is_gone(*index),
            Self::Posts(posts) => posts.team().has_failed_images(),
        }
    }

    fn is_posts(&self) -> bool {
        matches!(self, Self::Posts(_))
    }
}

/// The address of what waits: no control structure of a team has it.
fn key_of(posts: &dyn AwaitedPosts) -> Key {
    (std::ptr::from_ref(posts).addr() as u64, u64::MAX)
}

/// To be called when nothing waits for these posts any more.
pub fn forget_posts(posts: &dyn AwaitedPosts) {
    if posts.polls().get() > 0
        && let Some(reactor) = posts.team().image().started_reactor()
    {
        reactor.forget(key_of(posts));
    }
}

/// Why a sleep ends early.
enum End {
    /// One of them has arrived.
    Arrived,
    Stopped(Stop),
}

/// Waits for the first, and checks all before each sleep.
struct AnyOf<'a> {
    all: &'a [Missing<'a>],
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
        if self.all.iter().any(Missing::has_come) {
            return Err(End::Arrived);
        }
        self.watch.check().map_err(End::Stopped)
    }

    fn park_timeout(&self) -> Duration {
        self.watch.park_timeout().min(MAX_POLL_INTERVAL)
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        let image = self.all[0].team().image();
        match image.spans_nodes() && self.all.iter().any(Missing::is_posts) {
            true => self.watch.prepare_park_until(None),
            false => self.watch.prepare_park(eventcount, target),
        }
    }

    /// One interval is over: [`check`](Self::check) decides whether the whole wait took long.
    fn on_timeout(&self) -> Result<(), End> {
        Ok(())
    }
}

/// Why the image waits: for any of these.
struct AllMissing<'a> {
    all: &'a [Missing<'a>],
    deadline: Option<Instant>,
    caller: &'static Location<'static>,
}

impl Cause for AllMissing<'_> {
    fn describe(&self) -> String {
        let (words, _) = describe_any(self.all.iter().map(|lack| (lack.image(), lack.describe())));
        format!("is in wait_any at {}, for {words}", self.caller)
    }

    fn awaited(&self) -> Option<usize> {
        self.all[0].image()
    }

    fn has_failed(&self) -> bool {
        self.all.iter().any(Missing::has_failed)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Any, self.caller))
    }
}
