//! `+=` at a place on another image, which is refused in words.

use std::convert::Infallible;
use std::ops::AddAssign;

use crate::access::Access;
use crate::coref::Coref;

/// Of nothing that programs have: `+=` would be a get and a put, between which others could put.
#[diagnostic::on_unimplemented(
    message = "there is no `+=` for a place on another image",
    label = "cannot be added to a place",
    note = "a coatomic is changed as a whole: `x.at(image)[0].add(1)`, or `fetch_add(1)`",
    note = "a plain value of an open coarray, too: `x.at(image)[0].as_atomic().add(1)`"
)]
pub trait Addend {}

// Of one type alone, the compiler would take a number to be that type.
#[diagnostic::do_not_recommend]
impl Addend for Infallible {}
#[diagnostic::do_not_recommend]
impl Addend for &Infallible {}

#[doc(hidden)]
impl<T: ?Sized, A: Access, R: Addend> AddAssign<R> for Coref<T, A> {
    fn add_assign(&mut self, _other: R) {}
}
