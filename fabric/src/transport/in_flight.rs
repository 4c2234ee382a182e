//! The places of operations in flight.
//!
//! MPI and OpenSHMEM complete operations in any order, but those of one image on the same place must take effect in the order in which they
//! were issued. So an operation waits first for one in flight on the same bytes, unless both only read them.
//!
//! The set is in one of three states: *idle* or *armed* (empty), *single* (one place, in three words), or *listed* (up to 64 places, and a
//! bounding range for each image). Programs that complete every operation at once only use the first three words.
//!
//! Atomic operations in flight are kept apart, in `words.rs`: while there are any, the state is *listed*.

mod words;

use std::cell::Cell;

use words::Words;

use crate::transport::access::{Access, Direction};

/// The most places in the list.
const AT_MOST: usize = 64;

/// Nothing is in flight, and `quiet` will not call us.
const IDLE: usize = usize::MAX;

/// Nothing is in flight, but the image is still noted as having outstanding operations, so `quiet` will call us.
const ARMED: usize = IDLE - 1;

/// The operations in flight are in the list.
const LISTED: usize = ARMED - 1;

/// The smallest range that contains all listed places of an image.
#[derive(Clone, Copy, Debug)]
struct BoundingRange {
    start: usize,
    end: usize,
}

impl BoundingRange {
    fn of(access: Access) -> Self {
        Self {
            start: access.start(),
            end: access.end(),
        }
    }

    /// The smallest range that contains both.
    fn with(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    #[inline]
    fn overlaps(self, access: Access) -> bool {
        access.start() < self.end && self.start < access.end()
    }
}

const NOTHING: BoundingRange = BoundingRange {
    start: usize::MAX,
    end: 0,
};

/// The set of places that this image's operations in flight access.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// The target of a single operation, or [`LISTED`], [`ARMED`] or [`IDLE`].
    single: Cell<usize>,
    single_start: Cell<usize>,
    single_length: Cell<usize>,
    /// The list, in state [`LISTED`].
    places: [Cell<Access>; AT_MOST],
    length: Cell<usize>,
    /// By image: a quick test that a place overlaps nothing. Valid only if the list has more than one place.
    bounds: Box<[Cell<BoundingRange>]>,
    /// What atomic operations in flight operate on.
    words: Words,
}

impl InFlight {
    pub(crate) fn new(images: usize) -> Self {
        Self {
            single: Cell::new(IDLE),
            single_start: Cell::new(0),
            single_length: Cell::new(0),
            bounds: vec![Cell::new(NOTHING); images].into(),
            places: [const { Cell::new(Access::NONE) }; AT_MOST],
            length: Cell::new(0),
            words: Words::new(images),
        }
    }

    /// Whether an operation in flight must take effect before this one.
    #[inline]
    pub(crate) fn conflicts(&self, access: Access) -> bool {
        if let Some(single) = self.single_access() {
            return single.conflicts(access);
        }
        let is_listed = match self.length.get() {
            0 => false,
            1 => self.places[0].get().conflicts(access),
            _ => self.bounds[access.image()].get().overlaps(access) && self.any_conflicts(access),
        };
        is_listed || access.direction() != Direction::Atomic && self.words.overlap(access)
    }

    #[cold]
    #[inline(never)]
    fn any_conflicts(&self, access: Access) -> bool {
        let mut places = self.places().iter();
        places.any(|place| place.get().conflicts(access))
    }

    /// Whether operations on `image` are in flight.
    #[inline]
    pub(crate) fn is_in_flight_to(&self, image: usize) -> bool {
        if let Some(only) = self.single_target() {
            return only == image;
        }
        let is_listed = match self.length.get() {
            0 => false,
            1 => self.places[0].get().image() == image,
            _ => self.bounds[image].get().end > 0,
        };
        is_listed || self.words.are_of(image)
    }

    /// Whether atomic operations on words of `image` are in flight.
    #[inline]
    pub(crate) fn are_words_of(&self, image: usize) -> bool {
        self.words.are_of(image)
    }

    /// Whether nothing is in flight.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.single.get() >= ARMED
    }

    /// Whether nothing is in flight, and the image is already noted as having outstanding operations.
    #[inline(always)]
    pub(crate) fn is_armed(&self) -> bool {
        self.single.get() == ARMED
    }

    /// Whether nothing is in flight, and `quiet` will not call us.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.single.get() == IDLE
    }

    /// From idle to armed: the image is noted as having outstanding operations.
    pub(crate) fn arm(&self) {
        debug_assert!(self.is_idle());
        self.single.set(ARMED);
    }

    /// From armed to idle.
    pub(crate) fn disarm(&self) {
        debug_assert!(self.is_empty());
        self.single.set(IDLE);
    }

    /// Adds a put when nothing is in flight.
    #[inline(always)]
    pub(crate) fn insert_single(&self, image: usize, start: usize, length: usize) {
        debug_assert!(self.is_empty());
        self.single.set(image);
        self.single_start.set(start);
        self.single_length.set(length);
    }

    /// The target of the single operation, in that state.
    #[inline]
    pub(crate) fn single_target(&self) -> Option<usize> {
        let only = self.single.get();
        (only < LISTED).then_some(only)
    }

    #[inline]
    fn single_access(&self) -> Option<Access> {
        let (start, length) = (self.single_start.get(), self.single_length.get());
        self.single_target()
            .map(|image| Access::new(image, Direction::Put, start, length))
    }

    /// Removes the single operation, which is complete.
    #[inline]
    pub(crate) fn retire_single(&self) {
        debug_assert!(self.single_target().is_some());
        self.single.set(ARMED);
    }

    /// Adds an operation to the list. Returns false, and does not, if the list is full, unless it comes after the last one: then that is noted
    /// with everything in between.
    pub(crate) fn insert(&self, access: Access) -> bool {
        self.list();
        if self.length.get() == 0 {
            self.places[0].set(access);
            self.length.set(1);
            return true;
        }
        self.insert_in_list(access)
    }

    /// Adds an atomic operation. There may be any number.
    pub(crate) fn insert_atomic(&self, access: Access) {
        self.list();
        self.words.insert(access.image(), BoundingRange::of(access));
    }

    /// Whether the list is full: only what continues its last place can be added.
    pub(crate) fn is_full(&self) -> bool {
        self.length.get() == AT_MOST
    }

    /// Moves all operations to the list of `other`. Returns false if that has no room: then some are in neither.
    #[inline]
    pub(crate) fn move_to(&self, other: &Self) -> bool {
        match self.single_access() {
            Some(single) => {
                self.retire_single();
                other.insert_again(single)
            }
            None => self.move_list_to(other),
        }
    }

    #[cold]
    #[inline(never)]
    fn move_list_to(&self, other: &Self) -> bool {
        let mut places = self.places().iter();
        let fit = places.all(|place| other.insert_again(place.get()));
        self.words.drain(|image, range| {
            other.list();
            other.words.insert(image, range);
        });
        self.clear();
        fit
    }

    /// As [`insert`](Self::insert), of what may be the last place already: programs signal again and again what they put to the same place.
    #[inline]
    fn insert_again(&self, access: Access) -> bool {
        let is_last = |last: &Cell<Access>| last.get() == access;
        self.places().last().is_some_and(is_last) || self.insert(access)
    }

    /// Moves a single operation to the list.
    fn list(&self) {
        if let Some(access) = self.single_access() {
            self.places[0].set(access);
            self.length.set(1);
        }
        self.single.set(LISTED);
    }

    fn insert_in_list(&self, access: Access) -> bool {
        let count = self.length.get();
        let last = &self.places[count - 1];
        if let Some(both) = last.get().joined(access) {
            last.set(both);
        } else if let Some(free) = self.places.get(count) {
            if count == 1 {
                self.widen(last.get());
            }
            free.set(access);
            self.length.set(count + 1);
        } else if let Some(both) = last.get().up_to(access) {
            // The rest of a block, row after row: not to have to complete it now is worth more than what lies in between.
            last.set(both);
        } else {
            return false;
        }
        if self.length.get() > 1 {
            self.widen(access);
        }
        true
    }

    fn widen(&self, place: Access) {
        let bounds = &self.bounds[place.image()];
        bounds.set(bounds.get().with(BoundingRange::of(place)));
    }

    /// Removes all operations on `image`, which are complete.
    pub(crate) fn retire(&self, image: usize) {
        if self.is_empty() {
            return;
        }
        self.list();
        let mut kept = 0;
        for place in self.places() {
            if place.get().image() != image {
                self.places[kept].set(place.get());
                kept += 1;
            }
        }
        self.bounds[image].set(NOTHING);
        self.words.retire(image);
        self.set_length(kept);
        if kept == 1 {
            self.reset_bounds();
        }
    }

    /// Calls `complete` for each image with operations in flight, and removes all.
    pub(crate) fn drain(&self, complete: impl Fn(usize)) {
        if self.is_empty() {
            return;
        }
        self.list();
        let complete_once = |image| {
            self.words.retire(image);
            complete(image);
        };
        if self.length.get() == 1 {
            complete_once(self.places[0].get().image());
        } else {
            for place in self.places() {
                let image = place.get().image();
                if self.bounds[image].replace(NOTHING).end > 0 {
                    complete_once(image);
                }
            }
        }
        self.words.drain(|image, _| complete(image));
        self.set_length(0);
    }

    /// Removes all operations, which are complete.
    #[inline]
    pub(crate) fn clear(&self) {
        match self.single_target() {
            Some(_) => self.retire_single(),
            None => self.drain(|_| ()),
        }
    }

    fn set_length(&self, length: usize) {
        self.length.set(length);
        let is_empty = length == 0 && self.words.are_none();
        self.single.set(if is_empty { ARMED } else { LISTED });
    }

    fn reset_bounds(&self) {
        for place in self.places() {
            self.bounds[place.get().image()].set(NOTHING);
        }
    }

    #[inline]
    fn places(&self) -> &[Cell<Access>] {
        &self.places[..self.length.get()]
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::*;

    fn put(image: usize, start: usize, length: usize) -> Access {
        Access::new(image, Direction::Put, start, length)
    }

    #[test]
    fn only_what_overlaps_is_noticed() {
        let in_flight = InFlight::new(3);
        assert!(in_flight.is_empty());
        assert!(in_flight.insert(put(1, 100, 10)));
        assert!(in_flight.insert(put(1, 200, 10)));
        assert!(in_flight.conflicts(put(1, 109, 1)) && in_flight.conflicts(put(1, 90, 500)));
        assert!(!in_flight.conflicts(put(1, 110, 90)) && !in_flight.conflicts(put(1, 0, 100)));
        assert!(!in_flight.conflicts(put(2, 100, 10)));
        assert!(in_flight.is_in_flight_to(1) && !in_flight.is_in_flight_to(2));
    }

    #[test]
    fn the_only_operation_is_found_and_listed_when_there_are_more() {
        let in_flight = InFlight::new(3);
        assert!(in_flight.is_idle() && !in_flight.is_armed());
        in_flight.arm();
        in_flight.insert_single(2, 64, 16);
        assert_eq!(in_flight.single_target(), Some(2));
        assert!(in_flight.conflicts(put(2, 79, 8)) && !in_flight.conflicts(put(2, 80, 8)));
        assert!(
            !in_flight.conflicts(put(1, 64, 8))
                && in_flight.is_in_flight_to(2)
                && !in_flight.is_in_flight_to(0)
        );
        assert!(in_flight.insert(put(1, 64, 8)));
        assert_eq!(in_flight.single_target(), None);
        assert!(in_flight.conflicts(put(2, 79, 8)) && in_flight.conflicts(put(1, 64, 8)));
        in_flight.retire(2);
        assert!(!in_flight.conflicts(put(2, 64, 16)) && in_flight.conflicts(put(1, 64, 8)));
        in_flight.retire(1);
        assert!(in_flight.is_empty());
        in_flight.insert_single(0, 0, 8);
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(in_flight.is_empty() && !in_flight.conflicts(put(0, 0, 8)));
        in_flight.insert_single(0, 0, 8);
        assert!(!in_flight.is_armed());
        in_flight.retire_single();
        assert!(in_flight.is_armed() && in_flight.is_empty() && !in_flight.is_in_flight_to(0));
        in_flight.disarm();
        assert!(in_flight.is_idle() && in_flight.is_empty());
    }

    #[test]
    fn what_is_complete_is_forgotten() {
        let in_flight = InFlight::new(3);
        for image in [0, 1, 2, 1, 0] {
            assert!(in_flight.insert(put(image, 8, 8)));
        }
        in_flight.retire(1);
        assert!(!in_flight.conflicts(put(1, 8, 8)) && in_flight.conflicts(put(0, 8, 8)));
        in_flight.retire(2);
        assert!(in_flight.is_in_flight_to(0) && !in_flight.is_in_flight_to(2));
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(!in_flight.conflicts(put(0, 8, 8)));
        assert!(in_flight.is_empty());
    }

    #[test]
    fn all_move_to_another_set_that_has_room() {
        let (from, to) = (InFlight::new(3), InFlight::new(3));
        assert!(from.move_to(&to) && to.is_empty());
        from.insert_single(1, 8, 8);
        assert!(from.move_to(&to) && from.is_armed());
        assert!(to.conflicts(put(1, 8, 8)) && !to.conflicts(put(2, 8, 8)));
        for _ in 0..2 * AT_MOST {
            from.insert_single(1, 8, 8);
            assert!(from.move_to(&to));
        }
        for at in 1..AT_MOST {
            assert!(from.insert(put(2, 16 * at, 8)));
        }
        assert!(from.move_to(&to) && to.is_full() && from.is_empty());
        assert!(to.conflicts(put(1, 8, 8)) && to.conflicts(put(2, 16, 8)));
        from.insert_single(0, 0, 8);
        assert!(!from.move_to(&to) && from.is_empty());
    }

    #[test]
    fn atomic_operations_conflict_with_all_others_of_their_image_until_they_are_complete() {
        let atomic = |image, start| Access::new(image, Direction::Atomic, start, 8);
        let (in_flight, other) = (InFlight::new(4), InFlight::new(4));
        in_flight.insert_single(1, 8, 8);
        for at in 0..1000 {
            in_flight.insert_atomic(atomic(2, 64 + 8 * at));
        }
        in_flight.insert_atomic(atomic(3, 8));
        assert!(!in_flight.is_empty() && in_flight.single_target().is_none());
        for (image, start) in [(1, 8), (2, 64), (2, 8056), (3, 8)] {
            assert!(in_flight.conflicts(put(image, start, 8)), "{image} {start}");
            assert_eq!(in_flight.conflicts(atomic(image, start)), image == 1);
        }
        assert!(!in_flight.conflicts(put(2, 56, 8)) && !in_flight.conflicts(put(2, 8064, 8)));
        in_flight.retire(3);
        assert!(!in_flight.is_in_flight_to(3) && in_flight.is_in_flight_to(2));
        in_flight.insert_atomic(atomic(1, 64));
        let completed = RefCell::new(Vec::new());
        in_flight.drain(|image| completed.borrow_mut().push(image));
        assert_eq!(completed.into_inner(), [1, 2]);
        assert!(in_flight.is_armed() && !in_flight.conflicts(put(2, 64, 8)));
        in_flight.insert_atomic(atomic(2, 64));
        assert!(!in_flight.is_empty() && in_flight.move_to(&other) && in_flight.is_empty());
        assert!(other.conflicts(put(2, 64, 8)) && !other.conflicts(put(1, 64, 8)));
        other.retire(2);
        assert!(other.is_empty());
    }

    #[test]
    fn each_image_is_completed_once() {
        let in_flight = InFlight::new(9);
        for images in [[3, 3, 3, 3], [5, 0, 5, 8], [1, 2, 3, 4]] {
            for (at, &image) in images.iter().enumerate() {
                assert!(in_flight.insert(put(image, 16 * at, 8)));
            }
            let completed = RefCell::new(Vec::new());
            in_flight.drain(|image| completed.borrow_mut().push(image));
            let distinct = BTreeSet::from(images);
            assert_eq!(completed.borrow().len(), distinct.len());
            assert_eq!(BTreeSet::from_iter(completed.into_inner()), distinct);
            assert!(in_flight.is_empty() && !in_flight.is_in_flight_to(3));
        }
    }

    #[test]
    fn a_row_is_one_place_and_more_than_fit_are_refused() {
        let in_flight = InFlight::new(2);
        for at in 0..1000 {
            assert!(in_flight.insert(put(1, 8 * at, 8)));
        }
        let noted = (0..1000)
            .rev()
            .take_while(|at| in_flight.insert(put(0, 16 * at, 8)))
            .count();
        assert_eq!(noted, AT_MOST - 1);
        assert!(in_flight.conflicts(put(1, 7999, 1)) && !in_flight.conflicts(put(1, 8000, 1)));
    }

    #[test]
    fn a_block_of_more_rows_than_fit_is_noted_with_what_is_between_the_last() {
        let in_flight = InFlight::new(2);
        for at in 0..1000 {
            assert!(in_flight.insert(put(1, 16 * at, 8)));
        }
        let last = 16 * (AT_MOST - 1);
        assert!(
            !in_flight.conflicts(put(1, last - 8, 8)) && in_flight.conflicts(put(1, last + 8, 8))
        );
        assert!(
            in_flight.conflicts(put(1, 16 * 999, 8)) && !in_flight.conflicts(put(1, 16 * 1000, 8))
        );
        assert!(!in_flight.insert(put(0, 0, 8)) && !in_flight.insert(put(1, 0, 8)));
    }
}
