//! Exchanges of several arrays at once.

use std::panic::Location;

use coarray_coref::Remote;

use super::halo::Exchange;
use super::halo_array::HaloArray;

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

    pub trait Sealed {
        /// The first half of an exchange of everything.
        fn start_all(&mut self, caller: &'static Location<'static>);

        /// The second half.
        fn finish_all(&mut self);
    }
}

impl<T: Remote, const D: usize> sealed::Sealed for HaloArray<T, D> {
    fn start_all(&mut self, caller: &'static Location<'static>) {
        self.start(&Exchange::all(), caller);
    }

    fn finish_all(&mut self) {
        self.settle();
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
    let caller = Location::caller();
    for array in &mut *arrays {
        array.start_all(caller);
    }
    for array in arrays {
        array.finish_all();
    }
}
