//! From one division of an array into blocks to another.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_fabric::{Call, Operation};
use ndarray::{Dim, Dimension};

use super::blocks::Blocks;
use super::error::GridError;
use super::fetch::fetch;
use super::halo_array::HaloArray;
use super::rows::{Layout, Part, Runs, common};

/// Collective. Copies all cells of `from` to `to`, whose images may be arranged in another way. Halos are neither read nor
/// written, and need not be equally wide.
///
/// Each image gets what its block of `to` has in common with the blocks of `from`, from those images only that have some of
/// it. No image leaves before all have entered, and before all have got what they need.
///
/// # Errors
/// On all images if the arrays differ in shape, or in their teams; then nothing is changed.
///
/// # Panics
/// The job ends with a report if images name different arrays.
///
/// # Examples
/// An array whose rows are divided, and then its columns, as a transform along either axis wants them:
/// ```
/// use coarray::grid::gmove;
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
    let call = Call::between_objects(Operation::Gmove, from.id(), to.id(), Location::caller());
    let pieces = pieces(source, &target.own_range());
    let layout = Layout::of_block(&target.own_range(), &to.halo());
    from.while_all_read(&call, || {
        let cells = to.cells_mut();
        for (image, piece) in &pieces {
            let block = source.range(*image);
            let old = Layout::of_block(&block, &from.halo());
            let runs = Runs::new(piece, &old, &layout);
            // SAFETY: all images are within `while_all_read`.
            let place = unsafe { from.part_of(*image) };
            fetch(place, cells, runs);
        }
    });
    Ok(())
}

/// The images whose blocks have cells of a part, which is not empty, and which.
fn pieces<const D: usize>(blocks: &Blocks<D>, part: &Part<D>) -> Vec<(usize, Part<D>)> {
    let grid = blocks.grid();
    let corner = |cell: [usize; D]| grid.coordinates_of(blocks.locate(cell).0);
    let first = corner(part.clone().map(|range| range.start));
    let last = corner(part.clone().map(|range| range.end - 1));
    let images: usize = (0..D).map(|axis| last[axis] - first[axis] + 1).product();
    (0..images)
        .filter_map(|mut number| {
            let mut coordinates = first;
            for axis in (0..D).rev() {
                let images = last[axis] - first[axis] + 1;
                coordinates[axis] += number % images;
                number /= images;
            }
            let image = grid.image_at(coordinates);
            common(part, &blocks.range(image)).map(|piece| (image, piece))
        })
        .collect()
}
