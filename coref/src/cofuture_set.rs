//! Waiting for any, or all, of several operations.

use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::time::{Duration, Instant};

use coarray_fabric::system::controlled;
use coarray_runtime::Missing;

use crate::cofuture::Cofuture;

/// How often `wait_any` polls before it parks.
const SPINS: u32 = 1000;

/// Cofutures to wait for together: transfers, collectives, and posts of events by `wait_async`.
///
/// # Examples
/// ```
/// use coarray::asynchronous::CofutureSet;
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut x = Coarray::new(10 * this_image());
///     let x = x.open();
///
///     let mut fetched: CofutureSet<usize> = (0..4).map(|image| x.at(image).get_async()).collect();
///     let mut sum = 0;
///     while let Some((image, value)) = fetched.wait_any() { // whatever comes first
///         assert_eq!(value, 10 * image);
///         sum += value;
///     }
///     assert_eq!(sum, 60);
///
///     let fetched: CofutureSet<usize> = [3, 1].map(|image| x.at(image).get_async()).into();
///     assert_eq!(fetched.wait_all(), [30, 10]);
/// });
/// ```
///
/// # Source
/// `MPI_Waitany` and `MPI_Waitall`, MPI 3.1 section 3.7.5.
pub struct CofutureSet<'a, T> {
    /// With their indices, in ascending order.
    waiting: VecDeque<(usize, Cofuture<'a, T>)>,
    /// The index of the next cofuture.
    inserted: usize,
}

impl<'a, T> CofutureSet<'a, T> {
    /// Local. An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            inserted: 0,
        }
    }

    /// Local. Adds a cofuture. Its index is the number of those that were added before it.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::{CofutureSet, co_sum_async};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut sums = CofutureSet::new();
    ///     for step in 0..3 {
    ///         sums.push(co_sum_async(step)); // nobody waits between the steps
    ///     }
    ///     assert_eq!(sums.len(), 3);
    ///     assert_eq!(sums.wait_all(), [0, 2, 4]);
    /// });
    /// ```
    pub fn push(&mut self, cofuture: Cofuture<'a, T>) {
        self.waiting.push_back((self.inserted, cofuture));
        self.inserted += 1;
    }

    /// Local. How many cofutures are in the set: those that no wait has returned yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Local. Whether no cofuture is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Local. Waits until any of the operations is complete, and takes it out of the set; returns its index and
    /// its result. `None` if the set is empty. If none can ever be complete, the job ends with a report.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    ///
    /// # Examples
    /// See [`CofutureSet`].
    ///
    /// # Source
    /// `MPI_Waitany`, MPI 3.1 section 3.7.5.
    #[track_caller]
    pub fn wait_any(&mut self) -> Option<(usize, T)> {
        // A single cofuture needs no polling: its own `wait` parks.
        let ready = match self.waiting.len() {
            1 => 0,
            _ => self.find_ready(None, Location::caller())?,
        };
        self.take(ready)
    }

    /// Local. As [`wait_any`](Self::wait_any), unless that takes longer than `timeout`: then none. [`Duration::MAX`] is no limit.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::{CofutureSet, co_sum_async};
    /// use coarray::prelude::*;
    /// use std::time::Duration;
    ///
    /// coarray::run(1, || {
    ///     let event = Coarray::new(Coevent::new());
    ///     let mut either = CofutureSet::new();
    ///     either.push(event.wait_async().map(|()| 0)); // an event, or a sum
    ///     either.push(co_sum_async(5));
    ///     assert_eq!(either.wait_any_timeout(Duration::MAX), Some((1, 5)));
    ///     assert_eq!(either.wait_any_timeout(Duration::from_millis(1)), None); // nobody posts
    ///     assert_eq!(either.len(), 1);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`wait_any`](Self::wait_any); [`std::sync::mpsc::Receiver::recv_timeout`].
    #[track_caller]
    pub fn wait_any_timeout(&mut self, timeout: Duration) -> Option<(usize, T)> {
        let deadline = controlled::now().checked_add(timeout);
        let ready = self.find_ready(deadline, Location::caller())?;
        self.take(ready)
    }

    /// Local. Waits until any of the operations is complete, and takes all that are out of the set; returns their indices and results, by
    /// ascending index. Nothing if the set is empty. If none can ever be complete, the job ends with a report.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::CofutureSet;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([1, 2, 3]);
    ///     let x = x.open();
    ///     let mut fetched: CofutureSet<i32> = (0..3).map(|index| x.at(1)[index].get_async()).collect();
    ///     let mut sum = 0;
    ///     while !fetched.is_empty() {
    ///         sum += fetched.wait_some().iter().map(|(_, value)| value).sum::<i32>();
    ///     }
    ///     assert_eq!(sum, 6);
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Waitsome`, MPI 3.1 section 3.7.5.
    #[track_caller]
    pub fn wait_some(&mut self) -> Vec<(usize, T)> {
        let first = self.wait_any();
        self.with_all_ready(first)
    }

    /// Local. As [`wait_some`](Self::wait_some), unless that takes longer than `timeout`: then nothing. [`Duration::MAX`] is no limit.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    ///
    /// # Examples
    /// See [`wait_any_timeout`](Self::wait_any_timeout).
    ///
    /// # Source
    /// As [`wait_some`](Self::wait_some).
    #[track_caller]
    pub fn wait_some_timeout(&mut self, timeout: Duration) -> Vec<(usize, T)> {
        let first = self.wait_any_timeout(timeout);
        self.with_all_ready(first)
    }

    /// The first result, and those of all operations that are complete; by index.
    #[track_caller]
    fn with_all_ready(&mut self, first: Option<(usize, T)>) -> Vec<(usize, T)> {
        let mut results = Vec::from_iter(first);
        let mut position = 0;
        while !results.is_empty() && position < self.waiting.len() {
            match self.waiting[position].1.is_complete() {
                true => results.extend(self.take(position)),
                false => position += 1,
            }
        }
        results.sort_by_key(|&(index, _)| index);
        results
    }

    #[track_caller]
    fn take(&mut self, position: usize) -> Option<(usize, T)> {
        let (index, cofuture) = self.waiting.remove(position)?;
        Some((index, cofuture.wait()))
    }

    /// Waits until an operation is complete; returns its position. None if the set is empty, or the deadline has passed.
    fn find_ready(
        &self,
        deadline: Option<Instant>,
        caller: &'static Location<'static>,
    ) -> Option<usize> {
        let mut spins = SPINS;
        loop {
            let complete = |(_, cofuture): &(usize, Cofuture<'a, T>)| cofuture.is_complete();
            if let Some(position) = self.waiting.iter().position(complete) {
                return Some(position);
            }
            let is_over = deadline.is_some_and(|deadline| controlled::now() >= deadline);
            if self.waiting.is_empty() || is_over {
                return None;
            }
            if self.waiting.iter().any(|(_, cofuture)| cofuture.progress()) {
                continue;
            }
            match spins.checked_sub(1) {
                Some(left) => spins = left,
                None => {
                    let missing = self.waiting.iter().map(|(_, cofuture)| cofuture.missing());
                    if let Some(missing) = missing.collect::<Option<Vec<_>>>() {
                        Missing::await_any(&missing, deadline, caller);
                    }
                }
            }
        }
    }

    /// Local. Waits until all operations are complete; returns their results in the order of insertion.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    ///
    /// # Examples
    /// See [`CofutureSet`].
    ///
    /// # Source
    /// `MPI_Waitall`, MPI 3.1 section 3.7.5.
    #[track_caller]
    pub fn wait_all(self) -> Vec<T> {
        let mut results = Vec::with_capacity(self.len());
        for (_, cofuture) in self.waiting {
            results.push(cofuture.wait());
        }
        results
    }
}

impl<T> Default for CofutureSet<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, T> Extend<Cofuture<'a, T>> for CofutureSet<'a, T> {
    fn extend<I: IntoIterator<Item = Cofuture<'a, T>>>(&mut self, cofutures: I) {
        cofutures
            .into_iter()
            .for_each(|cofuture| self.push(cofuture));
    }
}

impl<'a, T> FromIterator<Cofuture<'a, T>> for CofutureSet<'a, T> {
    fn from_iter<I: IntoIterator<Item = Cofuture<'a, T>>>(cofutures: I) -> Self {
        let mut set = Self::new();
        set.extend(cofutures);
        set
    }
}

impl<'a, T, const N: usize> From<[Cofuture<'a, T>; N]> for CofutureSet<'a, T> {
    fn from(cofutures: [Cofuture<'a, T>; N]) -> Self {
        cofutures.into_iter().collect()
    }
}

impl<'a, T> From<Vec<Cofuture<'a, T>>> for CofutureSet<'a, T> {
    fn from(cofutures: Vec<Cofuture<'a, T>>) -> Self {
        cofutures.into_iter().collect()
    }
}

impl<T> fmt::Debug for CofutureSet<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_map()
            .entries(
                self.waiting
                    .iter()
                    .map(|(index, cofuture)| (index, cofuture)),
            )
            .finish()
    }
}
