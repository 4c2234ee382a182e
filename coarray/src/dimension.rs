//! Extents as `ndarray` has them.

use ndarray::{Dim, Dimension};

/// A number for each axis, as a dimension of `ndarray`.
pub(crate) fn dimension<const D: usize>(numbers: [usize; D]) -> Dim<[usize; D]>
where
    Dim<[usize; D]>: Dimension,
{
    let mut dimension = Dim::<[usize; D]>::zeros(D);
    for (axis, number) in numbers.into_iter().enumerate() {
        dimension[axis] = number;
    }
    dimension
}
