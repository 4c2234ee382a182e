//! What an image sleeps on while nothing arrives: one event for all links of one or several conveyors.

use std::cell::Cell;
use std::panic::Location;

use coarray_coref::Coref;
use coarray_fabric::attribute_to_library;
use coarray_runtime::{Activity, Cause, ImageFailed, Team};
use coarray_sync::Coevent;

use crate::coarray::Coarray;

/// An event on each image, posted whenever a packet has come there or was taken from there.
pub(super) struct Bell {
    events: Coarray<[Coevent]>,
    /// How many posts this image has consumed. Several conveyors may share the bell: each compares this with the number up to which it has
    /// looked at its links.
    heard: Cell<u64>,
}

impl Bell {
    pub(super) fn new(events: Coarray<[Coevent]>) -> Self {
        Self {
            events,
            heard: Cell::new(0),
        }
    }

    /// The team of its images.
    pub(super) fn team(&self) -> &Team {
        self.events.storage.team()
    }

    /// The event of an image.
    #[inline]
    pub(super) fn of(&self, image: usize) -> &Coref<Coevent> {
        &self.events.at(image)[0]
    }

    /// Consumes the posts that are there; returns how many there were since the creation.
    #[inline]
    pub(super) fn listen(&self) -> u64 {
        let event = &self.events[0];
        let posts = event.query();
        if posts > 0 {
            event.wait_for(posts);
            self.heard.set(self.heard.get() + posts);
        }
        self.heard.get()
    }

    /// How many posts this image has consumed.
    pub(super) fn heard(&self) -> u64 {
        self.heard.get()
    }

    /// Sleeps until a post comes that was not heard.
    ///
    /// # Errors
    /// If an image of the team has failed or stopped, and none has come.
    pub(super) fn sleep(
        &self,
        opened: &'static Location<'static>,
        caller: &'static Location<'static>,
    ) -> Result<(), ImageFailed> {
        let waiting = Waiting {
            event: &self.events[0],
            team: self.team(),
            opened,
            caller,
        };
        // No line of the program waits for it: it is a part of the conveyor.
        let _own = attribute_to_library();
        self.events[0]
            .wait_because(&waiting)
            .map_err(|_| self.team().missing_images())?;
        self.heard.set(self.heard.get() + 1);
        Ok(())
    }

    /// Ends the job, because a wait cannot end.
    #[cold]
    pub(super) fn end_job(
        &self,
        failed: &ImageFailed,
        opened: &'static Location<'static>,
        caller: &'static Location<'static>,
    ) -> ! {
        let operation = format!("a wait for items of the conveyor opened at {opened}, at {caller}");
        self.team().fail_because(failed, &operation)
    }
}

/// Why an image sleeps.
struct Waiting<'a> {
    event: &'a Coevent,
    team: &'a Team,
    opened: &'static Location<'static>,
    caller: &'static Location<'static>,
}

impl Cause for Waiting<'_> {
    fn describe(&self) -> String {
        let Self { opened, caller, .. } = self;
        format!(
            "waits at {caller} for items, or for room for items, of the conveyor opened at {opened}"
        )
    }

    fn awaited(&self) -> Option<usize> {
        None
    }

    fn has_failed(&self) -> bool {
        self.team.is_incomplete()
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Conveyor, self.caller))
    }

    fn object(&self) -> Option<usize> {
        Some(std::ptr::from_ref(self.event).addr())
    }
}
