//! Waiting for an event: on which image, for how long, and what a report says of it.

use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use coarray_fabric::system::controlled;
use coarray_fabric::{has_notes, spans_nodes};
use coarray_runtime::{
    Activity, Cause, Image, ImageFailed, Interruption, Team, is_own, note_consumed,
};

use crate::coevent::Coevent;

impl Coevent {
    /// Local. Waits for a post and consumes it.
    ///
    /// If an image of the current team has failed, and no post is there, the job ends with a report.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// See [`Coevent`].
    ///
    /// # Source
    /// *Coarray C++* section 6.2; Fortran 2018 `event wait`, clause 11.6.8.
    #[inline]
    #[track_caller]
    pub fn wait(&self) {
        self.wait_for(1);
    }

    /// Local. Waits for `posts` posts and consumes them.
    ///
    /// If an image of the current team has failed, and fewer posts are there, the job ends with a report.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let ready = Coarray::new(Coevent::new());
    ///     ready.at(0).post();
    ///     if this_image() == 0 {
    ///         ready.wait_for(4); // all images have come here
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `event wait` with `until_count`, clause 11.6.8.
    #[inline]
    #[track_caller]
    pub fn wait_for(&self, posts: u64) {
        self.assert_is_here();
        if !self.try_consume(posts) {
            self.wait_long(posts, Location::caller());
        }
    }

    /// As [`wait`](Self::wait); `cause` describes the wait in reports and says when to give up.
    ///
    /// # Errors
    /// Why the wait was given up.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn wait_because(&self, cause: impl Cause) -> Result<(), Interruption> {
        self.assert_is_here();
        if !self.take(1) {
            return self.wait_until(1, &Team::current(), cause);
        }
        let line = cause.activity().map(|(_, line)| line);
        self.note_consumed(1, line.unwrap_or(Location::caller()));
        Ok(())
    }

    /// Local. Consumes a post if one is there; returns whether it did.
    ///
    /// # Errors
    /// If none is there, and images of the current team have failed.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let event = Coarray::new(Coevent::new());
    ///     assert_eq!(event.try_wait(), Ok(false));
    ///     event.post();
    ///     assert_eq!(event.try_wait(), Ok(true));
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Test`, MPI 3.1 section 3.7.3; Fortran 2018 has `event_query` for it, clause 16.9.72.
    #[inline]
    #[track_caller]
    pub fn try_wait(&self) -> Result<bool, ImageFailed> {
        self.assert_is_here();
        if self.try_consume(1) {
            return Ok(true);
        }
        self.poll_and_consume()
    }

    #[cold]
    #[track_caller]
    fn poll_and_consume(&self) -> Result<bool, ImageFailed> {
        let team = Team::current();
        if spans_nodes() {
            team.image().poll();
            if self.try_consume(1) {
                return Ok(true);
            }
        }
        match team {
            team if team.has_failed_images() => Err(ImageFailed::of(&team)),
            _ => {
                controlled::looked_in_vain();
                Ok(false)
            }
        }
    }

    /// Local. Waits for a post and consumes it, unless that takes longer than `timeout`; returns whether it did.
    /// [`Duration::MAX`] is no limit.
    ///
    /// # Errors
    /// If none is there, and images of the current team have failed.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// A wait that survives the image it waits for:
    /// ```
    /// use coarray::prelude::*;
    /// use std::time::Duration;
    ///
    /// let outcome = coarray::Launch::new(2).keep_going(true).run(|| {
    ///     let event = Coarray::new(Coevent::new());
    ///     if this_image() == 1 {
    ///         coarray::failure::fail_image();
    ///     }
    ///     event.wait_timeout(Duration::MAX).unwrap_err().images
    /// });
    /// assert_eq!(outcome.unwrap(), [[1]]);
    /// ```
    ///
    /// # Source
    /// [`std::sync::mpsc::Receiver::recv_timeout`]; failed images as in Fortran 2018 `event wait` with `stat`, clause 11.6.11.
    #[inline]
    #[track_caller]
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool, ImageFailed> {
        self.wait_for_timeout(1, timeout)
    }

    /// Local. Waits for `posts` posts and consumes them, unless that takes longer than `timeout`; returns
    /// whether it did. [`Duration::MAX`] is no limit.
    ///
    /// # Errors
    /// If fewer are there, and images of the current team have failed.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use std::time::Duration;
    ///
    /// coarray::run(2, || {
    ///     let event = Coarray::new(Coevent::new());
    ///     event.post();
    ///     assert_eq!(event.wait_for_timeout(2, Duration::from_millis(1)), Ok(false));
    ///     assert_eq!(event.query(), 1); // nothing was consumed
    /// });
    /// ```
    ///
    /// # Source
    /// As [`wait_timeout`](Self::wait_timeout).
    #[inline]
    #[track_caller]
    pub fn wait_for_timeout(&self, posts: u64, timeout: Duration) -> Result<bool, ImageFailed> {
        self.assert_is_here();
        if self.try_consume(posts) {
            return Ok(true);
        }
        let team = Team::current();
        let waiting = EventWait {
            event: self,
            posts,
            deadline: controlled::now().checked_add(timeout),
            team: &team,
            caller: Location::caller(),
        };
        match self.wait_until(posts, &team, waiting) {
            Ok(()) => Ok(true),
            Err(Interruption::TimedOut) => Ok(false),
            Err(Interruption::Failed) => Err(ImageFailed::of(&team)),
        }
    }

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

    fn wait_long(&self, posts: u64, caller: &'static Location<'static>) {
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

    /// Consumes `posts` posts if they are there.
    #[inline]
    #[track_caller]
    pub(super) fn try_consume(&self, posts: u64) -> bool {
        let is_enough = self.take(posts);
        if is_enough {
            self.note_consumed(posts, Location::caller());
        }
        is_enough
    }

    #[inline]
    fn take(&self, posts: u64) -> bool {
        let consumed = self.target(posts);
        let enough = self.posted() >= consumed;
        if enough {
            // Pairs with the Acquire in `query`.
            self.consumed.0.store(consumed, Ordering::Release);
        }
        enough
    }

    /// Notes in a job that is checked that posts were consumed.
    #[inline]
    fn note_consumed(&self, posts: u64, caller: &'static Location<'static>) {
        if has_notes() {
            note_consumed(std::ptr::from_ref(self).addr(), posts, caller);
        }
    }

    /// The count of posts at which `posts` are left to consume.
    #[inline]
    pub(super) fn target(&self, posts: u64) -> u64 {
        // Relaxed: only this image writes it.
        let consumed = self.consumed.0.load(Ordering::Relaxed);
        consumed.saturating_add(posts)
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
