//! What has a part on each image of a team, and the parts by the coordinates of their images in a grid.

use std::fmt;

use coarray_coref::{Coref, ReadOnly, Region, Remote, Shape, Shared};
use coarray_runtime::Team;

use crate::coarray::Coarray;
use crate::grid::{ImageGrid, OpenHaloArray};
use crate::nd_coarray::{OpenNd, PublishedNd};
use crate::open::Open;
use crate::owned::Owned;
use crate::publish::Published;
use crate::ragged::{OpenRagged, OpenRaggedRows, PublishedRagged, PublishedRaggedRows, RaggedPart};

/// What has a part on each image of a team that others may reach: references to the guards of open and of published coarrays, of
/// any length and any number of dimensions, and to closed coarrays of [`Shared`] values.
///
/// # Examples
/// A function that takes any of them:
/// ```
/// use coarray::places::Access;
/// use coarray::prelude::*;
///
/// fn total<'a, A: Access>(x: impl Parts<Part = &'a Coref<[f64], A>>) -> f64 {
///     (0..num_images()).map(|image| x.part(image).iter().map(Coref::get).sum::<f64>()).sum()
/// }
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[f64]>::from_fn(2, |_| 0.5);
///     assert_eq!(total(&x.open()), 3.0);
///     assert_eq!(total(&x.publish()), 3.0);
///     let mut tail = Ragged::from_fn(this_image(), |_| 1.5);
///     assert_eq!(total(&tail.open()), 4.5);
/// });
/// ```
///
/// # Source
/// Its own.
#[diagnostic::on_unimplemented(
    message = "other images cannot reach the parts of `{Self}`",
    label = "this is neither open nor published",
    note = "open the coarray for all images: `let x = x.open();`"
)]
pub trait Parts: Copy + sealed::InTeam {
    /// The part of an image: a reference to a [`Coref`], a [`Region`], or a [`RaggedPart`].
    type Part;

    /// Local. The part of image `image`, as `at` of each of these types gives it.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`Parts`].
    #[must_use]
    #[track_caller]
    fn part(self, image: usize) -> Self::Part;

    /// Local. The parts by the coordinates of their images in `grid`, which the team of the coarray has made.
    ///
    /// # Panics
    /// If the grid is of another team: its numbers would name other images.
    ///
    /// # Examples
    /// A row of images adds up what its images have, on its first:
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap();
    ///     let sums = Coarray::new(Coatomic::new(0));
    ///     let [row, _] = grid.coordinates();
    ///     sums.on(&grid).at([row, 0]).add(this_image());
    ///     sync_all();
    ///     assert_eq!(sums.on(&grid).at([1, 0]).load(), 3 + 4 + 5);
    /// });
    /// ```
    ///
    /// # Source
    /// Image selectors with several cosubscripts, `x[i, j]`, Fortran 2018 clause 9.6.
    #[inline]
    #[must_use]
    #[track_caller]
    fn on<const D: usize>(self, grid: &ImageGrid<D>) -> OnGrid<'_, Self, D> {
        let team = self.team();
        // In a grid of another job the first team has the same key.
        if grid.team() != team.key() || grid.images() != team.images() {
            of_another_team(grid.images(), team.images());
        }
        OnGrid { parts: self, grid }
    }
}

/// As in [`Parts`], so that the compiler says of a closed coarray what to do.
impl<T: ?Sized + Shape> Coarray<T> {
    /// Local. The parts by the coordinates of their images in `grid`, as [`Parts::on`]: for coarrays of [`Shared`] values, which are
    /// always open.
    ///
    /// # Panics
    /// If the grid is of another team.
    ///
    /// # Examples
    /// See [`Parts::on`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn on<'a, 'g, const D: usize>(&'a self, grid: &'g ImageGrid<D>) -> OnGrid<'g, &'a Self, D>
    where
        T::Item: Shared,
    {
        Parts::on(self, grid)
    }
}

pub(crate) mod sealed {
    use coarray_runtime::Team;

    pub trait InTeam {
        /// The team whose images have the parts.
        fn team<'t>(self) -> &'t Team
        where
            Self: 't;
    }
}

/// The parts of an open or published coarray by the coordinates of their images; made by [`Parts::on`].
///
/// # Examples
/// Each image shows its neighbours on a torus what it has:
/// ```
/// use coarray::grid::ImageGrid;
/// use coarray::prelude::*;
///
/// coarray::run(6, || {
///     let grid = ImageGrid::new([2, 3]).unwrap().with_periodic([true; 2]);
///     let mut seen = Coarray::<[usize; 2]>::zeroed();
///     {
///         let seen = seen.open();
///         let seen = seen.on(&grid);
///         seen.neighbour([0, 1]).unwrap()[0].put(this_image());
///         seen.neighbour([1, 0]).unwrap()[1].put(this_image());
///     }
///     let [row, column] = grid.coordinates();
///     assert_eq!(*seen, [grid.image_at([row, (column + 2) % 3]), grid.image_at([1 - row, column])]);
/// });
/// ```
///
/// # Source
/// Coarrays of several codimensions, Fortran 2018 clause 8.5.6.
#[derive(Clone, Copy)]
pub struct OnGrid<'g, X, const D: usize> {
    parts: X,
    grid: &'g ImageGrid<D>,
}

impl<X: Parts, const D: usize> OnGrid<'_, X, D> {
    /// Local. The part of the image with these coordinates.
    ///
    /// # Panics
    /// If there is none: the message names coordinates, extents and the number of images.
    ///
    /// # Examples
    /// See [`Parts::on`].
    ///
    /// # Source
    /// As [`Parts::on`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, coordinates: [usize; D]) -> X::Part {
        self.parts.part(self.grid.image_at(coordinates))
    }

    /// Local. The part of the image with these coordinates; none if there is no such image, as at the end of a last row that is
    /// not full.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(5, || {
    ///     let grid = ImageGrid::in_rows_of(3).unwrap();
    ///     let mut x = Coarray::new(this_image());
    ///     let x = x.open();
    ///     let column = (0..2).filter_map(|row| x.on(&grid).try_at([row, 2]));
    ///     assert!(column.map(Coref::get).eq([2])); // number 5 would be below
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Parts::on`]; `IMAGE_INDEX` is 0 then, Fortran 2018 clause 16.9.97.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn try_at(&self, coordinates: [usize; D]) -> Option<X::Part> {
        let image = self.grid.image_index(coordinates)?;
        Some(self.parts.part(image))
    }

    /// Local. The part of the image that lies `offset` away from this one in the grid; none if the grid ends before.
    ///
    /// # Examples
    /// See [`OnGrid`].
    ///
    /// # Source
    /// As [`ImageGrid::neighbour`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn neighbour(&self, offset: [isize; D]) -> Option<X::Part> {
        let image = self.grid.neighbour(offset)?;
        Some(self.parts.part(image))
    }
}

impl<X, const D: usize> fmt::Debug for OnGrid<'_, X, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("OnGrid");
        text.field("grid", &self.grid).finish_non_exhaustive()
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn of_another_team(in_grid: usize, in_coarray: usize) -> ! {
    panic!(
        "an image grid of {in_grid} images, made in another team, does not say where the {in_coarray} images of this coarray are; \
         make the grid in the team in which the coarray was created"
    )
}

macro_rules! parts {
    ($([$($generics:tt)*] $type:ty, $part:ty, |$parts:ident| $team:expr;)*) => { $(
        impl<$($generics)*> sealed::InTeam for &'a $type {
            #[inline]
            fn team<'t>(self) -> &'t Team
            where
                Self: 't,
            {
                let $parts = self;
                $team
            }
        }

        impl<$($generics)*> Parts for &'a $type {
            type Part = $part;

            #[inline]
            #[track_caller]
            fn part(self, image: usize) -> $part {
                self.at(image)
            }
        }
    )* };
}

parts! {
    ['a, T: ?Sized + Shape<Item: Shared>] Coarray<T>, &'a Coref<T>, |x| x.storage.team();
    ['a, T: ?Sized + Shape<Item: Remote>] Open<'_, T>, &'a Coref<T>, |x| x.phase.team();
    ['a, T: ?Sized + Shape<Item: Remote>] Published<'_, T>, &'a Coref<T, ReadOnly>, |x| x.phase.team();
    ['a, T: Remote] OpenRagged<'_, T>, &'a Coref<[T]>, |x| x.phase.team();
    ['a, T: Remote] PublishedRagged<'_, T>, &'a Coref<[T], ReadOnly>, |x| x.phase.team();
    ['a, T: Remote] OpenRaggedRows<'_, T>, RaggedPart<'a, T>, |x| x.phase.team();
    ['a, T: Remote] PublishedRaggedRows<'_, T>, RaggedPart<'a, T, ReadOnly>, |x| x.phase.team();
    ['a, T: Remote, const D: usize] OpenNd<'_, T, D>, Region<'a, T, D>, |x| x.items.phase.team();
    ['a, T: Remote, const D: usize] PublishedNd<'_, T, D>, Region<'a, T, D, ReadOnly>, |x| x.items.phase.team();
    ['a, T: Remote, const D: usize] OpenHaloArray<'_, T, D>, Region<'a, T, D>, |x| x.phase.team();
}

impl<'a, C, G> sealed::InTeam for &'a Owned<C, G>
where
    &'a G: sealed::InTeam,
{
    #[inline]
    fn team<'t>(self) -> &'t Team
    where
        Self: 't,
    {
        let guard: &'a G = self;
        guard.team()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, C, G> Parts for &'a Owned<C, G>
where
    &'a G: Parts,
{
    type Part = <&'a G as Parts>::Part;

    #[inline]
    #[track_caller]
    fn part(self, image: usize) -> Self::Part {
        let guard: &'a G = self;
        guard.part(image)
    }
}
