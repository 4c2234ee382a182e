//! Opening several coarrays at the price of one barrier.

use std::panic::Location;

use coarray_coref::{Remote, Shape};
use coarray_runtime::Operation;

use crate::coarray::Coarray;
use crate::grid::{HaloArray, OpenHaloArray};
use crate::nd_coarray::{NdCoarray, OpenNd};
use crate::open::Open;
use crate::ragged::{OpenRagged, Ragged};
use crate::storage::{Begun, Storage};

/// Something that opens: `&mut` to a [`Coarray`], a [`Ragged`], an [`NdCoarray`] or a [`HaloArray`].
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut row = Coarray::new([1, 2, 3]);
///     let mut tail = Ragged::from_fn(this_image(), |_| 4);
///     let (row, tail) = coarray::open((&mut row, &mut tail)); // both are `Openable`
///     assert_eq!((row.at(1)[2].get(), tail.at(1)[0].get()), (3, 4));
/// });
/// ```
///
/// # Source
/// As [`open`].
pub trait Openable: sealed::HasStorage {
    /// The guard of its open phase.
    type Guard;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn guard(self, begun: Begun, opened: &'static Location<'static>) -> Self::Guard;
}

/// Two to four things that open together.
///
/// # Examples
/// See [`open`].
///
/// # Source
/// As [`open`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not open together",
    label = "not a tuple of two to four `&mut` to coarrays",
    note = "for several coarrays: `let (a, b) = open((&mut a, &mut b));`",
    note = "for one coarray: `let a = a.open();`"
)]
pub trait OpenAll: sealed::Tuple {
    /// A guard for each.
    type Guards;

    #[doc(hidden)]
    fn open_together(self, opened: &'static Location<'static>) -> Self::Guards;
}

mod sealed {
    use crate::storage::Storage;

    #[allow(private_interfaces)]
    pub trait HasStorage {
        /// The storage that has the phase of the coarray. No phase is in progress.
        #[track_caller]
        fn storage(&self) -> &Storage;
    }

    pub trait Tuple {}
}

/// Collective. Opens several coarrays with one barrier: `let (a, b) = open((&mut a, &mut b));`.
///
/// Each closes when its guard is dropped; all images drop the guards in the same order.
///
/// # Panics
/// As [`Coarray::open`].
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let (mut a, mut b) = (Coarray::new(1), Coarray::new(2.5));
///     let (a, b) = coarray::open((&mut a, &mut b));
///     assert_eq!((a.at(1).get(), b.at(0).get()), (1, 2.5));
/// });
/// ```
///
/// # Source
/// As [`Coarray::open`]; Fortran 2018 allocates several coarrays with one synchronisation, clause 9.7.1.2.
#[track_caller]
pub fn open<C: OpenAll>(coarrays: C) -> C::Guards {
    coarrays.open_together(Location::caller())
}

#[allow(private_interfaces)]
impl<T: ?Sized + Shape<Item: Remote>> sealed::HasStorage for &mut Coarray<T> {
    fn storage(&self) -> &Storage {
        self.storage.private::<T>()
    }
}

impl<'a, T: ?Sized + Shape<Item: Remote>> Openable for &'a mut Coarray<T> {
    type Guard = Open<'a, T>;

    #[allow(private_interfaces)]
    fn guard(self, begun: Begun, opened: &'static Location<'static>) -> Open<'a, T> {
        Open::new(self, begun, opened)
    }
}

#[allow(private_interfaces)]
impl<T: Remote> sealed::HasStorage for &mut Ragged<T> {
    fn storage(&self) -> &Storage {
        self.private()
    }
}

impl<'a, T: Remote> Openable for &'a mut Ragged<T> {
    type Guard = OpenRagged<'a, T>;

    #[allow(private_interfaces)]
    fn guard(self, begun: Begun, opened: &'static Location<'static>) -> OpenRagged<'a, T> {
        OpenRagged::new(self, begun, opened)
    }
}

#[allow(private_interfaces)]
impl<T: Remote, const D: usize> sealed::HasStorage for &mut NdCoarray<T, D> {
    fn storage(&self) -> &Storage {
        self.private()
    }
}

impl<'a, T: Remote, const D: usize> Openable for &'a mut NdCoarray<T, D> {
    type Guard = OpenNd<'a, T, D>;

    #[allow(private_interfaces)]
    fn guard(self, begun: Begun, opened: &'static Location<'static>) -> OpenNd<'a, T, D> {
        OpenNd::new(self, begun, opened)
    }
}

#[allow(private_interfaces)]
impl<T: Remote, const D: usize> sealed::HasStorage for &mut HaloArray<T, D> {
    fn storage(&self) -> &Storage {
        self.private()
    }
}

impl<'a, T: Remote, const D: usize> Openable for &'a mut HaloArray<T, D> {
    type Guard = OpenHaloArray<'a, T, D>;

    #[allow(private_interfaces)]
    fn guard(self, begun: Begun, opened: &'static Location<'static>) -> OpenHaloArray<'a, T, D> {
        OpenHaloArray::new(self, begun, opened)
    }
}

macro_rules! tuples {
    ($($name:ident),+) => {
        impl<$($name: Openable),+> sealed::Tuple for ($($name,)+) {}

        #[diagnostic::do_not_recommend]
        impl<$($name: Openable),+> OpenAll for ($($name,)+) {
            type Guards = ($($name::Guard,)+);

            #[track_caller]
            #[allow(non_snake_case)]
            fn open_together(self, opened: &'static Location<'static>) -> Self::Guards {
                let ($($name,)+) = self;
                let begun = Storage::begin(Operation::Open, &[$($name.storage()),+], "", opened);
                ($($name.guard(begun, opened),)+)
            }
        }
    };
}

tuples!(A, B);
tuples!(A, B, C);
tuples!(A, B, C, D);
