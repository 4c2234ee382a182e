//! What an image keeps of its traffic with images that share no memory with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::deadlock::probe::Probe;
use crate::image::lock_answer::Answer;
use crate::image::peer_timeout::PeerTimeout;
use crate::image::remote_log::RemoteLogs;
use crate::image::subscriptions::Subscriptions;
use crate::image::unacknowledged::Unacked;

/// The first sleep of an image that must look for messages.
pub(crate) const SHORTEST_NAP: Duration = Duration::from_micros(5);

/// The longest sleep of an image that must look for messages.
pub(crate) const NAP: Duration = Duration::from_micros(500);

/// What an image keeps of its traffic with other nodes.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) is_polling: Cell<bool>,
    /// How many messages the image has carried out.
    pub(crate) carried_out: Cell<u64>,
    pub(crate) subscriptions: Subscriptions,
    /// What passes with asynchronous collectives.
    pub(crate) posts: RefCell<RemoteLogs>,
    pub(crate) probe: Probe,
    /// None if silence has no limit.
    pub(crate) peer_timeout: Option<PeerTimeout>,
    /// The images that have said that they came to the end of the program: nothing will follow that they sent before.
    pub(crate) stopped: RefCell<BTreeSet<usize>>,
    pub(crate) unacked: Unacked,
    /// About the lock on another node that the image wants.
    pub(crate) answer: Answer,
}

impl Network {
    pub(crate) fn new(peer_timeout: Option<Duration>, images: usize) -> Self {
        Self {
            peer_timeout: peer_timeout.map(|limit| PeerTimeout::new(limit, images)),
            ..Self::default()
        }
    }
}
