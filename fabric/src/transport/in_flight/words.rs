//! The words of atomic operations in flight, as a range for each image.
//!
//! Programs have many such operations in flight, on words all over an array, and access that array in another way only later. So one range is
//! enough, and there may be any number of them.

use std::cell::Cell;

use super::bounding_range::BoundingRange;
use crate::transport::access::Access;

/// The set of words.
#[derive(Debug)]
pub(super) struct Words {
    by_image: Box<[Cell<BoundingRange>]>,
    /// How many images have any.
    images: Cell<usize>,
}

impl Words {
    pub(super) fn new(images: usize) -> Self {
        Self {
            by_image: vec![Cell::new(BoundingRange::NOTHING); images].into(),
            images: Cell::new(0),
        }
    }

    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.images.get() == 0
    }

    #[inline]
    pub(super) fn are_of(&self, image: usize) -> bool {
        !self.are_none() && !self.by_image[image].get().is_nothing()
    }

    #[inline]
    pub(super) fn overlap(&self, access: Access) -> bool {
        !self.are_none() && self.by_image[access.image()].get().overlaps(access)
    }

    pub(super) fn insert(&self, image: usize, range: BoundingRange) {
        let former = self.by_image[image].replace(self.by_image[image].get().with(range));
        self.images
            .set(self.images.get() + usize::from(former.is_nothing()));
    }

    /// Removes those on `image`.
    pub(super) fn retire(&self, image: usize) {
        if self.are_of(image) {
            self.by_image[image].set(BoundingRange::NOTHING);
            self.images.set(self.images.get() - 1);
        }
    }

    /// Removes all; calls `each` with their images and ranges.
    pub(super) fn drain(&self, mut each: impl FnMut(usize, BoundingRange)) {
        if self.are_none() {
            return;
        }
        self.images.set(0);
        for (image, range) in self.by_image.iter().enumerate() {
            let range = range.replace(BoundingRange::NOTHING);
            if !range.is_nothing() {
                each(image, range);
            }
        }
    }
}
