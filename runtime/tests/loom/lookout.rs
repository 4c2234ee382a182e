//! The events that stop an image's wait, in models.

// Each model uses a part of this.
#![allow(dead_code)]

use std::time::Duration;

use crate::lockfree::eventcount::{Eventcount, WaitStrategy};
use crate::primitives;

/// The alarm's bit for the end of the job; higher bits are for failed images.
pub(crate) const ENDED: u32 = 1;

/// The alarm's bit for the failure of an image.
pub(crate) fn failed(image: usize) -> u32 {
    2 << image
}

/// Why a wait stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Ended,
    Failed,
}

/// Stops a wait when one of these alarms is raised.
pub(crate) struct Lookout(pub(crate) u32);

impl WaitStrategy for Lookout {
    type Stop = Stop;

    fn check(&self) -> Result<(), Stop> {
        match primitives::alarm() {
            alarm if alarm & ENDED != 0 => Err(Stop::Ended),
            alarm if alarm & self.0 != 0 => Err(Stop::Failed),
            _ => Ok(()),
        }
    }

    fn park_timeout(&self) -> Duration {
        Duration::MAX
    }

    fn prepare_park(&self, _eventcount: &Eventcount, _target: u64) {}

    fn on_timeout(&self) -> Result<(), Stop> {
        unreachable!("naps do not end by themselves")
    }

    fn unpark(&self) {}
}
