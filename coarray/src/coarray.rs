//! The coarray and its local access.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use coarray_coref::{Coref, LeavesItsThread, Remote, Shape, Shared, Values, ValuesMut};

use crate::storage::Storage;

/// One `T` on every image, at the same place of each image's memory.
///
/// Locally a coarray *is* its `T`: it dereferences to it, with plain loads and stores. To let other
/// images get and put, all images [`open`](Self::open) it, or [`publish`](Self::publish) it for reading
/// only; while it is closed, every image is alone with its own part. A coarray of [`Shared`] values, such
/// as coatomics, needs no opening: [`at`](Self::at) reaches them at any time.
///
/// `T` is a [`Remote`] value, an array of such, or `[T]`, whose leading extent is known at run time only.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
///     x[1][2] = this_image() as i32; // local: a plain store
///     let x = x.open(); // from here on, other images may reach x
///     let right = (this_image() + 1) % num_images();
///     assert_eq!(x.at(right)[1][2].get(), right as i32);
///     x.at(right)[3][4].put(42);
/// }); // drop: x is complete and private again
/// ```
///
/// Creating a coarray is collective; dropping it is not: its memory is used again once every image has
/// dropped it.
///
/// # Source
/// *Coarray C++* section 3.1.
#[repr(transparent)]
pub struct Coarray<T: ?Sized> {
    pub(crate) storage: Storage,
    pub(crate) shape: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + LeavesItsThread> Send for Coarray<T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + LeavesItsThread> Sync for Coarray<T> {}

impl<T: ?Sized + Shape> Coarray<T> {
    #[inline]
    pub(crate) fn extent(&self) -> usize {
        self.storage.extent::<T>()
    }

    /// This image's part, whatever its phase.
    #[inline]
    pub(crate) fn pointer(&self) -> *mut T {
        T::pointer(self.storage.address().as_ptr(), self.extent())
    }
}

impl<T: ?Sized + Shape> Deref for Coarray<T> {
    type Target = T;

    /// # Panics
    /// If the guard of an open phase was leaked; or if a smaller coarray was assigned to this one, through a mutable reference
    /// to another shape of it.
    #[inline]
    #[track_caller]
    fn deref(&self) -> &T {
        self.storage.private::<T>();
        // SAFETY: the block is this image's part: aligned, allocated while `self` lives, and initialised by the constructors;
        // `private` checked that it is long enough for a `T`. No other image may reach it, but through the atomic operations of
        // a `Shared` type. So only borrows of `self` alias it.
        unsafe { &*self.pointer() }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> DerefMut for Coarray<T> {
    /// # Panics
    /// As [`deref`](Self::deref).
    #[inline]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        self.storage.private::<T>();
        // SAFETY: the block is aligned, allocated, initialised and long enough, as in `deref`. No other image may reach it: the
        // items are `Remote`, so they are not `Shared`. `self` is borrowed exclusively, so nothing on this image aliases it.
        unsafe { &mut *self.pointer() }
    }
}

impl<T: ?Sized + Shape> Coarray<T> {
    /// Local. The part of image `image`, to be used at once: for coarrays of [`Shared`] values, which are always open.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let counter = Coarray::new(Coatomic::new(0i64));
    ///     counter.at(0).fetch_add(this_image() as i64);
    ///     sync_all();
    ///     assert_eq!(counter.at(0).load(), 6);
    /// });
    /// ```
    ///
    /// # Source
    /// `x(image)`, *Coarray C++* section 3.3.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<T>
    where
        T::Item: Shared,
    {
        // SAFETY: every image's part was initialised before any image returned from the creation, lives until all images have
        // dropped the coarray, and is accessed by shared reference only, as the items are `Shared`.
        unsafe { self.storage.places().at(image, self.storage.team()) }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Values for Coarray<T> {
    type Element = <T::Item as Remote>::Element;

    fn elements(&self) -> &[Self::Element] {
        Shape::elements(&**self)
    }
}

impl<T: ?Sized + Shape<Item: Remote>> ValuesMut for Coarray<T> {
    fn elements_mut(&mut self) -> &mut [Self::Element] {
        Shape::elements_mut(&mut **self)
    }
}

/// As its `T`; but after a guard was leaked, other images may be writing the values, which are not shown.
impl<T: ?Sized + Shape + fmt::Debug> fmt::Debug for Coarray<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.storage.is_in_phase() {
            return write!(formatter, "Coarray<{}>, still open", type_name::<T>());
        }
        (**self).fmt(formatter)
    }
}
