//! All neighbours of an image in a grid, with their directions.

use super::image_grid::ImageGrid;
use super::row_order::position_of;

impl<const D: usize> ImageGrid<D> {
    /// Local. The images next to this one, also across edges and corners: for each direction of -1, 0 and 1 along the axes, but that of
    /// zeros, the direction and the image that lies there. Directions in which the grid ends are left out. Along short
    /// periodic axes an image may come in several directions, and be this image itself.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::ImageGrid;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let grid = ImageGrid::new([2, 3]).unwrap();
    ///     if this_image() == 0 {
    ///         let neighbours: Vec<_> = grid.neighbours().collect();
    ///         assert_eq!(neighbours, [([0, 1], 1), ([1, 0], 3), ([1, 1], 4)]);
    ///     }
    ///     let arrived = Coarray::new(Coevent::new());
    ///     for (_, image) in grid.neighbours() {
    ///         arrived.at(image).post();
    ///     }
    ///     arrived.wait_for(grid.neighbours().count() as u64);
    /// });
    /// ```
    ///
    /// # Source
    /// `MPI_Neighbor_alltoall`, MPI 3.1 section 7.6, with the edges and corners that Cartesian communicators leave out.
    pub fn neighbours(&self) -> impl Iterator<Item = ([isize; D], usize)> + '_ {
        let here = self.coordinates();
        // A direction is a number of `D` digits of base 3.
        let directions = const { 3usize.pow(D as u32) };
        (0..directions).filter_map(move |number| {
            let direction = position_of(number, [3; D]).map(|digit| digit as isize - 1);
            let is_here = direction == [0; D];
            let image = (!is_here).then(|| self.from(here, direction))??;
            Some((direction, image))
        })
    }
}
