//! Sums over the images, element by element.

use std::ops::Add;

use coarray_coref::{Remote, ValuesMut};
use coarray_runtime::Operation;

use crate::collective::forms;
use crate::reduce::reduce;

/// What [`co_sum`] adds: whatever travels and has `+`, such as numbers, complex numbers and structs with `#[derive(coarray::Add)]`.
///
/// # Examples
/// A program's own collective, for all types that the library adds:
/// ```
/// use coarray_collectives::{Summand, co_sum_of};
/// use coarray_runtime::this_image;
///
/// /// The sum of the squares on all images.
/// fn co_square_sum<T: Summand<Element = T> + std::ops::Mul<Output = T>>(x: T) -> T {
///     co_sum_of(x * x)
/// }
///
/// coarray_launch::run(3, || assert_eq!(co_square_sum(this_image()), 5));
/// ```
///
/// # Source
/// Its own; the types of Fortran 2018 `co_sum` are the numeric ones, clause 16.9.50.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added up: it has no `+` that makes another `{Self}`",
    label = "no sum of these",
    note = "`co_reduce(&mut x, |a, b| ...)` combines them by a function of the program",
    note = "`co_count(condition)` counts the images where a truth value holds; `co_all` and `co_any` ask for all and any",
    note = "`#[derive(coarray::Add)]` adds structs member by member"
)]
pub trait Summand: Remote + Add<Output = Self> {}

// Without this the compiler would report the missing `Add`, and not what there is instead.
#[diagnostic::do_not_recommend]
impl<T: Remote + Add<Output = T>> Summand for T {}

forms! {
    /// Collective. Adds the values of all images, element by element; every image gets the sums.
    ///
    /// Every image gets the same bits. The elements are added from image 0 upwards, but with
    /// [`Algorithm::Ring`](crate::Algorithm::Ring) in a rotated order. The rounding of sums of floats may depend on the
    /// algorithm (see [`co_sum_reproducible`](crate::co_sum_reproducible)). Integer overflow panics or wraps as `+` does in the
    /// same build.
    ///
    /// Elements are whatever travels and is added by `+`: numbers, complex numbers, and structs of them. `derive(coarray::Add)`
    /// makes the addition of a struct, so that values of several types are added at once.
    ///
    /// The sums are where the values were. Those of a temporary, as in `co_sum(&mut f(x))`, are lost:
    /// [`co_sum_of`](crate::co_sum_of) returns them.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if an addition
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_sum;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let sums = run(4, || {
    ///     let mut x = [this_image() as i64, 1];
    ///     co_sum(&mut x);
    ///     x
    /// });
    /// assert_eq!(sums, [[6, 4]; 4]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_sum`.
    fn co_sum [V: ?Sized + ValuesMut] (values: &mut V) -> ()
    where [V::Element: Summand]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_sum;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_sum(&mut 1), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_sum` with `stat`, clause 16.6.
    fn try_co_sum

    |start| reduce(start, Operation::CoSum, values.elements_mut(), None, Add::add)
}

forms! {
    /// Collective. As [`co_sum`], but only image `root` gets the sums; the values of the others stay as they are.
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
    /// use coarray_collectives::co_sum_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let sums = run(4, || {
    ///     let mut x = this_image();
    ///     co_sum_to(&mut x, 2);
    ///     x
    /// });
    /// assert_eq!(sums, [0, 1, 6, 3]);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 8.2; Fortran 2018 `co_sum` with `result_image`.
    fn co_sum_to [V: ?Sized + ValuesMut] (values: &mut V, root: usize) -> ()
    where [V::Element: Summand]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_sum_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_sum_to(&mut 1, 0), Ok(())));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `co_sum` with `result_image` and `stat`, clause 16.6.
    fn try_co_sum_to

    |start| reduce(start, Operation::CoSumTo, values.elements_mut(), Some(root), Add::add)
}
