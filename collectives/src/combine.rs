//! Reductions with an operator of the program: `co_reduce` and `co_reduce_to`.

use coarray_coref::ValuesMut;
use coarray_runtime::Operation;

use crate::collective::forms;
use crate::reduce::reduce;

forms! {
    /// Collective. Combines all images' values with `operation`, element by element, on every image.
    ///
    /// `operation` must be associative and the same on all images. It is applied in the order of the images, so it
    /// need not be commutative, unless the caller chooses [`Algorithm::Ring`](crate::Algorithm::Ring), which no built-in
    /// choice does.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_reduce;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let products = run(4, || {
    ///     let mut x = [this_image() as u32 + 1; 3];
    ///     co_reduce(&mut x, |a, b| a * b);
    ///     x
    /// });
    /// assert_eq!(products, [[24; 3]; 4]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_reduce`.
    fn co_reduce [V: ?Sized + ValuesMut] (
        values: &mut V,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_reduce;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_reduce(&mut 1, |a, b| a * b), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_reduce` with `stat`, clause 16.6.
    fn try_co_reduce

    |start| reduce(start, Operation::CoReduce, values.elements_mut(), None, operation)
}

forms! {
    /// Collective. As [`co_reduce`], but only image `root` gets the result; the values of the others stay as they are.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_reduce_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let last = run(4, || {
    ///     let mut x = this_image();
    ///     co_reduce_to(&mut x, 1, |_, last| last);
    ///     x
    /// });
    /// assert_eq!(last, [0, 3, 2, 3]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_reduce` with `result_image`.
    fn co_reduce_to [V: ?Sized + ValuesMut] (
        values: &mut V,
        root: usize,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_reduce_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_reduce_to(&mut 1, 0, |a, b| a * b), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_reduce` with `result_image` and `stat`, clause 16.6.
    fn try_co_reduce_to

    |start| reduce(start, Operation::CoReduceTo, values.elements_mut(), Some(root), operation)
}
