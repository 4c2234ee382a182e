//! The state of an image's traffic with other nodes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::deadlock::probe::Probe;
use crate::image::peer_timeout::PeerTimeout;
use crate::image::pushed_steps::PushedSteps;
use crate::image::remote_log::RemoteLogs;
use crate::image::team::TeamKey;

/// The first sleep between two polls for messages.
pub(crate) const MIN_POLL_INTERVAL: Duration = Duration::from_micros(5);

/// The longest sleep between two polls for messages.
pub(crate) const MAX_POLL_INTERVAL: Duration = Duration::from_micros(500);

/// The state of an image's traffic with other nodes.
#[derive(Debug, Default)]
pub(crate) struct Network {
    /// Whether a poll is in progress: handlers do not poll.
    pub(crate) is_polling: Cell<bool>,
    /// How many messages the image has dispatched; those that cannot wake anybody do not count.
    pub(crate) dispatched: Cell<u64>,
    /// The teams of the image, and the offsets of their control structures: messages that come late may name others.
    pub(crate) teams: RefCell<Vec<(TeamKey, usize)>>,
    /// Steps of collectives.
    pub(crate) pushed: PushedSteps,
    /// Logs of asynchronous collectives.
    pub(crate) logs: RefCell<RemoteLogs>,
    pub(crate) probe: Probe,
    /// None if `COARRAY_PEER_TIMEOUT` is not set.
    pub(crate) peer_timeout: Option<PeerTimeout>,
    /// The images that were asked to tell of the end of their program, and those that have: all that they sent before has
    /// been dispatched.
    pub(crate) asked: RefCell<BTreeSet<usize>>,
    pub(crate) stopped: RefCell<BTreeSet<usize>>,
    /// The images that have asked this one.
    pub(crate) asking: RefCell<Vec<usize>>,
}

impl Network {
    pub(crate) fn new(peer_timeout: Option<Duration>, images: usize) -> Self {
        Self {
            peer_timeout: peer_timeout.map(|limit| PeerTimeout::new(limit, images)),
            ..Self::default()
        }
    }
}
