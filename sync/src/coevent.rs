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
use std::sync::atomic::{AtomicU64, Ordering};

use coarray_coref::{Shared, Symmetric};
use coarray_fabric::system::controlled;
use coarray_fabric::{Place, Signal, has_notes, is_in_job, spans_nodes};
use coarray_runtime::{Eventcount, Image, locate, post_in_flight, quiet_before_post, this_image};

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

    /// The number of posts so far.
    #[inline]
    fn posted(&self) -> u64 {
        self.posted.0.posts.count() + self.posted.0.signals.sum()
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
