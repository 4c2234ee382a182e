//! Scans: for each image, the values of all images up to it combined, in the order of the images.

mod eager;
mod flat;
mod scheduled;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, ValuesMut};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::collective::{CallFailed, Start, forms};
use crate::epoch::{Epoch, capacity, chunks};
use crate::schedule;

forms! {
    /// Collective. Combines the values of the images up to this one with `operation`, element by element: image `i` gets
    /// the combination of those of images `0 ..= i`.
    ///
    /// `operation` must be associative and the same on all images. It is applied in the order of the images, so it
    /// need not be commutative.
    ///
    /// No image leaves before those before it have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_scan;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let sums = run(4, || {
    ///     let mut x = [this_image(), 1];
    ///     co_scan(&mut x, |a, b| a + b);
    ///     x
    /// });
    /// assert_eq!(sums, [[0, 1], [1, 2], [3, 3], [6, 4]]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.11.1, `MPI_Scan`.
    fn co_scan [V: ?Sized + ValuesMut] (
        values: &mut V,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_scan;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_scan(&mut 1, |a, b| a * b), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_scan`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_scan

    |start| scan(start, Operation::CoScan, values.elements_mut(), None, operation)
}

forms! {
    /// Collective. Combines the values of the images before this one with `operation`, element by element: image 0 gets
    /// `initial`, and image `i` the combination of `initial` and then the values of images `0 .. i`.
    ///
    /// `operation` must be associative and the same on all images, and so should be `initial`: every image
    /// uses its own. It is applied in the order of the images, so it need not be commutative.
    ///
    /// No image leaves before those before it have entered; nothing else is synchronised.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// Where each image's part begins in a common sequence:
    /// ```
    /// use coarray_collectives::co_exscan;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let lengths = [10, 20, 5, 1];
    /// let starts = run(4, || {
    ///     let mut start = lengths[this_image()];
    ///     co_exscan(&mut start, 0, |a, b| a + b);
    ///     start
    /// });
    /// assert_eq!(starts, [0, 10, 30, 35]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.11.2, `MPI_Exscan`, where image 0 gets nothing.
    fn co_exscan [V: ?Sized + ValuesMut] (
        values: &mut V,
        initial: V::Element,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_exscan;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_exscan(&mut 1, 0, |a, b| a + b), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_exscan`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_exscan

    |start| scan(start, Operation::CoExscan, values.elements_mut(), Some(initial), operation)
}

#[track_caller]
pub(crate) fn scan<T: Remote>(
    start: &Start,
    operation: Operation,
    values: &mut [T],
    initial: Option<T>,
    operator: impl Fn(T, T) -> T,
) -> Result<(), CallFailed> {
    let call = start.call::<T>(operation, values.len(), None);
    let algorithm = start.algorithm(Kind::Scan, size_of_val(values));
    let scan = Scan {
        team: &start.team,
        initial,
        operator,
    };
    if algorithm == Algorithm::Eager {
        scan.eager(start, &call, values);
        return Ok(());
    }
    scan.run(&call, algorithm, values)
        .map_err(CallFailed::from(&call))
}

/// A scan.
struct Scan<'a, T, F> {
    team: &'a Team,
    /// The initial value of an exclusive scan; none for an inclusive one.
    initial: Option<T>,
    operator: F,
}

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    fn run(&self, call: &Call, algorithm: Algorithm, values: &mut [T]) -> Result<(), ImageFailed> {
        let regions = schedule::scan_regions(algorithm, self.team.images());
        // With large elements and many images a buffer has no room for more than one region.
        let (algorithm, most) = match capacity::<T>() / regions {
            0 => (Algorithm::Flat, capacity::<T>()),
            most => (algorithm, most),
        };
        if algorithm != Algorithm::Flat {
            return self.scheduled(call, algorithm, most, values);
        }
        // Images write a piece while others read the one before, which is still in a cache then.
        for (number, chunk) in chunks(values, most.div_ceil(2)).enumerate() {
            self.flat(Epoch::begin(self.team, call, number), chunk)?;
        }
        Ok(())
    }
}
