//! The smallest and the largest values of all images, element by element, and where they are.

mod located;

use coarray_coref::ValuesMut;
use coarray_runtime::Operation;

use crate::collective::{CallFailed, Start, forms};
use crate::minmax::{is_larger, is_smaller};
use crate::reduce::reduce;

pub(crate) use located::{Located, located, separate};

forms! {
    /// Collective. The smallest of all images' values, element by element, and beside each the place that came with it, on every
    /// image.
    ///
    /// `places` has one element for each of `values`: the number of the image, an index, a struct of both.
    /// A value that is not comparable with itself, NaN, counts as the smallest of all, as in [`co_min`](crate::co_min). Of
    /// equal values that of the lowest image is taken, with its place, unless the caller chooses
    /// [`Algorithm::Ring`](crate::Algorithm::Ring), which no built-in choice does.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min_loc;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(4, || {
    ///     let (mut height, mut image) = ([3.0, 7.5, 7.5, 1.0][this_image()], this_image());
    ///     co_min_loc(&mut height, &mut image);
    ///     (height, image)
    /// });
    /// assert_eq!(found, [(1.0, 3); 4]);
    /// ```
    ///
    /// # Source
    /// `MPI_MINLOC`, MPI 3.1 section 5.9.4.
    fn co_min_loc [V: ?Sized + ValuesMut, P: ?Sized + ValuesMut] (values: &mut V, places: &mut P) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min_loc;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min_loc(&mut 1.5, &mut 7), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_min_loc`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_min_loc

    |start| locate(start, Operation::CoMinLoc, values, places, None, is_smaller)
}

forms! {
    /// Collective. As [`co_min_loc`], but only image `root` gets the results; the values and places of the others stay as they
    /// are.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, or there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_min_loc_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let (mut value, mut image) = (5 + this_image() % 2, this_image());
    ///     co_min_loc_to(&mut value, &mut image, 2);
    ///     (value, image)
    /// });
    /// assert_eq!(found, [(5, 0), (6, 1), (5, 0)]);
    /// ```
    ///
    /// # Source
    /// `MPI_MINLOC`, MPI 3.1 section 5.9.4.
    fn co_min_loc_to [V: ?Sized + ValuesMut, P: ?Sized + ValuesMut] (
        values: &mut V,
        places: &mut P,
        root: usize
    ) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_min_loc_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_min_loc_to(&mut 1.5, &mut 7, 0), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_min_loc_to`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_min_loc_to

    |start| locate(start, Operation::CoMinLocTo, values, places, Some(root), is_smaller)
}

forms! {
    /// Collective. The largest of all images' values, element by element, and beside each the place that came with it, on every
    /// image.
    ///
    /// `places` has one element for each of `values`: the number of the image, an index, a struct of both.
    /// A value that is not comparable with itself, NaN, counts as the largest of all, as in [`co_max`](crate::co_max). Of
    /// equal values that of the lowest image is taken, with its place, unless the caller chooses
    /// [`Algorithm::Ring`](crate::Algorithm::Ring), which no built-in choice does.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max_loc;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(4, || {
    ///     let (mut height, mut image) = ([3.0, 7.5, 7.5, 1.0][this_image()], this_image());
    ///     co_max_loc(&mut height, &mut image);
    ///     (height, image)
    /// });
    /// assert_eq!(found, [(7.5, 1); 4]);
    /// ```
    ///
    /// # Source
    /// `MPI_MAXLOC`, MPI 3.1 section 5.9.4.
    fn co_max_loc [V: ?Sized + ValuesMut, P: ?Sized + ValuesMut] (values: &mut V, places: &mut P) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max_loc;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max_loc(&mut 1.5, &mut 7), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_max_loc`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_max_loc

    |start| locate(start, Operation::CoMaxLoc, values, places, None, is_larger)
}

forms! {
    /// Collective. As [`co_max_loc`], but only image `root` gets the results; the values and places of the others stay as they
    /// are.
    ///
    /// `root` does not leave before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `root` is no image, or there are not as many places as values.
    ///
    /// The job ends with a report if images call it with different types, lengths or roots, or have failed, and if a comparison
    /// panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_max_loc_to;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let found = run(3, || {
    ///     let (mut value, mut image) = (5 + this_image() % 2, this_image());
    ///     co_max_loc_to(&mut value, &mut image, 2);
    ///     (value, image)
    /// });
    /// assert_eq!(found, [(5, 0), (6, 1), (6, 1)]);
    /// ```
    ///
    /// # Source
    /// `MPI_MAXLOC`, MPI 3.1 section 5.9.4.
    fn co_max_loc_to [V: ?Sized + ValuesMut, P: ?Sized + ValuesMut] (
        values: &mut V,
        places: &mut P,
        root: usize
    ) -> ()
    where [V::Element: PartialOrd]

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_max_loc_to;
    /// use coarray_launch::run;
    ///
    /// run(3, || assert_eq!(try_co_max_loc_to(&mut 1.5, &mut 7, 0), Ok(())));
    /// ```
    ///
    /// # Source
    /// As [`co_max_loc_to`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_max_loc_to

    |start| locate(start, Operation::CoMaxLocTo, values, places, Some(root), is_larger)
}

/// Finds the value for which `is_better`, which says whether the first of two is taken, and its place.
#[track_caller]
pub(crate) fn locate<V, P>(
    start: &Start,
    operation: Operation,
    values: &mut V,
    places: &mut P,
    root: Option<usize>,
    is_better: impl Fn(&V::Element, &V::Element) -> bool,
) -> Result<(), CallFailed>
where
    V: ?Sized + ValuesMut,
    P: ?Sized + ValuesMut,
{
    let mut all = located(operation, values, places);
    let choose = |first, second| Located::choose(first, second, &is_better);
    reduce(start, operation, &mut all, root, choose)?;
    separate(&all, values, places);
    Ok(())
}
