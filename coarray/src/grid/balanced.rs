//! The choice of a grid: near to a cube, or such that images exchange few cells.

use coarray_runtime::Team;

use super::error::GridError;
use super::factors;
use super::image_grid::ImageGrid;

impl<const D: usize> ImageGrid<D> {
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
