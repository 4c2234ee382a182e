//! What can be wrong with a grid, a division into blocks, or a halo.

use coarray_runtime::{AllocError, ImageFailed};

/// Why an image grid, a division into blocks or a halo array cannot be made, or cells cannot go where they should.
///
/// Its text says what was asked for, what there is, and what to do.
///
/// # Examples
/// ```
/// use coarray::grid::{GridError, ImageGrid};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let refused = ImageGrid::new([2, 2]).unwrap_err();
///     assert!(matches!(refused, GridError::WrongNumberOfImages { needed: Some(4), images: 2, .. }));
/// });
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GridError {
    /// The extents of a grid do not fit the team.
    WrongNumberOfImages {
        /// The extents asked for.
        extents: Vec<usize>,
        /// Their product; none if it overflows.
        needed: Option<usize>,
        /// The images of the team.
        images: usize,
    },
    /// There are no rows of so many images.
    NoRow {
        /// The extents of a row, or a layer.
        row: Vec<usize>,
    },
    /// An array is to be divided among the images of a grid whose last row is not full.
    NotFull {
        /// The extents of the grid.
        extents: Vec<usize>,
        /// Its images.
        images: usize,
    },
    /// An array is to be dealt out in blocks that have no cells.
    EmptyBlock {
        /// The axis along which they have none.
        axis: usize,
    },
    /// An axis has no cells, or fewer than images, and halos that need some.
    TooFewCells {
        /// The axis, counted from 0.
        axis: usize,
        /// The cells of the array along it.
        cells: usize,
        /// The images along it.
        images: usize,
    },
    /// No factorisation gives each image a cell on each axis.
    NoFactorisation {
        /// The images of the team.
        images: usize,
        /// The shape of the array.
        cells: Vec<usize>,
    },
    /// The array has more cells than a number can count.
    TooLarge {
        /// The shape of the array.
        shape: Vec<usize>,
    },
    /// A halo reaches beyond the neighbour.
    HaloTooWide {
        /// The axis, counted from 0.
        axis: usize,
        /// The lower or upper width of the halo.
        width: usize,
        /// The cells of the smallest block along the axis.
        block: usize,
        /// An image with such a block.
        image: usize,
    },
    /// The images ask for different arrays.
    ImagesDisagree {
        /// This image.
        image: usize,
        /// What it asks for, in words.
        wanted: String,
    },
    /// The root of a `scatter_global` has no array of the right shape.
    NothingToScatter {
        /// The image that has the array.
        root: usize,
        /// The shape of the whole array.
        shape: Vec<usize>,
    },
    /// The arrays of a `gmove` differ in shape.
    DifferentShapes {
        /// The shape of the array that is read.
        from: Vec<usize>,
        /// The shape of the array that is written.
        to: Vec<usize>,
    },
    /// The arrays of a `gmove` were made in different teams.
    DifferentTeams,
    /// Images that the operation needs have failed or stopped.
    ImageFailed(ImageFailed),
    /// There is no room for the array.
    Allocation(AllocError),
}

impl std::fmt::Display for GridError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WrongNumberOfImages {
                extents,
                needed,
                images,
            } => write!(
                formatter,
                "an image grid with extents {extents:?} takes {}, but the team has \
                 {images}; let ImageGrid::balanced choose, or start another number of \
                 images",
                Images(*needed)
            ),
            Self::NoRow { row } => write!(
                formatter,
                "there are no rows of {row:?} images: each extent must be 1 at least, and \
                 their product a number that can be counted"
            ),
            Self::EmptyBlock { axis } => write!(
                formatter,
                "blocks of 0 cells along axis {axis} cannot be dealt out: they need 1 at least"
            ),
            Self::NotFull { extents, images } => write!(
                formatter,
                "the last row of an image grid with extents {extents:?} is not full, as \
                 there are {images} images; arrays are divided among the images of full \
                 grids: use ImageGrid::new or ImageGrid::balanced, or start another \
                 number of images"
            ),
            Self::TooFewCells {
                axis,
                cells,
                images,
            } => write!(
                formatter,
                "axis {axis} has {cells} cells, which are too few for {images} images: \
                 with halos each image needs one at least; use fewer images on this axis"
            ),
            Self::NoFactorisation { images, cells } => write!(
                formatter,
                "{images} images cannot be arranged so that each has a cell of an array \
                 with shape {cells:?}; use fewer images, or a number with smaller \
                 factors"
            ),
            Self::TooLarge { shape } => write!(
                formatter,
                "an array with shape {shape:?} has more cells than can be counted"
            ),
            Self::HaloTooWide {
                axis,
                width,
                block,
                image,
            } => write!(
                formatter,
                "on axis {axis} the halo is {width} cells wide, but image {image} has \
                 only {block} there: a halo holds cells of the next images only; use a \
                 narrower halo, or fewer images on this axis"
            ),
            Self::ImagesDisagree { image, wanted } => write!(
                formatter,
                "the images ask for halo arrays with different shapes, image grids, \
                 periodic axes or halos; this image, {image}, wants {wanted}"
            ),
            Self::NothingToScatter { root, shape } => write!(
                formatter,
                "image {root} is to scatter an array with shape {shape:?}, but gave \
                 none, or one with another shape; give the whole array there"
            ),
            Self::DifferentShapes { from, to } => write!(
                formatter,
                "gmove from an array with shape {from:?} to one with shape {to:?}: it \
                 divides cells in another way, but they must be the same"
            ),
            Self::DifferentTeams => formatter.write_str(
                "gmove from an array of one team to an array of another; make both in \
                 the same team, and use image grids that differ",
            ),
            Self::ImageFailed(failed) => std::fmt::Display::fmt(failed, formatter),
            Self::Allocation(error) => std::fmt::Display::fmt(error, formatter),
        }
    }
}

impl std::error::Error for GridError {}

impl From<AllocError> for GridError {
    fn from(error: AllocError) -> Self {
        Self::Allocation(error)
    }
}

/// In words: what `unwrap` and a `main` that returns the error print is to say what to do.
impl std::fmt::Debug for GridError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, formatter)
    }
}

/// A number of images in words.
struct Images(Option<usize>);

impl std::fmt::Display for Images {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(images) => write!(formatter, "{images} images"),
            None => formatter.write_str("more images than can be counted"),
        }
    }
}
