//! Waiting for an event: on which image, for how long, and what a report says of it.

use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use coarray_runtime::{Activity, Cause, Image, ImageFailed, Interruption, Team, is_own};

use crate::coevent::Coevent;

impl Coevent {
    /// # Panics
    /// If the event is on another image.
    #[inline]
    #[track_caller]
    pub(super) fn assert_is_here(&self) {
        if !is_own(self) {
            self.refuse_others();
        }
    }

    #[cold]
    #[track_caller]
    fn refuse_others(&self) {
        let Some(image) = Image::try_current() else {
            return;
        };
        let address = std::ptr::from_ref(self).addr();
        if let Some(place) = image.locate(address)
            && place.image != image.index()
        {
            panic!(
                "this event is on image {}, and only that image can wait for it",
                place.image
            );
        }
        assert!(
            !image.is_in_another_job(address),
            "this event is in a coarray of another job than this image's: only an image of that job can wait for it"
        );
    }

    pub(super) fn wait_long(&self, posts: u64, caller: &'static Location<'static>) {
        let team = Team::current();
        let waiting = EventWait {
            event: self,
            posts,
            deadline: None,
            team: &team,
            caller,
        };
        if self.wait_until(posts, &team, &waiting).is_err() {
            let operation = format!("a wait for an event at {caller}");
            team.fail_because(&ImageFailed::of(&team), &operation);
        }
    }

    #[track_caller]
    pub(super) fn wait_until(
        &self,
        posts: u64,
        team: &Team,
        cause: impl Cause,
    ) -> Result<(), Interruption> {
        let target = self.target(posts);
        let line = cause
            .activity()
            .map_or(Location::caller(), |(_, line)| line);
        let (image, signals) = (team.image(), &self.posted.0.signals);
        image.wait_for_sum(&self.posted.0.posts, signals, target, cause)?;
        // Pairs with the Acquire in `query`.
        self.consumed.0.store(target, Ordering::Release);
        self.note_consumed(posts, line);
        Ok(())
    }
}

/// The cause of a wait for an event.
pub(super) struct EventWait<'a> {
    pub(super) event: &'a Coevent,
    pub(super) posts: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) team: &'a Rc<Team>,
    pub(super) caller: &'static Location<'static>,
}

impl EventWait<'_> {
    /// "1 more post to an event in ..", with words between "post" and "to".
    pub(super) fn describe_posts(&self, since: &str) -> String {
        let target = self.event.target(self.posts);
        let missing = target.saturating_sub(self.event.posted());
        let posts = if missing == 1 { "post" } else { "posts" };
        let image = self.team.image();
        let place = image.describe_place(std::ptr::from_ref(self.event).addr());
        format!("{missing} more {posts}{since} to an event in {place}")
    }
}

impl Cause for EventWait<'_> {
    fn describe(&self) -> String {
        format!("waits at {} for {}", self.caller, self.describe_posts(""))
    }

    fn awaited(&self) -> Option<usize> {
        None
    }

    fn has_failed(&self) -> bool {
        self.team.has_failed_images()
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Event, self.caller))
    }

    fn object(&self) -> Option<usize> {
        Some(std::ptr::from_ref(self.event).addr())
    }
}
