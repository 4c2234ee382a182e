//! Cofutures whose result is an error if images have failed.

use coarray_runtime::{ImageFailed, Incomplete, Missing};

use crate::cofuture::{Cofuture, Collective, InFlight, State};

/// A collective whose result is an error if an image that it needs has failed.
struct OrFailed<'a, T>(Box<dyn Collective<T> + 'a>);

impl<T> Collective<Result<T, ImageFailed>> for OrFailed<'_, T> {
    fn missing(&self) -> Result<Option<Missing<'_>>, Incomplete> {
        // The error is the result: nothing is missing for it.
        Ok(self.0.missing().unwrap_or(None))
    }

    fn finish(self: Box<Self>) -> Result<Result<T, ImageFailed>, Incomplete> {
        Ok(self.0.finish().map_err(Incomplete::failed))
    }
}

impl<'a, T: 'a> Cofuture<'a, T> {
    /// Local. The same operation, for a program that goes on when images fail: a collective does not end the job then, but has an
    /// error as its result.
    ///
    /// The error names the first image, in their order, that failed, or stopped in a job that keeps going, before it made the
    /// contribution that the result needs here.
    /// All images that need the same contributions get the same error. Those that need fewer may get a result: in a `_to` form
    /// all but the root do. What an image contributed before it failed counts. Gets and puts never have this error.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::co_sum_async;
    /// use coarray::failure::fail_image;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let before = co_sum_async(1);
    ///     if this_image() == 2 {
    ///         fail_image();
    ///     }
    ///     let after = co_sum_async(1).or_failed();
    ///     (before.wait(), after.wait().unwrap_err().images)
    /// });
    /// assert_eq!(survivors.unwrap(), [(3, vec![2]), (3, vec![2])]);
    /// ```
    ///
    /// # Source
    /// `stat` of collective subroutines, Fortran 2018 clause 16.6.
    pub fn or_failed(self) -> Cofuture<'a, Result<T, ImageFailed>> {
        let state = match self.state {
            State::Complete(result) => State::Complete(result.map(Ok)),
            State::InFlight(transfer) => {
                let InFlight { issued, deliver } = *transfer;
                State::InFlight(InFlight::new(issued, |buffer| deliver(buffer).map(Ok)))
            }
            State::Collective(collective) => State::Collective(Box::new(OrFailed(collective))),
            State::Taken => State::Taken,
        };
        Cofuture { state }
    }
}
