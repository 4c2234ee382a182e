//! Arrays and views of `ndarray` as arguments of collectives: where their elements are, without a copy.

use ndarray::{ArrayBase, ArrayRef, Data, DataMut, Dimension};

use crate::remote::Remote;
use crate::shape::Shape;
use crate::values::{Values, ValuesMut};

/// # Panics
/// If the array is not in standard layout.
impl<T: Remote, D: Dimension> Values for ArrayRef<T, D> {
    type Element = T::Element;

    #[track_caller]
    fn elements(&self) -> &[T::Element] {
        match self.as_slice() {
            Some(items) => Shape::elements(items),
            None => refuse(self.shape(), self.strides()),
        }
    }
}

/// # Panics
/// If the array is not in standard layout.
impl<T: Remote, D: Dimension> ValuesMut for ArrayRef<T, D> {
    #[track_caller]
    fn elements_mut(&mut self) -> &mut [T::Element] {
        if !self.is_standard_layout() {
            refuse(self.shape(), self.strides());
        }
        let items = self.as_slice_mut();
        Shape::elements_mut(items.expect("an array in standard layout is a slice"))
    }
}

/// # Panics
/// If the array or view is not in standard layout.
impl<S: Data<Elem: Remote>, D: Dimension> Values for ArrayBase<S, D> {
    type Element = <S::Elem as Remote>::Element;

    #[track_caller]
    fn elements(&self) -> &[Self::Element] {
        (**self).elements()
    }
}

/// # Panics
/// If the array or view is not in standard layout.
impl<S: DataMut<Elem: Remote>, D: Dimension> ValuesMut for ArrayBase<S, D> {
    #[track_caller]
    fn elements_mut(&mut self) -> &mut [Self::Element] {
        (**self).elements_mut()
    }
}

#[cold]
#[track_caller]
fn refuse(shape: &[usize], strides: &[isize]) -> ! {
    panic!(
        "an array with shape {shape:?} and strides {strides:?} is not in standard layout: collectives work on elements that \
         are one after the other, row by row; pass a copy, which its method `as_standard_layout()` makes"
    )
}
