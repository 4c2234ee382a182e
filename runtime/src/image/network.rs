//! What an image keeps of its traffic with images that share no memory with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

use crate::deadlock::probe::Probe;
use crate::image::correspondence::Correspondences;
use crate::image::hearing::Silence;
use crate::image::lock_answer::Answer;
use crate::image::subscriptions::Subscriptions;
use crate::image::unacknowledged::Told;

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
    pub(crate) posts: RefCell<Correspondences>,
    pub(crate) probe: Probe,
    /// None if silence has no limit.
    pub(crate) silence: Option<Silence>,
    /// The images that have said that they came to the end of the program: nothing will follow that they sent before.
    pub(crate) stopped: RefCell<BTreeSet<usize>>,
    pub(crate) told: Told,
    /// About the lock on another node that the image wants.
    pub(crate) answer: Answer,
}

impl Network {
    pub(crate) fn new(silence: Option<Duration>, images: usize) -> Self {
        Self {
            silence: silence.map(|limit| Silence::new(limit, images)),
            ..Self::default()
        }
    }
}
