//! Which places operations that are in flight may touch.
//!
//! MPI completes operations in any order, but those of one image on the same place are to happen in the order in
//! which they were issued. So one that overlaps another that is in flight waits for that.

use std::cell::Cell;

/// How many places are kept at most.
const AT_MOST: usize = 64;

/// Nothing is in flight, and the image does not ask for it.
const IDLE: usize = usize::MAX;

/// Nothing is in flight, but the image has been told that something is, and asks.
const READY: usize = IDLE - 1;

/// What is in flight is in the list.
const LISTED: usize = READY - 1;

/// Some bytes of the part of an image.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    image: u32,
    start: usize,
    end: usize,
}

impl Place {
    #[inline]
    fn overlaps(self, image: usize, start: usize, end: usize) -> bool {
        self.image as usize == image && self.start < end && start < self.end
    }
}

/// The smallest range that holds all places of an image.
#[derive(Clone, Copy, Debug)]
struct BoundingRange {
    start: usize,
    end: usize,
}

const NOTHING: BoundingRange = BoundingRange {
    start: usize::MAX,
    end: 0,
};

/// What this image's operations in flight may touch.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// The target of the only operation, or [`LISTED`], [`READY`] or [`IDLE`]. Programs that complete one after the other pay
    /// for this, and its start and length, only.
    only: Cell<usize>,
    only_start: Cell<usize>,
    only_length: Cell<usize>,
    /// The places, if they are listed.
    places: [Cell<Place>; AT_MOST],
    length: Cell<usize>,
    /// For each image, to see soon that a place overlaps nothing. Kept if there is more than one place only: programs
    /// that complete every operation at once do not pay for it.
    bounds: Box<[Cell<BoundingRange>]>,
}

impl InFlight {
    pub(crate) fn new(images: usize) -> Self {
        Self {
            only: Cell::new(IDLE),
            only_start: Cell::new(0),
            only_length: Cell::new(0),
            bounds: vec![Cell::new(NOTHING); images].into(),
            places: [const {
                Cell::new(Place {
                    image: 0,
                    start: 0,
                    end: 0,
                })
            }; AT_MOST],
            length: Cell::new(0),
        }
    }

    /// Whether an operation is in flight on some of these bytes.
    #[inline]
    pub(crate) fn overlaps(&self, image: usize, start: usize, length: usize) -> bool {
        let end = start + length;
        if let Some(place) = self.only_place() {
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

    /// Whether operations are in flight on some place of `image`.
    #[inline]
    pub(crate) fn concerns(&self, image: usize) -> bool {
        if let Some(only) = self.only_target() {
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
        self.only.get() >= READY
    }

    /// Whether nothing is in flight, and an operation that begins need not be told of.
    #[inline(always)]
    pub(crate) fn is_ready(&self) -> bool {
        self.only.get() == READY
    }

    /// Whether the image does not ask for what is in flight.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.only.get() == IDLE
    }

    /// From now on the image asks.
    pub(crate) fn get_ready(&self) {
        debug_assert!(self.is_idle());
        self.only.set(READY);
    }

    /// From now on the image does not ask, as nothing is in flight.
    pub(crate) fn rest(&self) {
        debug_assert!(self.is_empty());
        self.only.set(IDLE);
    }

    /// Notes an operation on a place, where all is [ready](Self::is_ready).
    #[inline(always)]
    pub(crate) fn note_only(&self, image: usize, start: usize, length: usize) {
        debug_assert!(self.is_ready());
        self.only.set(image);
        self.only_start.set(start);
        self.only_length.set(length);
    }

    /// Where the operation that [`note_only`](Self::note_only) noted is to, if no other has been noted since.
    #[inline]
    pub(crate) fn only_target(&self) -> Option<usize> {
        let only = self.only.get();
        (only < LISTED).then_some(only)
    }

    #[inline]
    fn only_place(&self) -> Option<Place> {
        let start = self.only_start.get();
        self.only_target().map(|image| Place {
            image: image as u32,
            start,
            end: start + self.only_length.get(),
        })
    }

    /// The only operation is complete.
    #[inline]
    pub(crate) fn forget_only(&self) {
        debug_assert!(self.only_target().is_some());
        self.only.set(READY);
    }

    /// Notes an operation on a place, in the list. Returns false, and does not, if there are too many already.
    pub(crate) fn note(&self, image: usize, start: usize, length: usize) -> bool {
        self.list();
        let place = Place {
            image: image as u32,
            start,
            end: start + length,
        };
        if self.length.get() == 0 {
            self.places[0].set(place);
            self.length.set(1);
            return true;
        }
        self.note_another(place)
    }

    /// Has the only operation in the list, where later ones find it.
    fn list(&self) {
        if let Some(place) = self.only_place() {
            self.places[0].set(place);
            self.length.set(1);
        }
        self.only.set(LISTED);
    }

    fn note_another(&self, place: Place) -> bool {
        let count = self.length.get();
        let last = &self.places[count - 1];
        let is_next = last.get().image == place.image && last.get().end == place.start;
        if is_next {
            let start = last.get().start;
            last.set(Place { start, ..place });
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

    fn widen(&self, place: Place) {
        let bounds = &self.bounds[place.image as usize];
        bounds.set(BoundingRange {
            start: bounds.get().start.min(place.start),
            end: bounds.get().end.max(place.end),
        });
    }

    /// All operations on `image` are complete.
    pub(crate) fn forget(&self, image: usize) {
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
            self.forget_bounds();
        }
    }

    /// Has the operations on each image that any are in flight to completed, and forgets all.
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
        self.only.set(if length == 0 { READY } else { LISTED });
    }

    fn forget_bounds(&self) {
        for place in self.places() {
            self.bounds[place.get().image as usize].set(NOTHING);
        }
    }

    #[inline]
    fn places(&self) -> &[Cell<Place>] {
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
        assert!(in_flight.note(1, 100, 10));
        assert!(in_flight.note(1, 200, 10));
        assert!(in_flight.overlaps(1, 109, 1) && in_flight.overlaps(1, 90, 500));
        assert!(!in_flight.overlaps(1, 110, 90) && !in_flight.overlaps(1, 0, 100));
        assert!(!in_flight.overlaps(2, 100, 10));
        assert!(in_flight.concerns(1) && !in_flight.concerns(2));
    }

    #[test]
    fn the_only_operation_is_found_and_listed_when_there_are_more() {
        let in_flight = InFlight::new(3);
        assert!(in_flight.is_idle() && !in_flight.is_ready());
        in_flight.get_ready();
        in_flight.note_only(2, 64, 16);
        assert_eq!(in_flight.only_target(), Some(2));
        assert!(in_flight.overlaps(2, 79, 8) && !in_flight.overlaps(2, 80, 8));
        assert!(!in_flight.overlaps(1, 64, 8) && in_flight.concerns(2) && !in_flight.concerns(0));
        assert!(in_flight.note(1, 64, 8));
        assert_eq!(in_flight.only_target(), None);
        assert!(in_flight.overlaps(2, 79, 8) && in_flight.overlaps(1, 64, 8));
        in_flight.forget(2);
        assert!(!in_flight.overlaps(2, 64, 16) && in_flight.overlaps(1, 64, 8));
        in_flight.forget(1);
        assert!(in_flight.is_empty());
        in_flight.note_only(0, 0, 8);
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(in_flight.is_empty() && !in_flight.overlaps(0, 0, 8));
        in_flight.note_only(0, 0, 8);
        assert!(!in_flight.is_ready());
        in_flight.forget_only();
        assert!(in_flight.is_ready() && in_flight.is_empty() && !in_flight.concerns(0));
        in_flight.rest();
        assert!(in_flight.is_idle() && in_flight.is_empty());
    }

    #[test]
    fn what_is_complete_is_forgotten() {
        let in_flight = InFlight::new(3);
        for image in [0, 1, 2, 1, 0] {
            assert!(in_flight.note(image, 8, 8));
        }
        in_flight.forget(1);
        assert!(!in_flight.overlaps(1, 8, 8) && in_flight.overlaps(0, 8, 8));
        in_flight.forget(2);
        assert!(in_flight.concerns(0) && !in_flight.concerns(2));
        in_flight.drain(|image| assert_eq!(image, 0));
        assert!(!in_flight.overlaps(0, 8, 8));
        assert!(in_flight.is_empty());
    }

    #[test]
    fn each_image_is_completed_once() {
        let in_flight = InFlight::new(9);
        for images in [[3, 3, 3, 3], [5, 0, 5, 8], [1, 2, 3, 4]] {
            for (at, &image) in images.iter().enumerate() {
                assert!(in_flight.note(image, 16 * at, 8));
            }
            let completed = RefCell::new(Vec::new());
            in_flight.drain(|image| completed.borrow_mut().push(image));
            let distinct = BTreeSet::from(images);
            assert_eq!(completed.borrow().len(), distinct.len());
            assert_eq!(BTreeSet::from_iter(completed.into_inner()), distinct);
            assert!(in_flight.is_empty() && !in_flight.concerns(3));
        }
    }

    #[test]
    fn a_row_is_one_place_and_more_than_fit_are_refused() {
        let in_flight = InFlight::new(2);
        for at in 0..1000 {
            assert!(in_flight.note(1, 8 * at, 8));
        }
        let noted = (0..).take_while(|at| in_flight.note(0, 16 * at, 8)).count();
        assert_eq!(noted, AT_MOST - 1);
        assert!(in_flight.overlaps(1, 7999, 1) && !in_flight.overlaps(1, 8000, 1));
    }
}
