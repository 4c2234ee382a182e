//! The smallest and the largest values of all images, element by element.

use coarray_coref::ValuesMut;
use coarray_runtime::Operation;

use crate::collective::forms;
use crate::reduce::reduce;

forms! {
    /// Collective. The smallest of all images' values, element by element, on every image.
    ///
    /// A value that is not comparable with itself, NaN, counts as the smallest of all, so that no image can
    /// overlook it. Of equal values, such as the two zeros of floats, that of the lowest image is taken, unless the caller
    /// chooses [`Algorithm::Ring`](crate::Algorithm::Ring).
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let mut x = [10.0 - this_image() as f64, 1.0];
    ///     if this_image() == 1 {
    ///         x[1] = f64::NAN;
    ///     }
    ///     co_min(&mut x);
    ///     x
    /// });
    /// assert!(found.iter().all(|x| x[0] == 8.0 && x[1].is_nan()));
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_min`; for NaN, `minimum` of IEEE 754-2019.
    fn co_min [V: ?Sized + ValuesMut] (values: &mut V) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min(&mut 1), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_min` with `stat`, clause 16.6.
    fn try_co_min

    |start| reduce(start, Operation::CoMin, values.elements_mut(), None, smaller)
}

forms! {
    /// Collective. As [`co_min`], but only image `root` gets the result; the values of the others stay as they are.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let mut x = 5 + this_image() % 2;
    ///     co_min_to(&mut x, 0);
    ///     x
    /// });
    /// assert_eq!(found, [5, 6, 5]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_min` with `result_image`.
    fn co_min_to [V: ?Sized + ValuesMut] (values: &mut V, root: usize) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min_to(&mut 1, 0), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_min` with `result_image` and `stat`, clause 16.6.
    fn try_co_min_to

    |start| reduce(start, Operation::CoMinTo, values.elements_mut(), Some(root), smaller)
}

forms! {
    /// Collective. The largest of all images' values, element by element, on every image.
    ///
    /// A value that is not comparable with itself, NaN, counts as the largest of all, so that no image can
    /// overlook it. Of equal values, such as the two zeros of floats, that of the lowest image is taken, unless the caller
    /// chooses [`Algorithm::Ring`](crate::Algorithm::Ring).
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let mut x = [10.0 - this_image() as f64, 1.0];
    ///     if this_image() == 1 {
    ///         x[1] = f64::NAN;
    ///     }
    ///     co_max(&mut x);
    ///     x
    /// });
    /// assert!(found.iter().all(|x| x[0] == 10.0 && x[1].is_nan()));
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_max`; for NaN, `maximum` of IEEE 754-2019.
    fn co_max [V: ?Sized + ValuesMut] (values: &mut V) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max(&mut 1), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_max` with `stat`, clause 16.6.
    fn try_co_max

    |start| reduce(start, Operation::CoMax, values.elements_mut(), None, larger)
}

forms! {
    /// Collective. As [`co_max`], but only image `root` gets the result; the values of the others stay as they are.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let mut x = 5 + this_image() % 2;
    ///     co_max_to(&mut x, 0);
    ///     x
    /// });
    /// assert_eq!(found, [6, 6, 5]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_max` with `result_image`.
    fn co_max_to [V: ?Sized + ValuesMut] (values: &mut V, root: usize) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max_to(&mut 1, 0), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_max` with `result_image` and `stat`, clause 16.6.
    fn try_co_max_to

    |start| reduce(start, Operation::CoMaxTo, values.elements_mut(), Some(root), larger)
}

/// The smaller value; NaN if one is, and the first of equal ones.
#[inline]
pub(crate) fn smaller<T: PartialOrd>(first: T, second: T) -> T {
    if is_smaller(&first, &second) {
        first
    } else {
        second
    }
}

/// The larger value; NaN if one is, and the first of equal ones.
#[inline]
pub(crate) fn larger<T: PartialOrd>(first: T, second: T) -> T {
    if is_larger(&first, &second) {
        first
    } else {
        second
    }
}

/// Whether the first value is the smaller one, of two that are equal or both NaN as well.
#[inline]
pub(crate) fn is_smaller<T: PartialOrd>(first: &T, second: &T) -> bool {
    first <= second || is_nan(first)
}

/// Whether the first value is the larger one, of two that are equal or both NaN as well.
#[inline]
pub(crate) fn is_larger<T: PartialOrd>(first: &T, second: &T) -> bool {
    first >= second || is_nan(first)
}

#[inline]
fn is_nan<T: PartialOrd>(value: &T) -> bool {
    value.partial_cmp(value).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_wins_on_either_side() {
        for operator in [smaller::<f64>, larger::<f64>] {
            assert!(operator(f64::NAN, 1.0).is_nan());
            assert!(operator(1.0, f64::NAN).is_nan());
            assert!(operator(f64::NAN, f64::NAN).is_nan());
        }
    }

    #[test]
    fn of_equal_values_the_first_is_taken() {
        for operator in [smaller::<f64>, larger::<f64>] {
            assert!(operator(-0.0, 0.0).is_sign_negative());
            assert!(operator(0.0, -0.0).is_sign_positive());
        }
        assert_eq!((smaller(3, 4), smaller(4, 3)), (3, 3));
        assert_eq!((larger(3, 4), larger(4, 3)), (4, 4));
    }
}
