//! The description of a wait in an exchange, for reports.

use std::any::type_name;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_fabric::attribute_to_library;
use coarray_runtime::{Activity, Cause, ImageFailed};
use coarray_sync::Coevent;

use super::halo_array::HaloArray;

/// The cause of a wait in an exchange: the neighbour with this index has not posted.
pub(super) struct Missing<'a, T: Remote, const D: usize> {
    array: &'a HaloArray<T, D>,
    event: &'a Coevent,
    image: usize,
    /// The line of the program that called the exchange.
    caller: &'static Location<'static>,
}

/// An exchange that cannot be finished, because these images have failed or stopped.
pub(super) struct Unfinished {
    pub(super) failed: ImageFailed,
    /// The line of the program that called it.
    caller: &'static Location<'static>,
}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Consumes a post to one of the array's events, if one is there. An error is left to the waits, which know the failed image.
    #[track_caller]
    pub(super) fn takes_post(&self, event: usize) -> bool {
        // No line of the program waits for it: it is a part of the exchange.
        let _own = self.is_seen().then(attribute_to_library);
        self.events[event].try_wait() == Ok(true)
    }

    /// Waits for a post of image `image` to one of the array's events.
    pub(super) fn await_neighbour(
        &self,
        event: usize,
        image: usize,
        caller: &'static Location<'static>,
    ) -> Result<(), Unfinished> {
        let event: &Coevent = &self.events[event];
        let missing = Missing {
            array: self,
            event,
            image,
            caller,
        };
        let _own = self.is_seen().then(attribute_to_library);
        event.wait_because(missing).map_err(|_| {
            self.is_abandoned.set(true);
            Unfinished {
                failed: self.team().missing_images(),
                caller,
            }
        })
    }

    /// Ends the job, because an exchange cannot be finished.
    #[cold]
    pub(super) fn end_job(&self, unfinished: &Unfinished) -> ! {
        let operation = self.exchange_at(unfinished.caller);
        self.team().fail_because(&unfinished.failed, &operation)
    }

    /// An exchange, as text.
    fn exchange_at(&self, caller: &'static Location<'static>) -> String {
        format!(
            "exchange of the halo array of {} {:?} created at {}, called at {caller}",
            type_name::<T>(),
            self.blocks.shape(),
            self.created,
        )
    }
}

impl<T: Remote, const D: usize> Missing<'_, T, D> {
    fn number(&self) -> usize {
        self.array.team().members()[self.image] as usize
    }
}

impl<T: Remote, const D: usize> Cause for Missing<'_, T, D> {
    fn describe(&self) -> String {
        format!("is in {}", self.array.exchange_at(self.caller))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.number())
    }

    fn has_failed(&self) -> bool {
        let team = self.array.team();
        team.has_failed_images() || team.image().is_out(self.number())
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Halo, self.caller))
    }

    fn object(&self) -> Option<usize> {
        Some(std::ptr::from_ref(self.event).addr())
    }
}
