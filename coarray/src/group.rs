//! Opening several coarrays at the price of one barrier.

use std::panic::Location;

use coarray_runtime::{ImageFailed, Incomplete, Operation};

use crate::phase::Openable;
use crate::storage::Storage;

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
    fn open_together(self, opened: &'static Location<'static>) -> Result<Self::Guards, Incomplete>;
}

mod sealed {
    pub trait Tuple {}
}

/// Collective. Opens several coarrays with one barrier: `let (a, b) = open((&mut a, &mut b));`.
///
/// Each closes when its guard is dropped; all images drop the guards in the same order.
///
/// # Panics
/// As [`Coarray::open`](crate::Coarray::open).
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
/// As [`Coarray::open`](crate::Coarray::open); Fortran 2018 allocates several coarrays with one synchronisation, clause 9.7.1.2.
#[track_caller]
pub fn open<C: OpenAll>(coarrays: C) -> C::Guards {
    coarrays
        .open_together(Location::caller())
        .unwrap_or_else(|incomplete| incomplete.end_job())
}

/// Collective. As [`open`], but failed images do not end the job: `let (a, b) = try_open((&mut a, &mut b))?;`.
///
/// # Errors
/// The images that have failed, the same on all others; then all coarrays stay closed.
///
/// # Panics
/// As [`open`].
///
/// # Examples
/// ```
/// use coarray::failure::fail_image;
/// use coarray::prelude::*;
///
/// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
///     let (mut a, mut b) = (Coarray::new(this_image()), Coarray::new(2.5));
///     if this_image() == 1 {
///         fail_image();
///     }
///     assert_eq!(coarray::try_open((&mut a, &mut b)).unwrap_err().images, [1]);
///     *a // still this image's alone
/// });
/// assert_eq!(survivors.unwrap(), [0, 2]);
/// ```
///
/// # Source
/// As [`Coarray::try_open`](crate::Coarray::try_open).
#[track_caller]
pub fn try_open<C: OpenAll>(coarrays: C) -> Result<C::Guards, ImageFailed> {
    coarrays
        .open_together(Location::caller())
        .map_err(Incomplete::failed)
}

macro_rules! tuples {
    ($($name:ident: $lifetime:lifetime),+) => {
        impl<$($lifetime,)+ $($name: Openable),+> sealed::Tuple for ($(&$lifetime mut $name,)+) {}

        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)+ $($name: Openable),+> OpenAll for ($(&$lifetime mut $name,)+) {
            type Guards = ($($name::Guard<$lifetime>,)+);

            #[track_caller]
            #[allow(non_snake_case)]
            fn open_together(
                self,
                opened: &'static Location<'static>,
            ) -> Result<Self::Guards, Incomplete> {
                let ($($name,)+) = self;
                let begun = Storage::begin(Operation::Open, &[$($name.private()),+], "", opened)?;
                Ok(($($name.guard(begun, opened),)+))
            }
        }
    };
}

tuples!(A: 'a, B: 'b);
tuples!(A: 'a, B: 'b, C: 'c);
tuples!(A: 'a, B: 'b, C: 'c, D: 'd);
