//! One image's array, divided among all.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation};
use ndarray::{ArrayView, Dim, Dimension};

use super::error::GridError;
use super::halo_array::HaloArray;
use super::part::PartLayout;

impl<T: Remote, const D: usize> HaloArray<T, D>
where
    Dim<[usize; D]>: Dimension,
{
    /// Collective. Gives each image its block of `array`, which has the shape of the whole array, in any order in memory.
    /// The `array` of images other than `root` is not used. Halos stay as they are.
    ///
    /// No image leaves before it has its cells.
    ///
    /// # Errors
    /// On all images if `root` gives no array, or one of another shape; then nothing is changed.
    ///
    /// # Panics
    /// If `root` is no image of the array's team. The job ends with a report if images name different arrays or roots.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::ndarray::Array;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let blocks = Blocks::new([4, 6], ImageGrid::balanced()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    ///     let whole = (this_image() == 0).then(|| Array::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as f64));
    ///     u.scatter_global(0, whole.as_ref().map(|whole| whole.view())).unwrap();
    ///     let [i, j] = u.global_of([1, 2]);
    ///     assert_eq!(u.interior()[[1, 2]], (10 * i + j) as f64);
    /// });
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.6, `MPI_Scatter`, with the datatypes that users of it write for blocks.
    #[track_caller]
    pub fn scatter_global(
        &mut self,
        root: usize,
        array: Option<ArrayView<'_, T, Dim<[usize; D]>>>,
    ) -> Result<(), GridError> {
        let call = self.scattering(root, Location::caller());
        let scattered = self.scatter(&call, root, array);
        self.or_end_job(&call, scattered)
    }

    /// Collective. As [`scatter_global`](Self::scatter_global), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`scatter_global`](Self::scatter_global); or, as [`GridError::ImageFailed`], the images of the array's team that have failed, or
    /// stopped, before all had left, the same on all others. Then each cell has its old value or its new one.
    ///
    /// # Panics
    /// As [`scatter_global`](Self::scatter_global); or if `root` failed in the middle of a value, and left bytes that are none.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::ndarray::Array;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([8], ImageGrid::balanced()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 0, 0).unwrap();
    ///     let whole = Array::from_iter(0..8);
    ///     assert_eq!(u.try_scatter_global(0, Some(whole.view())), Ok(()));
    ///     assert_eq!(u.interior()[1], 4 * this_image() + 1);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`scatter_global`](Self::scatter_global); failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_scatter_global(
        &mut self,
        root: usize,
        array: Option<ArrayView<'_, T, Dim<[usize; D]>>>,
    ) -> Result<(), GridError> {
        let call = self.scattering(root, Location::caller());
        self.scatter(&call, root, array)
            .unwrap_or_else(|failed| Err(GridError::ImageFailed(failed)))
    }

    fn scattering(&self, root: usize, caller: &'static Location<'static>) -> Call {
        let id = self.storage.id();
        Call::on_cells(Operation::ScatterGlobal, id, 0, 0, root, caller)
    }

    #[track_caller]
    fn scatter(
        &mut self,
        call: &Call,
        root: usize,
        array: Option<ArrayView<'_, T, Dim<[usize; D]>>>,
    ) -> Result<Result<(), GridError>, ImageFailed> {
        self.check_root(call, root);
        let (shape, is_root) = (self.blocks.shape(), self.team().index() == root);
        let array = array.filter(|array| is_root && array.shape() == shape.as_slice());
        // The root's payload says whether it has an array of the right shape.
        self.while_all_are_here(call, u64::from(array.is_some()), || {
            if let Some(array) = &array {
                // SAFETY: all images are in this call and borrow the array exclusively, and only the root writes to it.
                unsafe { self.send_blocks(array) };
            }
            match self.team().payload(root)[0] {
                0 => Err(GridError::NothingToScatter {
                    root,
                    shape: shape.to_vec(),
                }),
                _ => Ok(()),
            }
        })
    }

    /// Puts each image's block of the whole array.
    ///
    /// # Safety
    /// Nobody else uses the array meanwhile.
    unsafe fn send_blocks(&self, array: &ArrayView<'_, T, Dim<[usize; D]>>) {
        let array = array.as_standard_layout();
        let cells = array.as_slice().expect("it is in the standard order");
        let whole = PartLayout::of(&self.blocks.shape().map(|cells| 0..cells));
        for image in 0..self.team().images() {
            let block = self.blocks.range(image);
            let part = PartLayout::new(&block, self.halo);
            let copy = whole.copy(&part, &block);
            // SAFETY: the caller vouches that nobody else uses the part. The copy is from the layout of `cells`, which has all
            // cells and is no part of the halo array, to that of the image's part.
            unsafe { self.put_cells(image, &copy, cells.as_ptr()) };
        }
    }
}
