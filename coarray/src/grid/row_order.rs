//! Positions by their number in row order, in which the last coordinate counts fastest.

/// The product, unless it overflows.
pub(super) fn product(factors: &[usize]) -> Option<usize> {
    // A zero makes the product zero whatever the others are.
    if factors.contains(&0) {
        return Some(0);
    }
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
}

/// The row-major index of a position.
#[inline]
pub(super) fn index_of<const D: usize>(position: [usize; D], extents: [usize; D]) -> usize {
    position
        .iter()
        .zip(extents)
        .fold(0, |index, (at, extent)| index * extent + at)
}

/// The position with a row-major index.
pub(super) fn position_of<const D: usize>(mut index: usize, extents: [usize; D]) -> [usize; D] {
    let mut position = [0; D];
    for axis in (0..D).rev() {
        position[axis] = index % extents[axis];
        index /= extents[axis];
    }
    position
}
