//! Opening several coarrays at the price of one barrier.

use std::panic::Location;

use coarray_runtime::{ImageFailed, Incomplete, Operation};

use crate::owned::Owned;
use crate::phase::{Openable, OwnedOpen};
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

    pub trait Owned {}
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

/// Two to four things that open together, and go into their guards.
///
/// # Examples
/// See [`into_open`].
///
/// # Source
/// As [`into_open`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not open together",
    label = "not a tuple of two to four coarrays",
    note = "for several coarrays: `let (a, b) = into_open((a, b));`; to borrow them: `open((&mut a, &mut b))`",
    note = "for one coarray: `let a = a.into_open();`"
)]
pub trait IntoOpenAll: sealed::Owned + Sized {
    /// A guard for each, which has it.
    type Guards;

    #[doc(hidden)]
    fn open_together(
        self,
        opened: &'static Location<'static>,
    ) -> Result<Self::Guards, (Self, Incomplete)>;
}

/// Collective. Opens several coarrays with one barrier, each in a guard that has it: `let (a, b) = into_open((a, b));`.
///
/// For structs that keep several coarrays open. As [`open`], which borrows them; and as
/// [`into_open`](crate::places::Openable::into_open), of one.
///
/// # Panics
/// As [`open`].
///
/// # Examples
/// ```
/// use coarray::OwnedOpen;
/// use coarray::prelude::*;
///
/// struct Particles {
///     places: OwnedOpen<Coarray<[f64]>>,
///     speeds: OwnedOpen<Coarray<[f64]>>,
/// }
///
/// coarray::run(2, || {
///     let (places, speeds) = (Coarray::zeroed(10), Coarray::zeroed(10));
///     let (places, speeds) = coarray::into_open((places, speeds));
///     let particles = Particles { places, speeds };
///     particles.places.at(1 - this_image())[3].put(0.5);
///     let places = particles.places.close();
///     assert_eq!(places[3], 0.5);
/// });
/// ```
///
/// # Source
/// As [`open`].
#[track_caller]
pub fn into_open<C: IntoOpenAll>(coarrays: C) -> C::Guards {
    coarrays
        .open_together(Location::caller())
        .unwrap_or_else(|(_coarrays, incomplete)| incomplete.end_job())
}

/// Collective. As [`into_open`], but failed images do not end the job.
///
/// # Errors
/// The coarrays, which stay closed, and the images that have failed, the same on all others.
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
///     let coarrays = (Coarray::new(this_image()), Coarray::new(2.5));
///     if this_image() == 1 {
///         fail_image();
///     }
///     let ((a, _), failed) = coarray::try_into_open(coarrays).unwrap_err();
///     assert_eq!(failed.images, [1]);
///     *a // still this image's alone
/// });
/// assert_eq!(survivors.unwrap(), [0, 2]);
/// ```
///
/// # Source
/// As [`try_open`].
#[track_caller]
pub fn try_into_open<C: IntoOpenAll>(coarrays: C) -> Result<C::Guards, (C, ImageFailed)> {
    coarrays
        .open_together(Location::caller())
        .map_err(|(coarrays, incomplete)| (coarrays, incomplete.failed()))
}

macro_rules! tuples {
    ($($name:ident: $lifetime:lifetime),+) => {
        impl<$($name: Openable),+> sealed::Owned for ($($name,)+) {}

        #[diagnostic::do_not_recommend]
        impl<$($name: Openable + 'static),+> IntoOpenAll for ($($name,)+) {
            type Guards = ($(OwnedOpen<$name>,)+);

            #[track_caller]
            #[allow(non_snake_case)]
            fn open_together(
                self,
                opened: &'static Location<'static>,
            ) -> Result<Self::Guards, (Self, Incomplete)> {
                let ($($name,)+) = &self;
                let objects = [$($name.private()),+];
                let begun = match Storage::begin(Operation::Open, &objects, "", opened) {
                    Ok(begun) => begun,
                    Err(incomplete) => return Err((self, incomplete)),
                };
                let ($($name,)+) = self;
                // SAFETY: each guard has its coarray, and places of other images; nothing else refers to the coarray.
                Ok(unsafe { ($(Owned::new($name, |coarray| coarray.guard(begun, opened)),)+) })
            }
        }

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
