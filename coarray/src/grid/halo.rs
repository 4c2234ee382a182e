//! How wide halos are, and what of them an exchange updates.

/// How many cells of the neighbours an array keeps along each axis: before its own cells, and behind them.
///
/// # Examples
/// ```
/// use coarray::grid::Halo;
///
/// assert_eq!(Halo::<2>::from(1), Halo { lower: [1, 1], upper: [1, 1] });
/// assert_eq!(Halo::from([2, 0]), Halo { lower: [2, 0], upper: [2, 0] });
/// assert_eq!(Halo::from([(1, 2), (0, 3)]), Halo { lower: [1, 0], upper: [2, 3] });
/// ```
///
/// # Source
/// `shadow`, Murai and Sato, PGAS 2013, section 2.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Halo<const D: usize> {
    /// Cells before the block, along each axis.
    pub lower: [usize; D],
    /// Cells behind the block, along each axis.
    pub upper: [usize; D],
}

/// The same width on both sides of every axis.
impl<const D: usize> From<usize> for Halo<D> {
    fn from(width: usize) -> Self {
        Self::from([width; D])
    }
}

/// A width for each axis, the same on both sides.
impl<const D: usize> From<[usize; D]> for Halo<D> {
    fn from(widths: [usize; D]) -> Self {
        Self {
            lower: widths,
            upper: widths,
        }
    }
}

/// The lower and the upper width for each axis.
impl<const D: usize> From<[(usize, usize); D]> for Halo<D> {
    fn from(widths: [(usize, usize); D]) -> Self {
        Self {
            lower: widths.map(|(lower, _)| lower),
            upper: widths.map(|(_, upper)| upper),
        }
    }
}

impl<const D: usize> Halo<D> {
    /// Whether no width is larger than that of `other`.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let within = |mine: &[usize; D], theirs: &[usize; D]| {
            mine.iter().zip(theirs).all(|(mine, theirs)| mine <= theirs)
        };
        within(&self.lower, &other.lower) && within(&self.upper, &other.upper)
    }
}

/// What of the halo an exchange updates.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let blocks = Blocks::new([8, 8], ImageGrid::balanced()).unwrap();
///     let mut u = HaloArray::filled(&blocks, 2, 0.0).unwrap();
///     u.exchange_with(&Exchange::faces()); // for stencils without diagonal neighbours
///     u.exchange_with(&Exchange::faces().width(1)); // the cells next to the block only
/// });
/// ```
///
/// # Source
/// `width` of `reflect`, Murai and Sato, PGAS 2013, section 2.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exchange<const D: usize> {
    faces_only: bool,
    width: Option<Halo<D>>,
}

impl<const D: usize> Exchange<D> {
    /// Local. The whole halo: faces, edges and corners.
    #[must_use]
    pub fn all() -> Self {
        Self {
            faces_only: false,
            width: None,
        }
    }

    /// Local. The faces: cells of the images that lie before and behind along one axis.
    #[must_use]
    pub fn faces() -> Self {
        Self {
            faces_only: true,
            width: None,
        }
    }

    /// Local. Only the cells at most `width` away from the block.
    #[must_use]
    pub fn width(mut self, width: impl Into<Halo<D>>) -> Self {
        self.width = Some(width.into());
        self
    }

    pub(super) fn is_faces_only(&self) -> bool {
        self.faces_only
    }

    /// How wide it is in an array with this halo.
    ///
    /// # Panics
    /// If it is wider than the halo.
    #[track_caller]
    pub(super) fn width_in(&self, halo: &Halo<D>) -> Halo<D> {
        let width = self.width.unwrap_or(*halo);
        assert!(
            width.is_within(halo),
            "an exchange of {width:?} is wider than the array's halo, which is {halo:?}"
        );
        width
    }
}

/// As [`Exchange::all`].
impl<const D: usize> Default for Exchange<D> {
    fn default() -> Self {
        Self::all()
    }
}
