//! Joining the values of images in their order.

/// Joins `values` to `result`, which are of later images.
#[inline]
pub(crate) fn append<T: Copy>(result: &mut [T], values: &[T], join: impl Fn(T, T) -> T) {
    for (result, &value) in result.iter_mut().zip(values) {
        *result = join(*result, value);
    }
}

/// Joins `values` to `result`, which are of earlier images.
#[inline]
pub(crate) fn prepend<T: Copy>(result: &mut [T], values: &[T], join: impl Fn(T, T) -> T) {
    for (result, &value) in result.iter_mut().zip(values) {
        *result = join(value, *result);
    }
}
