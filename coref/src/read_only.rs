//! Places that an image may put to, seen as places that it may not.

use std::ptr;

use crate::access::{MayPut, ReadOnly};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::Shape;

impl<T, A: MayPut> Coref<T, A>
where
    T: ?Sized + Shape<Item: Remote>,
{
    /// Local. The same place, but whoever is given this can only get. Others may still put.
    ///
    /// # Examples
    /// A function that is called with places of open and of published coarrays, and changes neither:
    /// ```
    /// use coarray::places::ReadOnly;
    /// use coarray::prelude::*;
    ///
    /// fn mean(row: &Coref<[f64], ReadOnly>) -> f64 {
    ///     row.iter().map(Coref::get).sum::<f64>() / row.len() as f64
    /// }
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[f64]>::from_fn(10, |i| i as f64);
    ///     assert_eq!(mean(x.open().at(1)[..4].read_only()), 1.5);
    ///     assert_eq!(mean(&x.publish().at(1)[..4]), 1.5);
    /// });
    /// ```
    ///
    /// # Source
    /// `const_coref`, *Coarray C++* section 3.3.
    #[inline]
    #[must_use]
    pub fn read_only(&self) -> &Coref<T, ReadOnly> {
        // SAFETY: both types are transparent over `[()]`, so that the reference has the same address and length, and covers no
        // bytes. By the contract of `Coref::new` the owner holds no reference to a place that may be put to, and read-only access
        // asks for less. All else is the same for both.
        unsafe { &*(ptr::from_ref(self) as *const Coref<T, ReadOnly>) }
    }
}
