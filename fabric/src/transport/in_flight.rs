//! The places of operations in flight.
//!
//! MPI and OpenSHMEM complete operations in any order, but those of one image on the same place must take effect in the order in which they
//! were issued. So an operation waits first for one in flight on the same bytes, unless both only read them.
//!
//! The set is in one of three states: *idle* or *armed* (empty), *single* (one place, in three words), or *listed* (up to 64 places, and a
//! bounding range for each image). Programs that complete every operation at once only use the first three words.
//!
//! Atomic operations in flight are kept apart, in `words.rs`: while there are any, the state is *listed*.

mod bounding_range;
#[cfg(test)]
mod tests;
mod words;

use std::cell::Cell;

use bounding_range::BoundingRange;
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
            bounds: vec![Cell::new(BoundingRange::NOTHING); images].into(),
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
            _ => !self.bounds[image].get().is_nothing(),
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
        self.bounds[image].set(BoundingRange::NOTHING);
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
                let bounds = self.bounds[image].replace(BoundingRange::NOTHING);
                if !bounds.is_nothing() {
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
            self.bounds[place.get().image()].set(BoundingRange::NOTHING);
        }
    }

    #[inline]
    fn places(&self) -> &[Cell<Access>] {
        &self.places[..self.length.get()]
    }
}
