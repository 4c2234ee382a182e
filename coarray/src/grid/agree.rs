//! The check that all images create the same array, on which it depends where they write in each other's memory.

use coarray_collectives::{co_all, co_broadcast};
use coarray_runtime::Team;

use super::blocks::Blocks;
use super::error::GridError;
use super::halo::Halo;

/// Collective. Checks that all images of `team`, the current one, pass the same blocks and halo.
///
/// # Errors
/// On all images, if they do not.
#[track_caller]
pub(super) fn agree<const D: usize>(
    team: &Team,
    blocks: &Blocks<D>,
    halo: &Halo<D>,
) -> Result<(), GridError> {
    let grid = blocks.grid();
    let mine: Vec<u64> = [blocks.shape(), grid.extents(), halo.lower, halo.upper]
        .as_flattened()
        .iter()
        .map(|&number| number as u64)
        .chain(grid.periodic().map(u64::from))
        .chain([u64::from(grid.is_column_major())])
        .collect();
    let mut first = mine.clone();
    co_broadcast(&mut first[..], 0);
    if co_all(first == mine) {
        return Ok(());
    }
    Err(GridError::ImagesDisagree {
        image: team.index(),
        wanted: format!(
            "shape {:?} on images {:?}{}, periodic {:?}, with halos {:?} and {:?}",
            blocks.shape(),
            grid.extents(),
            if grid.is_column_major() {
                " in column-major order"
            } else {
                ""
            },
            grid.periodic(),
            halo.lower,
            halo.upper
        ),
    })
}
