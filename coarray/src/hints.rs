//! Local uses of an open coarray, which are refused in words.

use std::ops::Index;
use std::slice;

use coarray_coref::{Remote, Shape};

use crate::nd_coarray::OpenNd;
use crate::open::Open;
use crate::ragged::{OpenRagged, OpenRaggedRows};

/// Of no guard: there is no local reference into an open coarray.
#[diagnostic::on_unimplemented(
    message = "an open coarray has no local references: other images may be writing to it",
    label = "this coarray is open",
    note = "this image's own part is reached as those of others are: `x.here()[0].get()`, `x.here()[0].put(v)`, `x.here().to_vec()`",
    note = "or close it first, on all images, with `x.close()`; or `publish` it instead, if nobody writes"
)]
pub trait LocallyUsed {
    fn never(&self) -> !;
}

#[doc(hidden)]
impl<T> Index<usize> for Open<'_, T>
where
    T: ?Sized + Shape<Item: Remote> + Index<usize>,
    Self: LocallyUsed,
{
    type Output = T::Output;

    fn index(&self, _index: usize) -> &T::Output {
        self.never()
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Open<'_, T> {
    #[doc(hidden)]
    pub fn iter(&self) -> slice::Iter<'_, <T::Item as Remote>::Element>
    where
        Self: LocallyUsed,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<T: Remote> Index<usize> for OpenRagged<'_, T>
where
    Self: LocallyUsed,
{
    type Output = T;

    fn index(&self, _index: usize) -> &T {
        self.never()
    }
}

impl<T: Remote> OpenRagged<'_, T> {
    #[doc(hidden)]
    pub fn iter(&self) -> slice::Iter<'_, T>
    where
        Self: LocallyUsed,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<T: Remote> Index<usize> for OpenRaggedRows<'_, T>
where
    Self: LocallyUsed,
{
    type Output = [T];

    fn index(&self, _row: usize) -> &[T] {
        self.never()
    }
}

impl<T: Remote> OpenRaggedRows<'_, T> {
    #[doc(hidden)]
    pub fn iter(&self) -> slice::Iter<'_, [T; 1]>
    where
        Self: LocallyUsed,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<T: Remote, I, const D: usize> Index<I> for OpenNd<'_, T, D>
where
    Self: LocallyUsed,
{
    type Output = T;

    fn index(&self, _index: I) -> &T {
        self.never()
    }
}

impl<T: Remote, const D: usize> OpenNd<'_, T, D> {
    #[doc(hidden)]
    pub fn iter(&self) -> slice::Iter<'_, T>
    where
        Self: LocallyUsed,
    {
        self.never()
    }
}
