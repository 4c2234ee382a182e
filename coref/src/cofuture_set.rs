//! Waiting for any, or all, of several operations.

use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;

use coarray_runtime::Missing;

use crate::cofuture::Cofuture;

/// How often `wait_any` polls before it parks.
const SPINS: u32 = 1000;

/// Cofutures to wait for together.
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
        let mut spins = SPINS;
        let ready = loop {
            let complete = |(_, cofuture): &(usize, Cofuture<'a, T>)| cofuture.is_complete();
            // A single cofuture needs no polling: its own `wait` parks.
            if self.waiting.len() == 1 {
                break 0;
            }
            if let Some(position) = self.waiting.iter().position(complete) {
                break position;
            }
            if self.waiting.is_empty() {
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
                        Missing::await_any(&missing, Location::caller());
                    }
                }
            }
        };
        let (index, cofuture) = self.waiting.remove(ready)?;
        Some((index, cofuture.wait()))
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
