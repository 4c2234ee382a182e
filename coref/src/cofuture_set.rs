//! Waiting for any, or all, of several operations.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::cofuture::Cofuture;

/// How often to look around before sleeping.
const PATIENCE: u32 = 1000;

/// How long to sleep at most while several collectives may come first.
const NAP: Duration = Duration::from_millis(1);

/// Cofutures to wait for together.
///
/// # Examples
/// ```
/// # coarray_fabric::Launch::new(1).direct(false).run(|| {
/// # let team = coarray_fabric::Team::current();
/// # let call = coarray_fabric::Call::plain(coarray_fabric::Operation::Create, std::panic::Location::caller());
/// # let layout = coarray_fabric::Layout { size: 80, align: 8, shared: false };
/// # let block = unsafe { team.allocate(&call, layout) }.unwrap();
/// # let x: &coarray_coref::Coref<[i32; 20]> = unsafe { coarray_coref::Coref::new(team.image().heap(0).addr() + block.offset(), 0, 1, false) };
/// # (0..20).for_each(|i| x[i].put(i as i32));
/// use coarray_coref::CofutureSet;
///
/// let mut fetched: CofutureSet<i32> = [3, 5, 7].map(|i| x[i].get_async()).into();
/// let mut sum = 0;
/// while let Some((_, value)) = fetched.wait_any() { // whatever comes first
///     sum += value;
/// }
/// assert_eq!(sum, 15);
///
/// let fetched: CofutureSet<i32> = (0..3).map(|i| x[i].get_async()).collect();
/// assert_eq!(fetched.wait_all(), [0, 1, 2]);
/// # }).unwrap();
/// ```
pub struct CofutureSet<'a, T> {
    /// With the indices of insertion, in ascending order.
    waiting: VecDeque<(usize, Cofuture<'a, T>)>,
    /// How many were ever inserted.
    inserted: usize,
}

impl<'a, T> CofutureSet<'a, T> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            inserted: 0,
        }
    }

    /// Adds a cofuture. Its index is the number of those that were added before it.
    pub fn push(&mut self, cofuture: Cofuture<'a, T>) {
        self.waiting.push_back((self.inserted, cofuture));
        self.inserted += 1;
    }

    /// How many cofutures are in the set: those that no wait has returned yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no cofuture is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Local. Waits until any of the operations is complete, and takes it out of the set; returns its index and
    /// its result. `None` if the set is empty.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
    #[track_caller]
    pub fn wait_any(&mut self) -> Option<(usize, T)> {
        let mut patience = PATIENCE;
        let ready = loop {
            let complete = |(_, cofuture): &(usize, Cofuture<'a, T>)| cofuture.is_complete();
            // Who waits for one only sleeps until it comes.
            if self.waiting.len() == 1 {
                break 0;
            }
            if let Some(position) = self.waiting.iter().position(complete) {
                break position;
            }
            let (_, oldest) = self.waiting.front()?;
            if self.waiting.iter().any(|(_, cofuture)| cofuture.progress()) {
                continue;
            }
            match patience.checked_sub(1) {
                Some(left) => patience = left,
                None => oldest.nap(NAP),
            }
        };
        let (index, cofuture) = self.waiting.remove(ready)?;
        Some((index, cofuture.wait()))
    }

    /// Local. Waits until all operations are complete; returns their results in the order of insertion.
    ///
    /// # Panics
    /// As [`Cofuture::wait`].
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
