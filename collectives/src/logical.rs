//! Logical reductions: whether a condition holds on all images, on any, or on how many.

use std::ops::{Add, BitAnd, BitOr};

use coarray_coref::Remote;
use coarray_runtime::Operation;

use crate::collective::{CallFailed, Start, forms};
use crate::reduce::reduce;

forms! {
    /// Collective. Whether `condition` holds on all images.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call different operations or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_all;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let agreed = run(3, || co_all(this_image() < 2));
    /// assert_eq!(agreed, [false; 3]);
    /// ```
    ///
    /// # Source
    /// Fortran `all`, over the images instead of the elements of an array; UPC++ `reduce_all`.
    fn co_all [] (condition: bool) -> bool where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_all;
    /// use coarray_launch::run;
    ///
    /// run(2, || assert_eq!(try_co_all(true), Ok(true)));
    /// ```
    ///
    /// # Source
    /// As [`co_all`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_all

    |start| reduce_one(start, Operation::CoAll, condition, BitAnd::bitand)
}

forms! {
    /// Collective. Whether `condition` holds on any image.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call different operations or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_any;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || co_any(this_image() == 2));
    /// assert_eq!(found, [true; 3]);
    /// ```
    ///
    /// # Source
    /// Fortran `any`, over the images instead of the elements of an array; UPC++ `reduce_all`.
    fn co_any [] (condition: bool) -> bool where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_any;
    /// use coarray_launch::run;
    ///
    /// run(2, || assert_eq!(try_co_any(true), Ok(true)));
    /// ```
    ///
    /// # Source
    /// As [`co_any`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_any

    |start| reduce_one(start, Operation::CoAny, condition, BitOr::bitor)
}

forms! {
    /// Collective. On how many images `condition` holds.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call different operations or have failed.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_count;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let odd = run(5, || co_count(this_image() % 2 == 1));
    /// assert_eq!(odd, [2; 5]);
    /// ```
    ///
    /// # Source
    /// Fortran `count`, over the images instead of the elements of an array; UPC++ `reduce_all`.
    fn co_count [] (condition: bool) -> usize where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_count;
    /// use coarray_launch::run;
    ///
    /// run(2, || assert_eq!(try_co_count(true), Ok(2)));
    /// ```
    ///
    /// # Source
    /// As [`co_count`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_count

    |start| reduce_one(start, Operation::CoCount, usize::from(condition), Add::add)
}

#[track_caller]
fn reduce_one<T: Remote>(
    start: &Start,
    operation: Operation,
    value: T,
    operator: impl Fn(T, T) -> T,
) -> Result<T, CallFailed> {
    let mut result = [value];
    reduce(start, operation, &mut result, None, operator)?;
    let [result] = result;
    Ok(result)
}
