//! Cofutures of what a function makes of a result.

use coarray_runtime::{Incomplete, Missing};

use crate::cofuture::{Cofuture, Collective, InFlight, State};

/// An operation with a function of its result.
struct Map<'a, T, F>(Box<dyn Collective<T> + 'a>, F);

impl<T, R, F: FnOnce(T) -> R> Collective<R> for Map<'_, T, F> {
    fn missing(&self) -> Result<Option<Missing<'_>>, Incomplete> {
        self.0.missing()
    }

    fn finish(self: Box<Self>) -> Result<R, Incomplete> {
        let Self(operation, function) = *self;
        operation.finish().map(function)
    }
}

impl<'a, T: 'a> Cofuture<'a, T> {
    /// Local. The same operation, with what `function` makes of its result: so operations with results of different types can be in
    /// one [`CofutureSet`](crate::CofutureSet).
    ///
    /// `function` is called when the result is taken, or at once if the operation is complete.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::{CofutureSet, co_sum_async};
    /// use coarray::prelude::*;
    ///
    /// #[derive(Debug, PartialEq)]
    /// enum Came {
    ///     Row([f64; 4]),
    ///     Sum(u64),
    /// }
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([0.5; 4]);
    ///     let x = x.open();
    ///     let row = x.at(1).get_async().map(Came::Row);
    ///     let sum = co_sum_async(1).map(Came::Sum);
    ///     let came = CofutureSet::from([row, sum]).wait_all();
    ///     assert_eq!(came, [Came::Row([0.5; 4]), Came::Sum(2)]);
    /// });
    /// ```
    ///
    /// # Source
    /// `map` of the crate `futures`, for [`Future`].
    pub fn map<R: 'a>(self, function: impl FnOnce(T) -> R + 'a) -> Cofuture<'a, R> {
        let state = match self.state {
            State::Complete(result) => State::Complete(result.map(function)),
            State::InFlight(transfer) => {
                let InFlight { issued, deliver } = *transfer;
                State::InFlight(InFlight::new(issued, |buffer| {
                    deliver(buffer).map(function)
                }))
            }
            State::Collective(operation) => State::Collective(Box::new(Map(operation, function))),
            State::Taken => State::Taken,
        };
        Cofuture { state }
    }
}
