//! The description of a wait in an exchange, for reports.

use std::any::type_name;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{Cause, ImageFailed, Team};
use coarray_sync::Coevent;

use super::halo_array::HaloArray;

/// The cause of a wait in an exchange: the neighbour with this index has not posted.
pub(super) struct Missing<'a, T: Remote, const D: usize> {
    array: &'a HaloArray<T, D>,
    image: usize,
    /// The line of the program that called the exchange.
    caller: &'static Location<'static>,
}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Waits for a post of image `image` to one of the array's events.
    pub(super) fn await_neighbour(
        &self,
        event: usize,
        image: usize,
        caller: &'static Location<'static>,
    ) {
        let event: &Coevent = &self.events[event];
        let missing = || Missing {
            array: self,
            image,
            caller,
        };
        if event.wait_because(missing()).is_err() {
            let team = self.storage.team();
            team.fail_because(&ImageFailed::of(team), &missing().operation());
        }
    }
}

impl<T: Remote, const D: usize> Missing<'_, T, D> {
    fn team(&self) -> &Team {
        self.array.storage.team()
    }

    fn operation(&self) -> String {
        let Self { array, caller, .. } = self;
        format!(
            "exchange of the halo array of {} {:?} created at {}, called at {caller}",
            type_name::<T>(),
            array.blocks.shape(),
            array.created,
        )
    }
}

impl<T: Remote, const D: usize> Cause for Missing<'_, T, D> {
    fn describe(&self) -> String {
        format!("is in {}", self.operation())
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team().members()[self.image] as usize)
    }

    fn has_failed(&self) -> bool {
        self.team().has_failed_images()
    }
}
