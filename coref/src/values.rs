//! The arguments of collectives: local memory that consists of elements, whatever its shape.

use crate::remote::Remote;
use crate::shape::Shape;

/// What collectives work on: a [`Remote`] value such as `f64` or `[[i32; 20]; 10]`, a slice, a vector, an array or view of
/// `ndarray` in standard layout, or a closed coarray. What they leave results in is [`ValuesMut`].
///
/// # Examples
/// A program's own collective, for all arguments that those of the library take:
/// ```
/// use coarray::places::Values;
/// use coarray::prelude::*;
///
/// /// The largest absolute value of all images.
/// fn co_norm<V: Values<Element = f64> + ?Sized>(values: &V) -> f64 {
///     let mut norm = values.elements().iter().fold(0.0, |norm: f64, x| norm.max(x.abs()));
///     co_max(&mut norm);
///     norm
/// }
///
/// coarray::run(3, || {
///     assert_eq!(co_norm(&[[this_image() as f64, -5.0]; 2]), 5.0);
///     assert_eq!(co_norm(&vec![this_image() as f64]), 2.0);
///     assert_eq!(co_norm(&Coarray::<[f64]>::zeroed(4)), 0.0);
/// });
/// ```
///
/// Arrays and views of `ndarray` take part where they are, if their elements are one after the other, row by row. Otherwise
/// that is a panic, which names the layout; pass a copy then:
/// ```
/// use coarray::collectives::co_allgatherv;
/// use coarray::ndarray::{Array2, s};
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut field = Array2::from_elem((4, 5), this_image() as f64);
///     co_sum(&mut field);
///     assert_eq!(field[[3, 4]], 3.0);
///     co_max(&mut field.slice_mut(s![1..3, ..])); // whole rows
///     let columns = field.t();
///     assert_eq!(co_allgatherv(&columns.as_standard_layout())[2].len(), 20);
/// });
/// ```
///
/// # Source
/// Its own.
#[diagnostic::on_unimplemented(
    message = "collectives do not work on `{Self}`",
    note = "they work on values that travel (numbers, arrays, derived structs), slices, vectors, ndarray's arrays and closed coarrays"
)]
pub trait Values {
    /// The type of the elements.
    type Element: Remote;

    /// Local. All elements, in memory order.
    fn elements(&self) -> &[Self::Element];
}

/// [`Values`] that collectives change: all but views that only read.
///
/// # Examples
/// A program's own collective, which leaves its results in its argument:
/// ```
/// use coarray::places::ValuesMut;
/// use coarray::prelude::*;
///
/// /// The mean of all images, element by element.
/// fn co_mean<V: ValuesMut<Element = f64> + ?Sized>(values: &mut V) {
///     co_sum(values);
///     values.elements_mut().iter_mut().for_each(|sum| *sum /= num_images() as f64);
/// }
///
/// coarray::run(3, || {
///     let mut x = [this_image() as f64, 5.0];
///     co_mean(&mut x);
///     assert_eq!(x, [1.0, 5.0]);
/// });
/// ```
///
/// # Source
/// Its own.
#[diagnostic::on_unimplemented(
    message = "collectives cannot leave results in `{Self}`",
    note = "they change values that travel (numbers, arrays, derived structs), slices, vectors, ndarray's arrays and closed coarrays"
)]
pub trait ValuesMut: Values {
    /// Local. All elements, in memory order.
    fn elements_mut(&mut self) -> &mut [Self::Element];
}

// Without this the compiler would report that `T` cannot travel, and not say what collectives work on.
#[diagnostic::do_not_recommend]
impl<T: Remote> Values for T {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Remote> ValuesMut for T {
    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self)
    }
}

impl<T: Remote> Values for [T] {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self)
    }
}

impl<T: Remote> ValuesMut for [T] {
    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self)
    }
}

impl<T: Remote> Values for Vec<T> {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self.as_slice())
    }
}

impl<T: Remote> ValuesMut for Vec<T> {
    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self.as_mut_slice())
    }
}
