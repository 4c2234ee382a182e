//! The whole of a halo array, or a part of it, as one array on one image.

use std::ops::Range;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation};
use ndarray::{Array, Dim, Dimension};

use super::halo_array::HaloArray;
use super::part::{Part, PartLayout, owners, shape_of};
use crate::dimension::dimension;

/// What an image gets: the root the cells.
type Gathered<T, const D: usize> = Option<Array<T, Dim<[usize; D]>>>;

impl<T: Remote, const D: usize> HaloArray<T, D>
where
    Dim<[usize; D]>: Dimension,
{
    /// Collective. Gives image `root` the whole array, and the others nothing. Halos are not read.
    ///
    /// No image leaves before all have entered, and before `root` has all cells.
    ///
    /// # Panics
    /// If `root` is no image of the array's team. The job ends with a report if images name different arrays or roots.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let blocks = Blocks::new([3, 5], ImageGrid::balanced()).unwrap();
    ///     let u = HaloArray::from_fn(&blocks, 1, |[i, j]| 10 * i + j).unwrap();
    ///     let whole = u.gather_global(0);
    ///     assert_eq!(whole.is_some(), this_image() == 0);
    ///     if let Some(whole) = whole {
    ///         assert_eq!((whole.shape(), whole[[2, 4]]), (&[3, 5][..], 24));
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.5, `MPI_Gather`, with the datatypes that users of it write for blocks.
    #[must_use]
    #[track_caller]
    pub fn gather_global(&self, root: usize) -> Option<Array<T, Dim<[usize; D]>>> {
        let (call, whole) = self.gathering_all(root, Location::caller());
        self.or_end_job(&call, self.gather(&call, &whole, root))
    }

    /// Collective. As [`gather_global`](Self::gather_global), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the array's team that have failed, or stopped, before all had left; the same on all others. The array stays as it
    /// is.
    ///
    /// # Panics
    /// As [`gather_global`](Self::gather_global).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([8], ImageGrid::balanced()).unwrap();
    ///     let u = HaloArray::from_fn(&blocks, 0, |[i]| i).unwrap();
    ///     let whole = u.try_gather_global(1).unwrap();
    ///     assert_eq!(whole.map(|whole| whole[5]), (this_image() == 1).then_some(5));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`gather_global`](Self::gather_global); failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_gather_global(&self, root: usize) -> Result<Gathered<T, D>, ImageFailed> {
        let (call, whole) = self.gathering_all(root, Location::caller());
        self.gather(&call, &whole, root)
    }

    /// The call that gathers all cells, and these.
    fn gathering_all(&self, root: usize, caller: &'static Location<'static>) -> (Call, Part<D>) {
        let id = self.storage.id();
        let call = Call::on_cells(Operation::GatherGlobal, id, 0, 0, root, caller);
        (call, self.blocks().shape().map(|cells| 0..cells))
    }

    /// Collective. Gives image `root` the cells with these global indices, and the others nothing.
    ///
    /// Only images that have some of the cells are read. No image leaves before all have entered, and before `root`
    /// has the cells.
    ///
    /// # Panics
    /// If `root` is no image of the array's team, or there are no such cells. The job ends with a report if images
    /// name different arrays, roots, or parts.
    ///
    /// # Examples
    /// A plane of a three-dimensional array, to be drawn:
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let blocks = Blocks::new([6, 4, 5], ImageGrid::balanced()).unwrap();
    ///     let u = HaloArray::from_fn(&blocks, 0, |[i, j, k]| 100 * i + 10 * j + k).unwrap();
    ///     if let Some(plane) = u.gather_slice(2, [3..4, 0..4, 0..5]) {
    ///         assert_eq!((plane.shape(), plane[[0, 2, 1]]), (&[1, 4, 5][..], 321));
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`gather_global`](Self::gather_global).
    #[must_use]
    #[track_caller]
    pub fn gather_slice(
        &self,
        root: usize,
        cells: [Range<usize>; D],
    ) -> Option<Array<T, Dim<[usize; D]>>> {
        let call = self.gathering(root, &cells, Location::caller());
        self.or_end_job(&call, self.gather(&call, &cells, root))
    }

    /// Collective. As [`gather_slice`](Self::gather_slice), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`try_gather_global`](Self::try_gather_global).
    ///
    /// # Panics
    /// As [`gather_slice`](Self::gather_slice).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([8], ImageGrid::balanced()).unwrap();
    ///     let u = HaloArray::from_fn(&blocks, 0, |[i]| i).unwrap();
    ///     let some = u.try_gather_slice(0, [3..6]).unwrap();
    ///     assert_eq!(some.map(|some| some.to_vec()), (this_image() == 0).then(|| vec![3, 4, 5]));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`try_gather_global`](Self::try_gather_global).
    #[track_caller]
    pub fn try_gather_slice(
        &self,
        root: usize,
        cells: [Range<usize>; D],
    ) -> Result<Gathered<T, D>, ImageFailed> {
        let call = self.gathering(root, &cells, Location::caller());
        self.gather(&call, &cells, root)
    }

    /// The call that gathers these cells.
    ///
    /// # Panics
    /// If there are no such cells.
    #[track_caller]
    fn gathering(&self, root: usize, cells: &Part<D>, caller: &'static Location<'static>) -> Call {
        let shape = self.blocks().shape();
        let is_there = |(range, &cells): (&Range<usize>, &usize)| {
            range.start <= range.end && range.end <= cells
        };
        assert!(
            cells.iter().zip(&shape).all(is_there),
            "there are no cells {cells:?}: the array has shape {shape:?}"
        );
        let first = cells
            .iter()
            .zip(&shape)
            .fold(0, |first, (range, cells)| first * cells + range.start);
        let count = shape_of(cells).iter().product();
        let id = self.storage.id();
        Call::on_cells(Operation::GatherSlice, id, first, count, root, caller)
    }

    #[track_caller]
    fn gather(
        &self,
        call: &Call,
        part: &Part<D>,
        root: usize,
    ) -> Result<Gathered<T, D>, ImageFailed> {
        self.check_root(call, root);
        let is_root = self.team().index() == root;
        // SAFETY: all images are in this call, and none writes to the array.
        self.while_all_are_here(call, 0, || is_root.then(|| unsafe { self.fetch(part) }))
    }

    /// Gets the cells of a part from all images that have some.
    ///
    /// # Safety
    /// Nobody writes to the array meanwhile.
    unsafe fn fetch(&self, part: &Part<D>) -> Array<T, Dim<[usize; D]>> {
        let count = shape_of(part).iter().product();
        let mut cells = Vec::<T>::with_capacity(count);
        let gathered = PartLayout::of(part);
        for (image, common) in owners(&self.blocks, part) {
            let block = PartLayout::new(&self.blocks.range(image), self.halo);
            let copy = block.copy(&gathered, &common);
            // SAFETY: the caller vouches that nobody writes to the array. The copy is from the layout of the image's part to that
            // of the vector, which is valid for writes of all cells and no part of the array.
            unsafe { self.get_cells(image, &copy, cells.as_mut_ptr()) };
        }
        // SAFETY: `count` cells fit the capacity, and all have been written: each cell of the array is in some image's block.
        unsafe { cells.set_len(count) };
        let shape = dimension(shape_of(part));
        Array::from_shape_vec(shape, cells).expect("the shape has as many cells")
    }
}
