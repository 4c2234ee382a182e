//! Which image has an item of the whole array.

use crate::grid::Blocks;

/// How the items of an array are divided among images: [`Even`], or by [`Blocks`].
///
/// # Examples
/// See [`GlobalIndices`](super::GlobalIndices).
///
/// # Source
/// As [`GlobalIndices`](super::GlobalIndices).
pub trait Division: sealed::Locate {}

mod sealed {
    pub trait Locate {
        /// How many items there are.
        fn cells(&self) -> usize;

        /// The image that has an item, which there is, and its index there.
        fn locate(&self, index: usize) -> (usize, usize);
    }
}

/// Equally many items on each image, those of image 0 first.
///
/// # Examples
/// See [`GlobalIndices::global`](super::GlobalIndices::global).
///
/// # Source
/// As [`GlobalIndices`](super::GlobalIndices).
#[derive(Clone, Copy, Debug)]
pub struct Even {
    length: usize,
    items: usize,
    /// 2^64 divided by the length, or a little less: instead of a division for each item there is a multiplication, by T. Granlund and
    /// P. L. Montgomery, PLDI 1994.
    inverse: u64,
}

impl Even {
    pub(super) fn new(length: usize, images: usize) -> Self {
        // Heaps have less than 16 TiB, and there are a million images at most.
        let items = length.saturating_mul(images).min(isize::MAX as usize);
        Self {
            length,
            items,
            inverse: u64::MAX / length.max(1) as u64,
        }
    }
}

impl Division for Even {}

impl sealed::Locate for Even {
    #[inline]
    fn cells(&self) -> usize {
        self.items
    }

    #[inline]
    fn locate(&self, index: usize) -> (usize, usize) {
        // As the inverse lacks less than 1 of 2^64 / length, the product lacks less than 1, and the image is this or the next.
        let image = (index as u128 * u128::from(self.inverse)) >> 64;
        let (image, rest) = (image as usize, index - image as usize * self.length);
        match rest < self.length {
            true => (image, rest),
            false => (image + 1, rest - self.length),
        }
    }
}

impl<const D: usize> Division for &Blocks<D> {}

impl<const D: usize> sealed::Locate for &Blocks<D> {
    #[inline]
    fn cells(&self) -> usize {
        Blocks::cells(self)
    }

    #[inline]
    fn locate(&self, index: usize) -> (usize, usize) {
        self.locate_number(index)
    }
}

#[cfg(test)]
mod tests {
    use super::sealed::Locate;
    use super::*;

    #[test]
    fn multiplications_find_what_a_division_finds() {
        let lengths = (1..70).chain([(1 << 31) - 1, 1 << 40, (1 << 43) - 1]);
        for length in lengths {
            let even = Even::new(length, 1 << 20);
            let near = |index: usize| index.saturating_sub(2)..index + 3;
            let ends = [0, 1, 7, 1000, (1 << 20) - 1, 1 << 20].map(|images| near(images * length));
            for index in ends.into_iter().flatten().chain(near(even.cells() - 3)) {
                let found = even.locate(index);
                assert_eq!(
                    found,
                    (index / length, index % length),
                    "{index} by {length}"
                );
            }
        }
    }
}
