//! Events: counts of posts, for which their own image waits.
//!
//! An event is an eventcount of the posts of images on its node, a signal word of those of other nodes, and a count of the posts
//! that waits have consumed. A wait for `n` posts is one for eventcount and signals together to reach `consumed + n`; only the
//! event's own image waits, so only it writes `consumed`.

mod any;
mod posted;
mod wait;

use std::fmt;
use std::mem::offset_of;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use coarray_coref::{Shared, Symmetric};
use coarray_fabric::system::controlled;
use coarray_fabric::{Place, Signal, has_notes, is_in_job, spans_nodes};
use coarray_runtime::{
    Cause, Eventcount, Image, ImageFailed, Interruption, Team, locate, note_consumed,
    post_in_flight, quiet_before_post, this_image,
};

use crate::coevent::wait::EventWait;

pub use any::Coevents;

/// An event: any image posts it, and the image that it is on waits for posts.
///
/// It counts: each post is consumed by one wait, and a wait for a post that came earlier returns at once. A
/// post releases and a wait acquires: what an image wrote or put before it posted is visible to the image
/// whose wait consumed the post. Between images that share no memory, posts to different events may overtake each other; after
/// [`sync_all`](crate::sync_all) or [`sync_images`](crate::sync_images) with the poster all have arrived.
///
/// Coarrays of events need no opening. `x.at(i).post()` posts the event of image `i`, see
/// [`CoeventPlace`](crate::CoeventPlace); `x.wait()` waits for one's own.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut x = Coarray::new(0.0);
///     let events = Coarray::new(Coevent::new());
///     let x = x.open();
///     if this_image() == 0 {
///         x.at(1).put(2.5);
///         events.at(1).post();
///     } else if this_image() == 1 {
///         events.wait();
///         assert_eq!(x.here().get(), 2.5);
///     }
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 6.2; Fortran 2018 `event_type`, clause 16.10.2.10.
#[derive(Default)]
#[repr(C)]
pub struct Coevent {
    posted: CacheLine<Posted>,
    /// How many posts waits have consumed. Only the event's own image writes it, on a line of its own, so that waits do not take
    /// the posters' line from them.
    consumed: CacheLine<AtomicU64>,
}

/// What posters write, and the event's own image polls.
#[derive(Default)]
#[repr(C)]
struct Posted {
    /// The posts of images on its node.
    posts: Eventcount,
    /// The posts of images on other nodes.
    signals: Signal,
}

/// A cache line.
#[derive(Default)]
#[repr(C, align(64))]
struct CacheLine<T>(T);

// SAFETY: three atomic counts, without drop glue and handles of one process.
#[diagnostic::do_not_recommend]
unsafe impl Symmetric for Coevent {
    const SHARED: bool = true;
}

// SAFETY: every access through `&Self` is an atomic instruction, which works across processes too. `SHARED` is true, and the type is
// not `Remote`.
#[diagnostic::do_not_recommend]
unsafe impl Shared for Coevent {}

impl Coevent {
    /// Where in an event the eventcount of posts is.
    pub(crate) const POSTS: usize = offset_of!(Self, posted.0.posts);

    /// Where in an event the count of consumed posts is.
    pub(crate) const CONSUMED: usize = offset_of!(Self, consumed);

    /// Where in an event the signal word for posts of other nodes is.
    pub(crate) const SIGNALS: usize = offset_of!(Self, posted.0.signals);

    /// Local. An event that nobody has posted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Local. Posts this image's own event.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is in no coarray of this image's job.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(1, || {
    ///     let credits = Coarray::new(Coevent::new());
    ///     (0..4).for_each(|_| credits.post()); // four buffers are free
    ///     credits.wait();
    ///     assert_eq!(credits.query(), 3);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `event post`, clause 11.6.7.
    #[track_caller]
    pub fn post(&self) {
        // A post from outside the job could come when all images wait, which the deadlock detector would report.
        if !is_in_job(self) {
            refuse_post();
        }
        self.raise();
    }

    /// Where it is in the memory of the job of `image`.
    pub(crate) fn locate(&self, image: &Image) -> Option<Place> {
        image.locate(std::ptr::from_ref(self).addr())
    }

    #[inline]
    #[track_caller]
    pub(crate) fn raise(&self) {
        quiet_before_post(|image| self.locate(image));
        self.raise_unordered();
    }

    /// As [`raise`](Self::raise), when all puts that must be there before the post are.
    #[inline]
    pub(crate) fn raise_unordered(&self) {
        self.posted.0.posts.add(1);
    }

    /// As [`raise_unordered`](Self::raise_unordered), if that is to follow a put of this image that is late. Returns whether it is.
    #[cold]
    pub(crate) fn raise_in_flight(&self) -> bool {
        struct Late(*const Coevent);

        // SAFETY: any thread may post an event.
        unsafe impl Send for Late {}

        impl Late {
            fn raise(self) {
                // SAFETY: the coarray of the event is borrowed where the put is issued, and its memory is freed only after a barrier with the image that
                // puts, which completes that first. What is in flight when that image is over is never carried out.
                unsafe { &*self.0 }.raise_unordered();
            }
        }

        let event = Late(self);
        has_notes() && post_in_flight(event.0.addr(), || event.raise())
    }

    /// Local. How many posts wait to be consumed.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let done = Coarray::new(Coevent::new());
    ///     done.at(0).post();
    ///     sync_all();
    ///     assert_eq!(done.query(), if this_image() == 0 { 3 } else { 0 });
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `event_query`, clause 16.9.72.
    #[must_use]
    pub fn query(&self) -> u64 {
        let is_noted = spans_nodes() || has_notes();
        if is_noted && let Some(image) = Image::try_current() {
            // On some networks signals arrive only when the image polls.
            image.poll();
            // Its own posts that are late count.
            let _ = locate(std::ptr::from_ref(self).addr());
        }
        // Acquire pairs with the Release in `try_consume` and `wait_until`: `posts_left` then reads a count of posts that has
        // reached what was consumed.
        let consumed = || self.consumed.0.load(Ordering::Acquire);
        let left = posts_left(consumed, || self.posted());
        if is_noted {
            // Perhaps the program waits for more, or fewer.
            controlled::looked_in_vain();
        }
        left
    }

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

    /// The number of posts so far.
    #[inline]
    fn posted(&self) -> u64 {
        self.posted.0.posts.count() + self.posted.0.signals.sum()
    }

    /// Consumes `posts` posts if they are there.
    #[inline]
    #[track_caller]
    fn try_consume(&self, posts: u64) -> bool {
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
    fn target(&self, posts: u64) -> u64 {
        // Relaxed: only this image writes it.
        let consumed = self.consumed.0.load(Ordering::Relaxed);
        consumed.saturating_add(posts)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse_post() -> ! {
    let _ = this_image();
    panic!(
        "this event is in no coarray of this image's job, where an image waits for it: `Coarray::new(Coevent::new())`; \
         images of other jobs cannot post it"
    )
}

/// The number of posts that are not consumed, from two counts that can only be read one after the other.
pub(crate) fn posts_left(consumed: impl Fn() -> u64, posts: impl Fn() -> u64) -> u64 {
    let mut before = consumed();
    loop {
        let posts = posts();
        // If nothing was consumed meanwhile, the difference is the number when the posts were read.
        let now = consumed();
        if now == before {
            return posts - before;
        }
        before = now;
    }
}

impl fmt::Debug for Coevent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Coevent")
            .field("posts", &self.query())
            .finish()
    }
}
