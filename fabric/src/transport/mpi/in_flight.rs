//! The places of operations in flight.
//!
//! MPI completes operations in any order, but those of one image on the same place must take effect in the order in which they were issued.
//! So an operation that overlaps one in flight waits for it first.
//!
//! The set is in one of three states: *idle* or *armed* (empty), *single* (one place, in three words), or *listed* (up to 64 places, and a
//! bounding range for each image). Programs that complete every operation at once only use the first three words.

use std::cell::Cell;

/// The most places in the list.
const AT_MOST: usize = 64;

/// Nothing is in flight, and `quiet` will not call us.
const IDLE: usize = usize::MAX;

/// Nothing is in flight, but the image is still noted as having outstanding operations, so `quiet` will call us.
const ARMED: usize = IDLE - 1;

/// The operations in flight are in the list.
const LISTED: usize = ARMED - 1;

/// A range of bytes in the part of an image.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    image: u32,
    start: usize,
    end: usize,
}

impl Target {
    #[inline]
    fn overlaps(self, image: usize, start: usize, end: usize) -> bool {
        self.image as usize == image && self.start < end && start < self.end
    }
}

/// The smallest range that contains all listed places of an image.
#[derive(Clone, Copy, Debug)]
struct BoundingRange {
    start: usize,
    end: usize,
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
    places: [Cell<Target>; AT_MOST],
    length: Cell<usize>,
    /// By image: a quick test that a place overlaps nothing. Valid only if the list has more than one place.
    bounds: Box<[Cell<BoundingRange>]>,
}

impl InFlight {
    pub(crate) fn new(images: usize) -> Self {
        Self {
            single: Cell::new(IDLE),
            single_start: Cell::new(0),
            single_length: Cell::new(0),
            bounds: vec![Cell::new(NOTHING); images].into(),
            places: [const {
                Cell::new(Target {
                    image: 0,
                    start: 0,
                    end: 0,
                })
            }; AT_MOST],
            length: Cell::new(0),
        }
    }

    /// Whether an operation in flight overlaps these bytes.
    #[inline]
    pub(crate) fn overlaps(&self, image: usize, start: usize, length: usize) -> bool {
        let end = start + length;
        if let Some(place) = self.single_place() {
            return place.overlaps(image, start, end);
        }
        match self.length.get() {
            0 => false,
            1 => self.places[0].get().overlaps(image, start, end),
            _ => {
                let bounds = self.bounds[image].get();
                start < bounds.end && bounds.start < end && self.any_overlaps(image, start, end)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn any_overlaps(&self, image: usize, start: usize, end: usize) -> bool {
        let mut places = self.places().iter();
        places.any(|place| place.get().overlaps(image, start, end))
    }

    /// Whether operations on `image` are in flight.
    #[inline]
    pub(crate) fn is_in_flight_to(&self, image: usize) -> bool {
        if let Some(only) = self.single_target() {
            return only == image;
        }
        match self.length.get() {
            0 => false,
            1 => self.places[0].get().image as usize == image,
            _ => self.bounds[image].get().end > 0,
        }
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

    /// Adds an operation, in the state [armed](Self::is_armed).
    #[inline(always)]
    pub(crate) fn insert_single(&self, image: usize, start: usize, length: usize) {
        debug_assert!(self.is_armed());
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
    fn single_place(&self) -> Option<Target> {
        let start = self.single_start.get();
        self.single_target().map(|image| Target {
            image: image as u32,
            start,
            end: start + self.single_length.get(),
        })
    }

    /// Removes the single operation, which is complete.
    #[inline]
    pub(crate) fn retire_single(&self) {
        debug_assert!(self.single_target().is_some());
        self.single.set(ARMED);
    }

    /// Adds an operation to the list. Returns false, and does not, if the list is full.
    pub(crate) fn insert(&self, image: usize, start: usize, length: usize) -> bool {
        self.list();
        let place = Target {
            image: image as u32,
            start,
            end: start + length,
        };
        if self.length.get() == 0 {
            self.places[0].set(place);
            self.length.set(1);
            return true;
        }
        self.insert_in_list(place)
    }

    /// Moves a single operation to the list.
    fn list(&self) {
        if let Some(place) = self.single_place() {
            self.places[0].set(place);
            self.length.set(1);
        }
        self.single.set(LISTED);
    }

    fn insert_in_list(&self, place: Target) -> bool {
        let count = self.length.get();
        let last = &self.places[count - 1];
        let is_next = last.get().image == place.image && last.get().end == place.start;
        if is_next {
            let start = last.get().start;
            last.set(Target { start, ..place });
        } else if let Some(free) = self.places.get(count) {
            if count == 1 {
                self.widen(last.get());
            }
            free.set(place);
            self.length.set(count + 1);
        } else {
            return false;
        }
        if self.length.get() > 1 {
            self.widen(place);
        }
        true
    }

    fn widen(&self, place: Target) {
        let bounds = &self.bounds[place.image as usize];
        bounds.set(BoundingRange {
            start: bounds.get().start.min(place.start),
            end: bounds.get().end.max(place.end),
        });
    }

    /// Removes all operations on `image`, which are complete.
    pub(crate) fn retire(&self, image: usize) {
        if self.is_empty() {
            return;
        }
        self.list();
        let mut kept = 0;
        for place in self.places() {
            if place.get().image as usize != image {
                self.places[kept].set(place.get());
                kept += 1;
            }
        }
        self.bounds[image].set(NOTHING);
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
        if self.length.get() == 1 {
            complete(self.places[0].get().image as usize);
        } else {
            for place in self.places() {
                let image = place.get().image as usize;
                if self.bounds[image].replace(NOTHING).end > 0 {
                    complete(image);
                }
            }
        }
        self.set_length(0);
    }

    fn set_length(&self, length: usize) {
        self.length.set(length);
        self.single.set(if length == 0 { ARMED } else { LISTED });
    }

    fn reset_bounds(&self) {
        for place in self.places() {
            self.bounds[place.get().image as usize].set(NOTHING);
        }
    }

    #[inline]
    fn places(&self) -> &[Cell<Target>] {
        &self.places[..self.length.get()]
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn only_what_overlaps_is_noticed() {
        let in_flight = InFlight::new(3);
        assert!(in_flight.is_empty());
        assert!(in_flight.insert(1, 100, 10));
        assert!(in_flight.insert(1, 200, 10));
        assert!(in_flight.overlaps(1, 109, 1) && in_flight.overlaps(1, 90, 500));
        assert!(!in_flight.overlaps(1, 110, 90) && !in_flight.overlaps(1, 0, 100));
        assert!(!in_flight.overlaps(2, 100, 10));
        assert!(in_flight.is_in_flight_to(1) && !in_flight.is_in_flight_to(2));
    }

    #[test]
    fn the_only_operation_is_found_and_listed_when_there_are_more() {
        let in_flight = InFlight::new(3);
        assert!(in_flight.is_idle() && !in_flight.is_armed());
        in_flight.arm();
        in_flight.insert_single(2, 64, 16);
        assert_eq!(in_flight.single_target(), Some(2));
        assert!(in_flight.overlaps(2, 79, 8) && !in_flight.overlaps(2, 80, 8));
        assert!(
            !in_flight.overlaps(1, 64, 8)
                && in_flight.is_in_flight_to(2)
                && !in_flight.is_in_flight_to(0)
        );
        assert!(in_flight.insert(1, 64, 8));
        assert_eq!(in_flight.single_target(), None);
        assert!(in_flight.overlaps(2, 79, 8) && in_flight.overlaps(1, 64, 8));
        in_flight.retire(2);
        assert!(!in_flight.overlaps(2, 64, 16) && in_flight.overlaps(1, 64, 8));
        in_flight.retire(1);
        assert!(in_flight.is_empty());
        in_flight.insert_single(0, 0, 8);
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(in_flight.is_empty() && !in_flight.overlaps(0, 0, 8));
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
            assert!(in_flight.insert(image, 8, 8));
        }
        in_flight.retire(1);
        assert!(!in_flight.overlaps(1, 8, 8) && in_flight.overlaps(0, 8, 8));
        in_flight.retire(2);
        assert!(in_flight.is_in_flight_to(0) && !in_flight.is_in_flight_to(2));
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(!in_flight.overlaps(0, 8, 8));
        assert!(in_flight.is_empty());
    }

    #[test]
    fn each_image_is_completed_once() {
        let in_flight = InFlight::new(9);
        for images in [[3, 3, 3, 3], [5, 0, 5, 8], [1, 2, 3, 4]] {
            for (at, &image) in images.iter().enumerate() {
                assert!(in_flight.insert(image, 16 * at, 8));
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
            assert!(in_flight.insert(1, 8 * at, 8));
        }
        let noted = (0..)
            .take_while(|at| in_flight.insert(0, 16 * at, 8))
            .count();
        assert_eq!(noted, AT_MOST - 1);
        assert!(in_flight.overlaps(1, 7999, 1) && !in_flight.overlaps(1, 8000, 1));
    }
}
