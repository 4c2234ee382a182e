//! Applying an operator, which need not be commutative, to the values of images in their order.

/// Combines `result` with `values`, which are of later images.
#[inline]
pub(crate) fn append<T: Copy>(result: &mut [T], values: &[T], operator: impl Fn(T, T) -> T) {
    for (result, &value) in result.iter_mut().zip(values) {
        *result = operator(*result, value);
    }
}

/// Combines `values`, which are of earlier images, with `result`.
#[inline]
pub(crate) fn prepend<T: Copy>(result: &mut [T], values: &[T], operator: impl Fn(T, T) -> T) {
    for (result, &value) in result.iter_mut().zip(values) {
        *result = operator(value, *result);
    }
}
