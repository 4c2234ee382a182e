//! Items by their index in the whole of an array that is divided among the images.

mod division;
mod lists;

use std::fmt;

use coarray_coref::{Access, Coref, Remote, Shared, Symmetric};

use crate::coarray::Coarray;
use crate::grid::Blocks;
use crate::open::Open;
use crate::parts::Parts;
use crate::publish::Published;
pub use division::{Division, Even};

/// A coarray of runs, seen as one array that is divided among the images.
///
/// # Examples
/// A table that is too large for one image, counted into from everywhere:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let table = Coarray::<[Coatomic<u32>]>::from_fn(100, |_| Coatomic::new(0));
///     let global = table.global(); // 300 counters
///     for number in 0..1000 {
///         global.at(number * number % global.len()).add(1);
///     }
///     sync_all();
///     let mut sum: u32 = table.iter().map(Coatomic::load).sum();
///     co_sum(&mut sum);
///     assert_eq!(sum, 3000);
/// });
/// ```
///
/// # Source
/// As [`GlobalIndices`].
#[derive(Clone, Copy)]
pub struct Global<X, D> {
    parts: X,
    division: D,
}

/// Coarrays of runs whose items have indices in the whole array: references to open and published ones, and to closed ones of
/// [`Shared`] values.
///
/// # Examples
/// See [`Global`].
///
/// # Source
/// Block distributions of High Performance Fortran and XcalableMP; the index gather of the programs bale.
pub trait GlobalIndices: Parts + sealed::Runs {
    /// Local. The items of all images one after the other, image 0's first: with `n` on each image, index `g` is item `g % n` of
    /// image `g / n`.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::<[usize]>::from_fn(10, |i| 10 * this_image() + i);
    ///     let x = x.open();
    ///     let mut values = [0; 4];
    ///     x.global().gather_from(&[29, 7, 13, 7], &mut values);
    ///     assert_eq!(values, [29, 7, 13, 7]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`GlobalIndices`].
    #[must_use]
    fn global(self) -> Global<Self, Even> {
        Global {
            parts: self,
            division: Even::new(self.length(), self.team().images()),
        }
    }

    /// Local. The cells of an array that is divided into these blocks, by their row-major index in the whole array. Each image has
    /// its block in its first items, in row order.
    ///
    /// # Panics
    /// If the blocks are of another team, or some have more cells than the coarray has items on each image.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let blocks = Blocks::new([7], ImageGrid::new([3]).unwrap()).unwrap(); // 3, 2 and 2 cells
    ///     let mut x = Coarray::<[usize]>::from_fn(3, |i| 10 * this_image() + i);
    ///     let x = x.open();
    ///     let mut values = [0; 3];
    ///     x.in_blocks(&blocks).gather_from(&[6, 3, 0], &mut values);
    ///     assert_eq!(values, [21, 10, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Blocks`].
    #[must_use]
    #[track_caller]
    fn in_blocks<const D: usize>(self, blocks: &Blocks<D>) -> Global<Self, &Blocks<D>> {
        let _ = self.on(blocks.grid()); // compares the teams
        let [largest, length] = [blocks.largest(), self.length()];
        assert!(
            largest <= length,
            "blocks of up to {largest} cells do not fit a coarray of {length} items on each image; create it as long as the largest \
             block"
        );
        Global {
            parts: self,
            division: blocks,
        }
    }
}

mod sealed {
    pub trait Runs {
        /// How many items each image has.
        fn length(&self) -> usize;
    }
}

impl<T: Shared> sealed::Runs for &Coarray<[T]> {
    fn length(&self) -> usize {
        self.extent()
    }
}

impl<T: Shared> GlobalIndices for &Coarray<[T]> {}

/// As in [`GlobalIndices`], so that the compiler says of a closed coarray what to do.
impl<T: Symmetric> Coarray<[T]> {
    /// Local. The items of all images one after the other, as [`GlobalIndices::global`]: for coarrays of [`Shared`] values, which
    /// are always open.
    ///
    /// # Examples
    /// See [`Global`].
    #[must_use]
    pub fn global(&self) -> Global<&Self, Even>
    where
        T: Shared,
    {
        GlobalIndices::global(self)
    }
}

impl<T: Remote> sealed::Runs for &Open<'_, [T]> {
    fn length(&self) -> usize {
        self.phase.coarray.extent()
    }
}

impl<T: Remote> GlobalIndices for &Open<'_, [T]> {}

impl<T: Remote> sealed::Runs for &Published<'_, [T]> {
    fn length(&self) -> usize {
        self.phase.coarray.extent()
    }
}

impl<T: Remote> GlobalIndices for &Published<'_, [T]> {}

impl<'a, T, A, X, D> Global<X, D>
where
    T: Symmetric,
    A: Access,
    X: Parts<Part = &'a Coref<[T], A>>,
    D: Division,
{
    /// Local. How many items there are on all images together.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.division.cells()
    }

    /// Local. Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Local. The item with this index.
    ///
    /// # Panics
    /// If there is none.
    ///
    /// # Examples
    /// See [`Global`].
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, index: usize) -> &'a Coref<T, A> {
        if index >= self.len() {
            no_such_item(index, self.len());
        }
        self.item(index)
    }

    /// The item with an index that was checked.
    #[inline]
    fn item(&self, index: usize) -> &'a Coref<T, A> {
        let (image, index) = self.division.locate(index);
        &self.parts.part(image)[index]
    }
}

impl<X, D: fmt::Debug> fmt::Debug for Global<X, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("Global");
        text.field("division", &self.division)
            .finish_non_exhaustive()
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_item(index: usize, items: usize) -> ! {
    panic!("index {index} is out of bounds of the {items} items that the images have together")
}
