//! Posts that a cofuture waits for.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::{Cofuture, Collective};
use coarray_fabric::Signal;
use coarray_runtime::{
    AwaitedPosts, Eventcount, ImageFailed, Incomplete, Missing, Team, forget_posts,
};

use crate::coevent::Coevent;
use crate::coevent::wait::EventWait;

impl Coevent {
    /// Local. Begins to wait for a post, and consumes one at the end: for a [`CofutureSet`](coarray_coref::CofutureSet), or to `await`.
    ///
    /// Nothing is consumed before the result is taken, so a cofuture that is dropped loses no post, and of two for one event each
    /// takes one. A post that an `await` took acquires as [`wait`](Self::wait) does.
    ///
    /// If an image of the current team has failed, and no post is there, the job ends with a report;
    /// with [`or_failed`](Cofuture::or_failed) that is an error.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// Whatever comes first:
    /// ```
    /// use coarray::asynchronous::CofutureSet;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let came = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
    ///     came.at(0)[this_image()].post();
    ///     if this_image() == 0 {
    ///         let mut images: CofutureSet<()> = came.iter().map(|event| event.wait_async()).collect();
    ///         let mut order = Vec::new();
    ///         while let Some((image, ())) = images.wait_any() {
    ///             order.push(image);
    ///         }
    ///         assert_eq!(order.len(), 3);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Irecv` of an empty message, MPI 3.1 section 3.7.2.
    #[track_caller]
    pub fn wait_async(&self) -> Cofuture<'_, ()> {
        self.wait_for_async(1)
    }

    /// Local. As [`wait_async`](Self::wait_async), for `posts` posts.
    ///
    /// # Panics
    /// On a thread that is not an image; if the event is on another image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let ready = Coarray::new(Coevent::new());
    ///     let both = ready.wait_for_async(2);
    ///     (0..2).for_each(|image| ready.at(image).post());
    ///     both.wait();
    ///     assert_eq!(ready.query(), 0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`wait_for`](Self::wait_for).
    #[track_caller]
    pub fn wait_for_async(&self, posts: u64) -> Cofuture<'_, ()> {
        self.assert_is_here();
        Cofuture::collective(Box::new(Posted {
            event: self,
            posts,
            team: Team::current(),
            caller: Location::caller(),
            polls: Cell::new(0),
        }))
    }
}

/// A wait for posts that a cofuture stands for.
struct Posted<'a> {
    event: &'a Coevent,
    posts: u64,
    team: Rc<Team>,
    caller: &'static Location<'static>,
    polls: Cell<u32>,
}

impl Posted<'_> {
    fn is_there(&self) -> bool {
        self.event.posted() >= self.event.target(self.posts)
    }

    fn wait(&self) -> EventWait<'_> {
        EventWait {
            event: self.event,
            posts: self.posts,
            deadline: None,
            team: &self.team,
            caller: self.caller,
        }
    }

    fn fail(&self) -> Incomplete {
        let operation = format!("a wait for an event at {}", self.caller);
        Incomplete::new(&self.team, operation, ImageFailed::of(&self.team))
    }
}

impl Collective<()> for Posted<'_> {
    fn missing(&self) -> Result<Option<Missing<'_>>, Incomplete> {
        if self.is_there() {
            return Ok(None);
        }
        let image = self.team.image();
        image.check_abort();
        image.poll();
        let has_failed = self.team.has_failed_images();
        // In this order: the failed image may have posted before.
        match self.is_there() {
            true => Ok(None),
            false if has_failed => Err(self.fail()),
            false => Ok(Some(Missing::Posts(self))),
        }
    }

    fn finish(self: Box<Self>) -> Result<(), Incomplete> {
        if self.event.try_consume(self.posts) {
            return Ok(());
        }
        let end = self.event.wait_until(self.posts, &self.team, self.wait());
        end.map_err(|_| self.fail())
    }
}

impl AwaitedPosts for Posted<'_> {
    fn counts(&self) -> (&Eventcount, &Signal, u64) {
        let event = self.event;
        (
            &event.posted.0.posts,
            &event.posted.0.signals,
            event.target(self.posts),
        )
    }

    fn team(&self) -> &Rc<Team> {
        &self.team
    }

    fn describe(&self) -> String {
        let since = format!(", since wait_async at {},", self.caller);
        self.wait().describe_posts(&since)
    }

    fn polls(&self) -> &Cell<u32> {
        &self.polls
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        forget_posts(self);
    }
}

impl fmt::Debug for Posted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Posted")
            .field("event", self.event)
            .field("posts", &self.posts)
            .finish_non_exhaustive()
    }
}
