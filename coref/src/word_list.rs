//! Atomic operations on the items of a list, through the fabric: all are on their way at the same time.
//!
//! Values for the same item are combined first. Then each item is one operation of the fabric, if it has such a one. Otherwise all
//! words are read at once, and then changed at once by comparison and exchange, again and again until each has succeeded: a list costs
//! two round trips, and one more for each time that others change the same word in between.

use coarray_fabric::{AtomicOperation, Request};

use crate::in_word::{Container, InWord, no_word};
use crate::radix_sort::sort_by_key;

/// The most words that are read at a time.
const AT_ONCE: usize = 1024;

/// An operation on the items of a list, which is associative and commutative.
#[doc(hidden)]
pub struct ListOperation<T, F> {
    /// What the operation makes of an old value and an operand, and of two operands.
    pub combine: F,
    /// The operation of a fabric, which may not have it.
    pub on_word: Option<fn(T) -> AtomicOperation<T>>,
}

impl<T: Copy> InWord<'_, T> {
    /// Applies the operation to the items that `indices` name, in an array with `stride` bytes from one to the next, the first of which
    /// this is. `quiet`, or a fence of the image, completes it.
    ///
    /// # Safety
    /// Each index is one of the array, which consists of such values. There are as many values.
    #[doc(hidden)]
    pub unsafe fn update_list<F: Fn(T, T) -> T>(
        &self,
        stride: usize,
        indices: &[usize],
        values: &[T],
        operation: &ListOperation<T, F>,
    ) {
        let mut items: Vec<(usize, T)> = indices
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect();
        sort_by_key(&mut items, |&(index, _)| index);
        items.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = (operation.combine)(kept.1, next.1);
            }
            is_same
        });
        let begin = |&(index, value): &(usize, T)| {
            let container = self.container(index * stride);
            let on_word = operation.on_word.map(|on_word| on_word(value));
            let on_word = on_word.and_then(|on_word| self.on_word(&container, on_word));
            on_word
                .inspect(|&on_word| _ = self.issue(&container, on_word, false))
                .is_some()
        };
        // If the fabric does not have it for the first, it does for none.
        if items.iter().all(begin) {
            return;
        }
        let container = |&(index, _): &(usize, T)| self.container(index * stride);
        let words: Vec<_> = items
            .chunk_by(|one, next| container(one).offset == container(next).offset)
            .collect();
        for words in words.chunks(AT_ONCE) {
            self.exchange(words, container, &operation.combine);
        }
    }

    /// Loads `count` items of an array with `stride` bytes from one to the next, the first of which this is, and calls `take` with each
    /// and its index, in their order.
    ///
    /// # Safety
    /// The array has so many such values.
    #[doc(hidden)]
    pub unsafe fn load_list(&self, stride: usize, count: usize, mut take: impl FnMut(usize, T)) {
        for first in (0..count).step_by(AT_ONCE) {
            let load = |index: usize| {
                let container = self.container(index * stride);
                (
                    container,
                    self.issue(&container, AtomicOperation::Load, true),
                )
            };
            let loads: Vec<_> = (first..count.min(first + AT_ONCE)).map(load).collect();
            for (index, (container, request)) in (first..).zip(loads) {
                take(
                    index,
                    (self.from_bits)(container.bits(self.former(request))),
                );
            }
        }
    }

    /// Changes words, each with the items in it, in rounds.
    fn exchange(
        &self,
        words: &[&[(usize, T)]],
        container: impl Fn(&(usize, T)) -> Container,
        combine: impl Fn(T, T) -> T,
    ) {
        let issue =
            |items: &[(usize, T)], operation| self.issue(&container(&items[0]), operation, true);
        let loads: Vec<_> = words
            .iter()
            .map(|items| issue(items, AtomicOperation::Load))
            .collect();
        let loads = loads.into_iter().map(|request| self.former(request));
        let mut left: Vec<(&[(usize, T)], u64)> = words.iter().copied().zip(loads).collect();
        while !left.is_empty() {
            let changes = left.into_iter().filter_map(|(items, seen)| {
                let new = items.iter().fold(seen, |word, item| {
                    let (place, operand) = (container(item), item.1);
                    let value = combine((self.from_bits)(place.bits(word)), operand);
                    place.with(word, (self.to_bits)(value))
                });
                let exchange = AtomicOperation::CompareExchange { current: seen, new };
                (new != seen).then(|| (items, seen, issue(items, exchange)))
            });
            let changes: Vec<_> = changes.collect();
            let failed = changes.into_iter().filter_map(|(items, seen, request)| {
                let former = self.former(request);
                (former != seen).then_some((items, former))
            });
            left = failed.collect();
        }
    }

    /// Waits for the former value of a word.
    fn former(&self, request: Option<Request>) -> u64 {
        let former = request.and_then(|mut request| {
            self.image.fabric().wait(&request);
            request.take()?.word()
        });
        former.unwrap_or_else(|| no_word())
    }

    /// Completes all operations on the image that has the value.
    #[doc(hidden)]
    pub fn complete(&self) {
        self.image.fabric().fence(self.place.image);
    }
}
