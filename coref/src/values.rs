//! The arguments of collectives: local memory that consists of elements, whatever its shape.

use crate::remote::Remote;
use crate::shape::Shape;

/// What collectives work on: a [`Remote`] value such as `f64` or `[[i32; 20]; 10]`, a slice, a vector, or a
/// closed coarray.
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
/// # Source
/// Its own.
#[diagnostic::on_unimplemented(
    message = "collectives do not work on `{Self}`",
    note = "they work on values that travel (numbers, arrays, derived structs), slices, vectors and closed coarrays"
)]
pub trait Values {
    /// The type of the elements.
    type Element: Remote;

    /// Local. All elements, in memory order.
    fn elements(&self) -> &[Self::Element];

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

    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self)
    }
}

impl<T: Remote> Values for [T] {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self)
    }

    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self)
    }
}

impl<T: Remote> Values for Vec<T> {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        Shape::elements(self.as_slice())
    }

    fn elements_mut(&mut self) -> &mut [T::Element] {
        Shape::elements_mut(self.as_mut_slice())
    }
}
