//! Copies between arrays that are divided into blocks in different ways.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation};
use ndarray::{Dim, Dimension};

use super::error::GridError;
use super::halo_array::HaloArray;
use super::part::{PartLayout, owners};

/// Collective. Copies all cells of `from` to `to`, whose images may be arranged in another way. Halos are neither read nor
/// written, and need not be equally wide.
///
/// Each image gets the cells of its block of `to` from the images that have them in their block of `from`. No image leaves
/// before all have entered and have their cells.
///
/// # Errors
/// On all images if the arrays differ in shape, or in their teams; then nothing is changed.
///
/// # Panics
/// The job ends with a report if images name different arrays.
///
/// # Examples
/// An array that is divided by rows, and then by columns, as transforms along either axis need it:
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let rows = Blocks::new([6, 9], ImageGrid::new([3, 1]).unwrap()).unwrap();
///     let columns = Blocks::new([6, 9], ImageGrid::new([1, 3]).unwrap()).unwrap();
///     let by_rows = HaloArray::from_fn(&rows, 1, |[i, j]| 10 * i + j).unwrap();
///     let mut by_columns = HaloArray::filled(&columns, 0, 0).unwrap();
///     gmove(&by_rows, &mut by_columns).unwrap();
///     assert_eq!(by_columns.interior()[[5, 1]], 50 + 3 * this_image() + 1);
/// });
/// ```
///
/// # Source
/// `gmove` of XcalableMP, specification 1.4, section 4.3.
#[track_caller]
pub fn gmove<T: Remote, const D: usize>(
    from: &HaloArray<T, D>,
    to: &mut HaloArray<T, D>,
) -> Result<(), GridError>
where
    Dim<[usize; D]>: Dimension,
{
    let (call, moved) = move_all(from, to)?;
    from.or_end_job(&call, moved);
    Ok(())
}

/// Collective. As [`gmove`], but failed images do not end the job.
///
/// # Errors
/// As [`gmove`]; or, as [`GridError::ImageFailed`], the images of the arrays' team that have failed, or stopped, before all had left,
/// the same on all others. Then each cell of `to` has its old value or its new one.
///
/// # Panics
/// As [`gmove`].
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid, try_gmove};
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let [rows, columns] = [[2, 1], [1, 2]]
///         .map(|extents| Blocks::new([4, 4], ImageGrid::new(extents).unwrap()).unwrap());
///     let by_rows = HaloArray::from_fn(&rows, 0, |[i, j]| 10 * i + j).unwrap();
///     let mut by_columns = HaloArray::filled(&columns, 0, 0).unwrap();
///     assert_eq!(try_gmove(&by_rows, &mut by_columns), Ok(()));
///     assert_eq!(by_columns.interior()[[3, 1]], 31 + 2 * this_image());
/// });
/// ```
///
/// # Source
/// As [`gmove`]; failed images as in Fortran 2018, clause 11.6.11.
#[track_caller]
pub fn try_gmove<T: Remote, const D: usize>(
    from: &HaloArray<T, D>,
    to: &mut HaloArray<T, D>,
) -> Result<(), GridError>
where
    Dim<[usize; D]>: Dimension,
{
    let (_, moved) = move_all(from, to)?;
    moved.map_err(GridError::ImageFailed)
}

/// Moves the cells; returns the call, and which images failed in it.
#[track_caller]
fn move_all<T: Remote, const D: usize>(
    from: &HaloArray<T, D>,
    to: &mut HaloArray<T, D>,
) -> Result<(Call, Result<(), ImageFailed>), GridError>
where
    Dim<[usize; D]>: Dimension,
{
    let (source, target) = (from.blocks(), to.blocks());
    if source.shape() != target.shape() {
        return Err(GridError::DifferentShapes {
            from: source.shape().to_vec(),
            to: target.shape().to_vec(),
        });
    }
    if !from.team().is(to.team()) {
        return Err(GridError::DifferentTeams);
    }
    let (old, new) = (from.storage.id(), to.storage.id());
    let call = Call::between_objects(Operation::Gmove, old, new, Location::caller());
    // Ends an exchange whose guard was leaked, in which others write to the array's halo.
    to.settle();
    let block = target.own_range();
    let new = PartLayout::new(&block, to.halo);
    let moved = from.while_all_are_here(&call, 0, || {
        for (image, cells) in owners(source, &block) {
            let old = PartLayout::new(&source.range(image), from.halo);
            let copy = old.copy(&new, &cells);
            // SAFETY: all images are in this call and borrow `from`, so nobody writes to it. The copy is from the layout of the
            // image's part to that of this image's part of the other array, which is borrowed exclusively.
            unsafe { from.get_cells(image, &copy, to.first()) };
        }
    });
    Ok((call, moved))
}
