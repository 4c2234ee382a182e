//! Values in, values out: collectives that take values and return the results.
//!
//! Each is the collective that changes its argument, on a value of its own.

use std::ops::Add;

use coarray_coref::ValuesMut;
use coarray_runtime::Operation;

use crate::broadcast::broadcast;
use crate::collective::forms;
use crate::minmax::{is_larger, is_smaller, larger, smaller};
use crate::minmax_loc::locate;
use crate::reduce::reduce;
use crate::scan::scan;
use crate::sum::Summand;

forms! {
    /// Collective. Adds all images' values, element by element, and returns the sums on every image.
    ///
    /// It is [`co_sum`](crate::co_sum) for values that are not in a variable, or shall keep what they are. All else that is said
    /// there holds here. Some images may call one, and some the other.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_sum_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || {
    ///     let mine = vec![1.5; this_image()];
    ///     assert_eq!(co_sum_of(mine.len()), 6);
    ///     assert_eq!(co_sum_of([1, this_image()]), [4, 6]);
    /// });
    /// ```
    ///
    /// # Source
    /// UPC++ `reduce_all`, specification 2023.3.0 section 12; Fortran 2018 `co_sum`.
    must_use "the sum is returned; the argument is not changed"
    fn co_sum_of [V: ValuesMut] (values: V) -> V where [V::Element: Summand]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_sum_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_sum_of(2), Ok(6)));
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_sum_of

    |start| {
        let mut values = values;
        reduce(start, Operation::CoSum, values.elements_mut(), None, Add::add).map(|()| values)
    }
}

forms! {
    /// Collective. Returns the smallest of all images' values, element by element, on every image.
    ///
    /// As [`co_sum_of`]; which one is the smallest, and all else, is as in [`co_min`](crate::co_min).
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || assert_eq!(co_min_of(this_image() as f64 - 1.5), -1.5));
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; Fortran 2018 `co_min`.
    must_use "the smallest is returned; the argument is not changed"
    fn co_min_of [V: ValuesMut] (values: V) -> V where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min_of(2), Ok(2)));
    /// ```
    ///
    /// # Source
    /// As [`co_min_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_min_of

    |start| {
        let mut values = values;
        reduce(start, Operation::CoMin, values.elements_mut(), None, smaller).map(|()| values)
    }
}

forms! {
    /// Collective. Returns the largest of all images' values, element by element, on every image.
    ///
    /// As [`co_sum_of`]; which one is the largest, and all else, is as in [`co_max`](crate::co_max).
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || assert_eq!(co_max_of([this_image(), 7]), [3, 7]));
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; Fortran 2018 `co_max`.
    must_use "the largest is returned; the argument is not changed"
    fn co_max_of [V: ValuesMut] (values: V) -> V where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max_of(2), Ok(2)));
    /// ```
    ///
    /// # Source
    /// As [`co_max_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_max_of

    |start| {
        let mut values = values;
        reduce(start, Operation::CoMax, values.elements_mut(), None, larger).map(|()| values)
    }
}

forms! {
    /// Collective. Combines all images' values with `operation`, element by element, and returns the results on every image.
    ///
    /// As [`co_sum_of`]; what `operation` may be, and all else, is as in [`co_reduce`](crate::co_reduce).
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_reduce_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || {
    ///     assert_eq!(co_reduce_of(this_image() + 1, |a, b| a * b), 24);
    ///     assert_eq!(co_reduce_of(1_u8 << this_image(), |a, b| a | b), 0b1111);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; Fortran 2018 `co_reduce`.
    must_use "the result is returned; the argument is not changed"
    fn co_reduce_of [V: ValuesMut] (
        values: V,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> V
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_reduce_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_reduce_of(2, |a, b| a * b), Ok(8)));
    /// ```
    ///
    /// # Source
    /// As [`co_reduce_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_reduce_of

    |start| {
        let mut values = values;
        reduce(start, Operation::CoReduce, values.elements_mut(), None, operation).map(|()| values)
    }
}

forms! {
    /// Collective. Returns the smallest of all images' values, element by element, and the places that came with them, on every
    /// image.
    ///
    /// As [`co_sum_of`]; all else is as in [`co_min_loc`](crate::co_min_loc).
    ///
    /// # Panics
    /// If there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min_loc_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || {
    ///     let height = [3.0, 7.5, 7.5, 1.0][this_image()];
    ///     assert_eq!(co_min_loc_of(height, this_image()), (1.0, 3));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; `MPI_MINLOC`, MPI 3.1 section 5.9.4.
    must_use "the smallest is returned; the arguments are not changed"
    fn co_min_loc_of [V: ValuesMut, P: ValuesMut] (values: V, places: P) -> (V, P)
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min_loc_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min_loc_of(1.5, 7), Ok((1.5, 7))));
    /// ```
    ///
    /// # Source
    /// As [`co_min_loc_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_min_loc_of

    |start| {
        let (mut values, mut places) = (values, places);
        locate(start, Operation::CoMinLoc, &mut values, &mut places, None, is_smaller)
            .map(|()| (values, places))
    }
}

forms! {
    /// Collective. Returns the largest of all images' values, element by element, and the places that came with them, on every
    /// image.
    ///
    /// As [`co_sum_of`]; all else is as in [`co_max_loc`](crate::co_max_loc).
    ///
    /// # Panics
    /// If there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max_loc_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(4, || {
    ///     let height = [3.0, 7.5, 7.5, 1.0][this_image()];
    ///     assert_eq!(co_max_loc_of(height, this_image()), (7.5, 1));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; `MPI_MAXLOC`, MPI 3.1 section 5.9.4.
    must_use "the largest is returned; the arguments are not changed"
    fn co_max_loc_of [V: ValuesMut, P: ValuesMut] (values: V, places: P) -> (V, P)
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max_loc_of;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max_loc_of(1.5, 7), Ok((1.5, 7))));
    /// ```
    ///
    /// # Source
    /// As [`co_max_loc_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_max_loc_of

    |start| {
        let (mut values, mut places) = (values, places);
        locate(start, Operation::CoMaxLoc, &mut values, &mut places, None, is_larger)
            .map(|()| (values, places))
    }
}

forms! {
    /// Collective. Combines, for each image, the values of all images up to it, element by element, and returns the results.
    ///
    /// As [`co_sum_of`]; all else is as in [`co_scan`](crate::co_scan).
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_scan_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// assert_eq!(run(4, || co_scan_of(this_image() + 1, |a, b| a + b)), [1, 3, 6, 10]);
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; `MPI_Scan`, MPI 3.1 section 5.11.
    must_use "the result is returned; the argument is not changed"
    fn co_scan_of [V: ValuesMut] (
        values: V,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> V
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_scan_of;
    /// use coarray_launch::run;
    ///
    /// assert_eq!(run(3, || try_co_scan_of(2, |a, b| a * b)), [Ok(2), Ok(4), Ok(8)]);
    /// ```
    ///
    /// # Source
    /// As [`co_scan_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_scan_of

    |start| {
        let mut values = values;
        scan(start, Operation::CoScan, values.elements_mut(), None, operation).map(|()| values)
    }
}

forms! {
    /// Collective. Combines, for each image, `initial` and the values of all images before it, element by element, and returns the
    /// results.
    ///
    /// As [`co_sum_of`]; all else is as in [`co_exscan`](crate::co_exscan).
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// Where the items of each image begin, if all are numbered through:
    /// ```
    /// use coarray_collectives::co_exscan_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let starts = run(4, || {
    ///     let items = [5, 0, 2, 9][this_image()];
    ///     co_exscan_of(items, 0, |a, b| a + b)
    /// });
    /// assert_eq!(starts, [0, 5, 5, 7]);
    /// ```
    ///
    /// # Source
    /// As [`co_sum_of`]; `MPI_Exscan`, MPI 3.1 section 5.11.
    must_use "the result is returned; the argument is not changed"
    fn co_exscan_of [V: ValuesMut] (
        values: V,
        initial: V::Element,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> V
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_exscan_of;
    /// use coarray_launch::run;
    ///
    /// assert_eq!(run(3, || try_co_exscan_of(2, 1, |a, b| a * b)), [Ok(1), Ok(2), Ok(4)]);
    /// ```
    ///
    /// # Source
    /// As [`co_exscan_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_exscan_of

    |start| {
        let mut values = values;
        scan(start, Operation::CoExscan, values.elements_mut(), Some(initial), operation)
            .map(|()| values)
    }
}

forms! {
    /// Collective. Returns the values of image `root` on every image.
    ///
    /// As [`co_sum_of`]; all else is as in [`co_broadcast`](crate::co_broadcast). The values of the others are dropped, but have as
    /// many elements. What only `root` can compute is a broadcast of a variable, or with the feature `serde` of
    /// `co_broadcast_value`, which takes a function.
    ///
    /// # Panics
    /// If `root` is no image.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_broadcast_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// assert_eq!(run(3, || co_broadcast_of(10 * this_image(), 1)), [10; 3]);
    /// ```
    ///
    /// # Source
    /// UPC++ `broadcast`, specification 2023.3.0 section 12; Fortran 2018 `co_broadcast`.
    must_use "the values of the root are returned; the argument is not changed"
    fn co_broadcast_of [V: ValuesMut] (values: V, root: usize) -> V where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_broadcast_of;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// run(3, || assert_eq!(try_co_broadcast_of(this_image(), 2), Ok(2)));
    /// ```
    ///
    /// # Source
    /// As [`co_broadcast_of`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_broadcast_of

    |start| {
        let mut values = values;
        broadcast(start, values.elements_mut(), root).map(|()| values)
    }
}
