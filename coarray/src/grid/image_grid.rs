//! The images of a team, arranged in a grid.

use coarray_runtime::Team;

use super::error::GridError;
use super::factors;

/// The images of a team in a grid of `D` dimensions, each of which may be periodic.
///
/// The number of an image is the row-major index of its coordinates: the last coordinate counts fastest. Numbers are
/// those of the team that was current when the grid was made.
///
/// # Examples
/// ```
/// use coarray::grid::ImageGrid;
/// use coarray::prelude::*;
///
/// coarray::run(6, || {
///     let grid = ImageGrid::new([2, 3]).unwrap().with_periodic([false, true]);
///     assert_eq!(grid.image_at([1, 0]), 3);
///     let [row, column] = grid.coordinates();
///     assert_eq!(this_image(), 3 * row + column);
///     let right = grid.neighbour([0, 1]); // wraps round
///     assert_eq!(right, Some(grid.image_at([row, (column + 1) % 3])));
///     let below = grid.neighbour([1, 0]); // ends
///     assert_eq!(below.is_some(), row == 0);
/// });
/// ```
///
/// # Source
/// Cosubscripts, Fortran 2018 clause 9.6; `MPI_Cart_create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageGrid<const D: usize> {
    extents: [usize; D],
    periodic: [bool; D],
    /// This image's number.
    image: usize,
}

impl<const D: usize> ImageGrid<D> {
    /// Local. The images of the current team in a grid with these extents, periodic along no axis.
    ///
    /// # Errors
    /// If the product of the extents is not the number of images.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    ///
    /// # Source
    /// Coshapes, Fortran 2018 clause 5.4.7; `MPI_Cart_create`, MPI 3.1 section 7.5.1.
    #[track_caller]
    pub fn new(extents: [usize; D]) -> Result<Self, GridError> {
        let team = Team::current();
        let needed = product(&extents);
        if needed != Some(team.images()) {
            return Err(GridError::WrongNumberOfImages {
                extents: extents.to_vec(),
                needed,
                images: team.images(),
            });
        }
        Ok(Self::of(&team, extents))
    }

    /// Local. The images of the current team in a grid that is as near to a cube as their number allows, with the larger
    /// extents first.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(12, || {
    ///     assert_eq!(ImageGrid::<3>::balanced().extents(), [3, 2, 2]);
    ///     assert_eq!(ImageGrid::<2>::balanced().extents(), [4, 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Dims_create`.
    #[must_use]
    #[track_caller]
    pub fn balanced() -> Self {
        let team = Team::current();
        let mut best = None;
        factors::each::<D>(team.images(), &mut |extents| {
            // Of two grids that fall, the one with the smaller first extent is nearer to a cube.
            if extents.is_sorted_by(|a, b| a >= b) && best.is_none_or(|best| extents < best) {
                best = Some(extents);
            }
        });
        Self::of(
            &team,
            best.expect("every number is the product of itself and ones"),
        )
    }

    /// Local. The images of the current team in the grid for an array of these cells in which the image with the
    /// most neighbours exchanges the fewest cells, and each image has at least one cell along each axis.
    ///
    /// # Errors
    /// If there is no grid that gives each image a cell.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let long = ImageGrid::balanced_for([1000, 10]).unwrap();
    ///     assert_eq!(long.extents(), [4, 1]); // cuts of 10 cells each
    ///     assert!(ImageGrid::balanced_for([3, 1]).is_err());
    /// });
    /// ```
    ///
    /// # Source
    /// As [`balanced`](Self::balanced), and what it leaves open: the shape of the array.
    #[track_caller]
    pub fn balanced_for(cells: [usize; D]) -> Result<Self, GridError> {
        let team = Team::current();
        let mut best: Option<(Cost<D>, [usize; D])> = None;
        factors::each::<D>(team.images(), &mut |extents| {
            if extents
                .iter()
                .zip(&cells)
                .all(|(images, cells)| images <= cells)
            {
                let cost = cost(extents, cells);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, extents));
                }
            }
        });
        match best {
            Some((_, extents)) => Ok(Self::of(&team, extents)),
            None => Err(GridError::NoFactorisation {
                images: team.images(),
                cells: cells.to_vec(),
            }),
        }
    }

    fn of(team: &Team, extents: [usize; D]) -> Self {
        const { assert!(D > 0, "a grid has at least one axis") }
        Self {
            extents,
            periodic: [false; D],
            image: team.index(),
        }
    }

    /// Local. The same grid, periodic along the axes that are marked: behind its last image comes the first.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    #[must_use]
    pub fn with_periodic(mut self, axes: [bool; D]) -> Self {
        self.periodic = axes;
        self
    }

    /// The same grid as `team` sees it.
    pub(super) fn seen_in(&self, team: &Team) -> Self {
        Self {
            image: team.index(),
            ..self.clone()
        }
    }

    /// Local. How many images there are along each axis.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Local. Which axes are periodic.
    #[inline]
    #[must_use]
    pub fn periodic(&self) -> [bool; D] {
        self.periodic
    }

    /// Local. How many images there are.
    #[inline]
    #[must_use]
    pub fn images(&self) -> usize {
        self.extents.iter().product()
    }

    /// This image's number in the grid.
    #[inline]
    pub(super) fn image(&self) -> usize {
        self.image
    }

    /// Local. The number of the image with these coordinates.
    ///
    /// # Panics
    /// If they lie outside of the grid.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    #[must_use]
    #[track_caller]
    pub fn image_at(&self, coordinates: [usize; D]) -> usize {
        let extents = self.extents;
        assert!(
            coordinates
                .iter()
                .zip(&extents)
                .all(|(at, extent)| at < extent),
            "there is no image at {coordinates:?}: the image grid has extents {extents:?}"
        );
        index_of(coordinates, extents)
    }

    /// Local. This image's coordinates.
    ///
    /// # Examples
    /// See [`ImageGrid`].
    #[must_use]
    pub fn coordinates(&self) -> [usize; D] {
        position_of(self.image, self.extents)
    }

    /// Local. The coordinates of an image.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap();
    ///     assert_eq!((grid.coordinates_of(0), grid.coordinates_of(5)), ([0, 0], [1, 2]));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn coordinates_of(&self, image: usize) -> [usize; D] {
        assert!(
            image < self.images(),
            "there is no image {image}: the image grid has {}",
            self.images()
        );
        position_of(image, self.extents)
    }

    /// Local. The number of the image that lies `offset` away from this one; none if the grid ends before.
    ///
    /// # Examples
    /// A token that goes once around a ring:
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let ring = ImageGrid::new([4]).unwrap().with_periodic([true]);
    ///     let next = ring.neighbour([1]).unwrap();
    ///     let token = Coarray::new(Coevent::new());
    ///     if this_image() > 0 {
    ///         token.wait();
    ///     }
    ///     token.at(next).post();
    ///     if this_image() == 0 {
    ///         token.wait();
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Cart_shift`, MPI 3.1 section 7.5.6.
    #[must_use]
    pub fn neighbour(&self, offset: [isize; D]) -> Option<usize> {
        self.from(self.coordinates(), offset)
    }

    /// Local. The number of the image that lies `offset` away from `image`; none if the grid ends before.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap().with_periodic([false, true]);
    ///     assert_eq!(grid.neighbour_of(2, [1, 1]), Some(3)); // a row further, and around the end of it
    ///     assert_eq!(grid.neighbour_of(2, [-1, 0]), None);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`neighbour`](Self::neighbour).
    #[must_use]
    #[track_caller]
    pub fn neighbour_of(&self, image: usize, offset: [isize; D]) -> Option<usize> {
        self.from(self.coordinates_of(image), offset)
    }

    fn from(&self, mut coordinates: [usize; D], offset: [isize; D]) -> Option<usize> {
        for axis in 0..D {
            let extent = self.extents[axis];
            let at = &mut coordinates[axis];
            *at = if self.periodic[axis] {
                let extent = extent as i128;
                (*at as i128 + offset[axis] as i128).rem_euclid(extent) as usize
            } else {
                at.checked_add_signed(offset[axis])
                    .filter(|&at| at < extent)?
            };
        }
        Some(index_of(coordinates, self.extents))
    }

    /// Whether blocks have neighbours along this axis, be it themselves.
    pub(super) fn has_neighbours(&self, axis: usize) -> bool {
        self.extents[axis] > 1 || self.periodic[axis]
    }
}

/// The product, unless it overflows.
pub(super) fn product(factors: &[usize]) -> Option<usize> {
    // A zero makes the product zero whatever the others are.
    if factors.contains(&0) {
        return Some(0);
    }
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
}

/// The row-major index of a position.
pub(super) fn index_of<const D: usize>(position: [usize; D], extents: [usize; D]) -> usize {
    position
        .iter()
        .zip(extents)
        .fold(0, |index, (at, extent)| index * extent + at)
}

/// The position with a row-major index.
pub(super) fn position_of<const D: usize>(mut index: usize, extents: [usize; D]) -> [usize; D] {
    let mut position = [0; D];
    for axis in (0..D).rev() {
        position[axis] = index % extents[axis];
        index /= extents[axis];
    }
    position
}

/// What speaks against a grid, most important first: the cells that an image in its middle exchanges, the cells of the
/// largest block, and extents along the later axes, whose faces lie scattered in memory.
type Cost<const D: usize> = (u128, u128, [usize; D]);

fn cost<const D: usize>(extents: [usize; D], cells: [usize; D]) -> Cost<D> {
    let mut block = [0; D];
    for axis in 0..D {
        block[axis] = cells[axis].div_ceil(extents[axis]) as u128;
    }
    let volume = block
        .iter()
        .fold(1u128, |volume, &cells| volume.saturating_mul(cells));
    let faces = (0..D).map(|axis| {
        let neighbours = (extents[axis] - 1).min(2) as u128;
        (volume / block[axis]).saturating_mul(neighbours)
    });
    let mut later_first = extents;
    later_first.reverse();
    (faces.fold(0, u128::saturating_add), volume, later_first)
}
