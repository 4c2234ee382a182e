//! Exchanges of several arrays at once.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::ImageFailed;

use super::halo::Exchange;
use super::halo_array::HaloArray;
use super::missing::Unfinished;

/// A [`HaloArray`] of whatever type and dimension, for [`exchange_many`].
///
/// # Examples
/// See [`exchange_many`].
///
/// # Source
/// As [`exchange_many`].
pub trait AnyHaloArray: sealed::Sealed {}

impl<T: Remote, const D: usize> AnyHaloArray for HaloArray<T, D> {}

mod sealed {
    use std::panic::Location;

    use super::Unfinished;

    #[allow(private_interfaces)]
    pub trait Sealed {
        /// The first half of an exchange of everything.
        fn start_all(&mut self, caller: &'static Location<'static>) -> Result<(), Unfinished>;

        /// The second half, if there is one left.
        fn finish_all(&mut self) -> Result<(), Unfinished>;

        fn end_job(&self, unfinished: &Unfinished) -> !;
    }
}

#[allow(private_interfaces)]
impl<T: Remote, const D: usize> sealed::Sealed for HaloArray<T, D> {
    fn start_all(&mut self, caller: &'static Location<'static>) -> Result<(), Unfinished> {
        self.try_start(&Exchange::all(), caller)
    }

    fn finish_all(&mut self) -> Result<(), Unfinished> {
        match self.is_abandoned.get() {
            true => Ok(()),
            false => self.finish(),
        }
    }

    fn end_job(&self, unfinished: &Unfinished) -> ! {
        self.end_job(unfinished)
    }
}

/// Collective. [Exchanges](HaloArray::exchange) the halos of several arrays at once, which waits less than one exchange after
/// another. All images pass the same arrays in the same order.
///
/// # Panics
/// If a panic has broken off an earlier exchange of one of the arrays.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid, exchange_many};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let blocks = Blocks::new([10, 10], ImageGrid::balanced()).unwrap();
///     let mut heat = HaloArray::filled(&blocks, 1, 0.5).unwrap();
///     let mut phase = HaloArray::filled(&blocks, 2, 1u8).unwrap();
///     heat.interior_mut().fill(this_image() as f64);
///     phase.interior_mut().fill(this_image() as u8);
///     exchange_many(&mut [&mut heat, &mut phase]);
///     let row = if this_image() == 0 { 6 } else { 0 }; // the other image's
///     assert_eq!(heat.local()[[row, 5]], (1 - this_image()) as f64);
/// });
/// ```
///
/// # Source
/// `reflect (a, b)`, Murai and Sato, PGAS 2013, section 2.3.2.
#[track_caller]
pub fn exchange_many(arrays: &mut [&mut dyn AnyHaloArray]) {
    exchange(arrays, Location::caller())
        .unwrap_or_else(|(array, unfinished)| arrays[array].end_job(&unfinished));
}

/// Collective. As [`exchange_many`], but failed images do not end the job.
///
/// # Errors
/// As [`HaloArray::try_exchange`], for any of the arrays: each of which the halo was not filled is as after an error there. The others were exchanged.
///
/// # Panics
/// As [`exchange_many`]; or if an earlier exchange of one of the arrays had an error.
///
/// # Examples
/// ```
/// use coarray::failure::fail_image;
/// use coarray::grid::{Blocks, HaloArray, ImageGrid, try_exchange_many};
/// use coarray::prelude::*;
///
/// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
///     let blocks = Blocks::new([12], ImageGrid::new([3]).unwrap()).unwrap();
///     let mut heat = HaloArray::filled(&blocks, 1, 0.5).unwrap();
///     let mut phase = HaloArray::filled(&blocks, 2, this_image()).unwrap();
///     if this_image() == 1 {
///         fail_image();
///     }
///     let failed = try_exchange_many(&mut [&mut heat, &mut phase]).unwrap_err();
///     (failed.images, phase.interior()[0]) // the own cells are there
/// });
/// assert_eq!(survivors.unwrap(), [(vec![1], 0), (vec![1], 2)]);
/// ```
///
/// # Source
/// As [`exchange_many`]; failed images as in Fortran 2018, clause 11.6.11.
#[track_caller]
pub fn try_exchange_many(arrays: &mut [&mut dyn AnyHaloArray]) -> Result<(), ImageFailed> {
    exchange(arrays, Location::caller()).map_err(|(_, unfinished)| unfinished.failed)
}

/// Exchanges all arrays, as far as the images that are left can: others wait for the cells of this one.
///
/// # Errors
/// The last array that could not be exchanged, for which the most failed images are known.
#[track_caller]
fn exchange(
    arrays: &mut [&mut dyn AnyHaloArray],
    caller: &'static Location<'static>,
) -> Result<(), (usize, Unfinished)> {
    let mut result = Ok(());
    for (number, array) in arrays.iter_mut().enumerate() {
        if let Err(unfinished) = array.start_all(caller) {
            result = Err((number, unfinished));
        }
    }
    for (number, array) in arrays.iter_mut().enumerate() {
        if let Err(unfinished) = array.finish_all() {
            result = Err((number, unfinished));
        }
    }
    result
}
