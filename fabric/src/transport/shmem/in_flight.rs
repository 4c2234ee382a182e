//! The places of operations in flight in a context.
//!
//! OpenSHMEM does not order operations on the same place. So an operation first completes those in flight that access the same bytes, if one
//! of the two writes them.

use std::cell::{Cell, RefCell};
use std::ops::Range;

/// The most ranges for one image, besides the very first. A further one completes them all.
const AT_MOST: usize = 64;

/// Whether an operation writes or reads the target's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Put,
    Get,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    image: usize,
    direction: Direction,
    start: usize,
    end: usize,
}

impl Access {
    fn conflicts(&self, image: usize, direction: Direction, range: &Range<usize>) -> bool {
        let both_read = direction == Direction::Get && self.direction == Direction::Get;
        image == self.image && !both_read && range.start < self.end && self.start < range.end
    }

    /// Extends the range if the next one follows it: programs that access one element after the other make one range.
    fn extend(&mut self, image: usize, direction: Direction, range: &Range<usize>) -> bool {
        let follows = image == self.image && direction == self.direction && range.start == self.end;
        if follows {
            self.end = range.end;
        }
        follows
    }
}

/// The operations in flight.
#[derive(Debug)]
pub(super) struct InFlight {
    /// The first, which is often the only one.
    first: Cell<Option<Access>>,
    /// The others, by image.
    others: Box<[RefCell<Vec<Access>>]>,
    /// The images of which there are others.
    images: RefCell<Vec<usize>>,
    has_others: Cell<bool>,
}

impl InFlight {
    pub(super) fn new(images: usize) -> Self {
        Self {
            first: Cell::new(None),
            others: (0..images).map(|_| RefCell::default()).collect(),
            images: RefCell::default(),
            has_others: Cell::new(false),
        }
    }

    /// Whether operations are in flight.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.first.get().is_some()
    }

    /// Whether operations on `image` are in flight.
    pub(super) fn any_of(&self, image: usize) -> bool {
        let is_first = self.first.get().is_some_and(|first| first.image == image);
        is_first || !self.others[image].borrow().is_empty()
    }

    /// Whether an operation on these bytes must wait for one in flight.
    #[inline]
    pub(super) fn conflicts(
        &self,
        image: usize,
        direction: Direction,
        range: &Range<usize>,
    ) -> bool {
        let Some(first) = self.first.get() else {
            return false;
        };
        first.conflicts(image, direction, range)
            || self.has_others.get()
                && self.others[image]
                    .borrow()
                    .iter()
                    .any(|other| other.conflicts(image, direction, range))
    }

    /// Whether no more can be added for `image`.
    #[inline]
    pub(super) fn is_full(&self, image: usize) -> bool {
        self.has_others.get() && self.others[image].borrow().len() >= AT_MOST
    }

    /// Adds an operation.
    #[inline]
    pub(super) fn add(&self, image: usize, direction: Direction, range: Range<usize>) {
        let access = Access {
            image,
            direction,
            start: range.start,
            end: range.end,
        };
        let Some(mut first) = self.first.get() else {
            return self.first.set(Some(access));
        };
        if first.extend(image, direction, &range) {
            return self.first.set(Some(first));
        }
        let mut others = self.others[image].borrow_mut();
        if let Some(last) = others.last_mut()
            && last.extend(image, direction, &range)
        {
            return;
        }
        if others.is_empty() {
            self.images.borrow_mut().push(image);
        }
        self.has_others.set(true);
        others.push(access);
    }

    /// As [`add`](Self::add), when nothing is in flight.
    #[inline]
    pub(super) fn add_first(&self, image: usize, direction: Direction, range: Range<usize>) {
        debug_assert!(!self.any());
        self.first.set(Some(Access {
            image,
            direction,
            start: range.start,
            end: range.end,
        }));
    }

    /// Removes all operations, which are complete.
    #[inline]
    pub(super) fn clear(&self) {
        self.first.set(None);
        if self.has_others.replace(false) {
            for image in self.images.borrow_mut().drain(..) {
                self.others[image].borrow_mut().clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_to_the_same_bytes_conflict() {
        let in_flight = InFlight::new(3);
        assert!(!in_flight.conflicts(1, Direction::Put, &(0..100)));
        in_flight.add(1, Direction::Put, 10..20);
        in_flight.add(1, Direction::Get, 30..40);
        let conflicts = |image, direction, range| in_flight.conflicts(image, direction, &range);
        for direction in [Direction::Put, Direction::Get] {
            assert!(conflicts(1, direction, 19..21) && conflicts(1, direction, 0..11));
            assert!(conflicts(1, direction, 12..13) && conflicts(1, direction, 0..100));
            assert!(!conflicts(1, direction, 20..30) && !conflicts(1, direction, 0..10));
            assert!(!conflicts(2, direction, 10..20));
        }
        assert!(conflicts(1, Direction::Put, 30..31) && !conflicts(1, Direction::Get, 30..31));
        assert!(in_flight.any() && in_flight.any_of(1) && !in_flight.any_of(0));
        in_flight.clear();
        assert!(!in_flight.any() && !in_flight.any_of(1) && !conflicts(1, Direction::Put, 0..100));
    }

    #[test]
    fn neighbours_make_one_range_and_others_fill_it() {
        let in_flight = InFlight::new(1);
        for place in 0..1000 {
            in_flight.add(0, Direction::Put, 8 * place..8 * place + 8);
        }
        assert!(!in_flight.is_full(0));
        assert!(in_flight.conflicts(0, Direction::Get, &(7999..8000)));
        for place in 0..AT_MOST {
            assert!(!in_flight.is_full(0), "{place}");
            in_flight.add(0, Direction::Put, 10_000 + 16 * place..10_008 + 16 * place);
        }
        assert!(in_flight.is_full(0));
    }
}
