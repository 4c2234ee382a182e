//! How a torus is divided among images.

use std::ops::Range;

use thiserror::Error;

/// A torus of `rows` × `columns` cells, cut into a grid of blocks, one for each image.
///
/// Blocks differ by at most one row and one column in size. Images are numbered along the rows of the
/// grid.
///
/// # Examples
/// ```
/// use life::decomposition::Decomposition;
///
/// let torus = Decomposition::new(23, 37, 6)?;
/// assert_eq!((torus.down(), torus.across()), (2, 3));
/// assert_eq!(torus.rows_of(5), 11..23);
/// assert_eq!(torus.columns_of(5), 24..37);
/// assert_eq!(torus.neighbour(5, 1, 1), 0);
/// # Ok::<(), life::decomposition::TooManyImages>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decomposition {
    rows: usize,
    columns: usize,
    down: usize,
    across: usize,
}

/// No grid of this number of images gives every image a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{images} images cannot share a torus of {columns}x{rows} cells: no grid of {images} leaves each a cell"
)]
pub struct TooManyImages {
    images: usize,
    rows: usize,
    columns: usize,
}

impl Decomposition {
    /// Divides the torus into the grid whose blocks have the shortest borders.
    ///
    /// # Errors
    /// If no grid of `images` leaves every image at least one cell.
    pub fn new(rows: usize, columns: usize, images: usize) -> Result<Self, TooManyImages> {
        let border =
            |&(down, across): &(usize, usize)| rows.div_ceil(down) + columns.div_ceil(across);
        (1..=images)
            .filter(|down| images.is_multiple_of(*down))
            .map(|down| (down, images / down))
            .filter(|&(down, across)| down <= rows && across <= columns)
            .min_by_key(border)
            .map(|(down, across)| Self {
                rows,
                columns,
                down,
                across,
            })
            .ok_or(TooManyImages {
                images,
                rows,
                columns,
            })
    }

    /// Rows of the whole torus.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the whole torus.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of blocks from north to south.
    pub fn down(&self) -> usize {
        self.down
    }

    /// Number of blocks from west to east.
    pub fn across(&self) -> usize {
        self.across
    }

    /// Number of images.
    pub fn images(&self) -> usize {
        self.down * self.across
    }

    /// The rows that `image` owns.
    pub fn rows_of(&self, image: usize) -> Range<usize> {
        part(self.rows, self.down, image / self.across)
    }

    /// The columns that `image` owns.
    pub fn columns_of(&self, image: usize) -> Range<usize> {
        part(self.columns, self.across, image % self.across)
    }

    /// The image `south` blocks to the south and `east` blocks to the east of `image`, around the torus.
    pub fn neighbour(&self, image: usize, south: isize, east: isize) -> usize {
        let around = |position: usize, step: isize, extent: usize| {
            (position as isize + step).rem_euclid(extent as isize) as usize
        };
        let row = around(image / self.across, south, self.down);
        let column = around(image % self.across, east, self.across);
        row * self.across + column
    }
}

fn part(extent: usize, parts: usize, index: usize) -> Range<usize> {
    extent * index / parts..extent * (index + 1) / parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_cell_has_one_owner(rows in 1usize..40, columns in 1usize..40, images in 1usize..20) {
            let Ok(torus) = Decomposition::new(rows, columns, images) else {
                let fits = |down: usize| images % down == 0 && down <= rows && images / down <= columns;
                prop_assert!(!(1..=images).any(fits));
                return Ok(());
            };
            let mut owners = vec![0; rows * columns];
            for image in 0..images {
                prop_assert!(!torus.rows_of(image).is_empty() && !torus.columns_of(image).is_empty());
                for row in torus.rows_of(image) {
                    for column in torus.columns_of(image) {
                        owners[row * columns + column] += 1;
                    }
                }
            }
            prop_assert!(owners.iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn more_images_than_fit_are_refused() {
        let message = Decomposition::new(2, 2, 8).unwrap_err().to_string();
        assert_eq!(
            message,
            "8 images cannot share a torus of 2x2 cells: no grid of 8 leaves each a cell"
        );
        assert!(Decomposition::new(10, 1, 11).is_err());
    }
}
