//! Waiting for a post to any of several events.

use std::time::Duration;

use coarray_coref::CofutureSet;
use coarray_runtime::ImageFailed;

use crate::coevent::Coevent;

/// Events of one image, such as one for each neighbour or each slot of a buffer, of which any may be posted next:
/// `events[2..6].wait_any()`.
///
/// # Examples
/// Parts that arrive in any order, each announced by an event of its own:
/// ```
/// use coarray::events::Coevents;
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let arrived = Coarray::<[Coevent; 4]>::from_fn(|_| Coevent::new());
///     let mut parts = Coarray::<[f64; 4]>::zeroed();
///     let parts = parts.open();
///     let me = this_image();
///     parts.at(0)[me].put_notify(1.5 * me as f64, &arrived.at(0)[me]);
///     if me == 0 {
///         let mut sum = 0.0;
///         for _ in 0..4 {
///             let from = arrived.wait_any(); // whatever comes first
///             sum += parts.here()[from].get();
///         }
///         assert_eq!(sum, 9.0);
///     }
/// });
/// ```
///
/// # Source
/// `gaspi_notify_waitsome` and `gaspi_notify_reset`, GASPI 17.1 section 8.4; `shmem_wait_until_any`, OpenSHMEM 1.5.
pub trait Coevents {
    /// Local. Waits until one of the events has a post, and consumes one post of it; returns its index. If several have, it is the
    /// first of them. What was done before the post happens before what follows, as after [`wait`](Coevent::wait).
    ///
    /// If none can ever have a post, or an image of the current team has failed, the job ends with a report.
    ///
    /// # Panics
    /// If there are no events, or one is on another image; on a thread that is not an image.
    ///
    /// # Examples
    /// See [`Coevents`].
    ///
    /// # Source
    /// As [`Coevents`].
    #[track_caller]
    fn wait_any(&self) -> usize;

    /// Local. As [`wait_any`](Self::wait_any), unless that takes longer than `timeout`: then none.
    ///
    /// # Errors
    /// If no post is there, and images of the current team have failed.
    ///
    /// # Panics
    /// As [`wait_any`](Self::wait_any).
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use coarray::events::Coevents;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let events = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
    ///     let short = Duration::from_millis(1);
    ///     assert_eq!(events.wait_any_timeout(short).unwrap(), None);
    ///     sync_all();
    ///     events.at(1 - this_image())[2].post();
    ///     assert_eq!(events.wait_any_timeout(Duration::MAX).unwrap(), Some(2));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coevents`].
    #[track_caller]
    fn wait_any_timeout(&self, timeout: Duration) -> Result<Option<usize>, ImageFailed>;
}

impl Coevents for [Coevent] {
    #[track_caller]
    fn wait_any(&self) -> usize {
        if let Some(index) = consume_first(self) {
            return index;
        }
        let mut posts = CofutureSet::new();
        for event in self {
            posts.push(event.wait_async());
        }
        let Some((index, ())) = posts.wait_any() else {
            unreachable!("the set is not empty, and the wait has no limit")
        };
        index
    }

    #[track_caller]
    fn wait_any_timeout(&self, timeout: Duration) -> Result<Option<usize>, ImageFailed> {
        if let Some(index) = consume_first(self) {
            return Ok(Some(index));
        }
        let mut posts = CofutureSet::new();
        for event in self {
            posts.push(event.wait_async().or_failed());
        }
        let came = posts.wait_any_timeout(timeout);
        came.map(|(index, end)| end.map(|()| index)).transpose()
    }
}

/// Consumes a post of the first event that has one.
#[track_caller]
fn consume_first(events: &[Coevent]) -> Option<usize> {
    assert!(
        !events.is_empty(),
        "there are no events to wait for: the slice is empty"
    );
    for event in events {
        event.assert_is_here();
    }
    events.iter().position(|event| event.try_consume(1))
}
