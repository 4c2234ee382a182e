//! Where cells land that come packed.

use super::blocks::Blocks;
use super::halo::Halo;
use super::layout::Layout;
use super::plan::{direction, lanes};

/// A place behind the cells of each part for those that arrive in each direction, the same on all images.
#[derive(Debug)]
pub(super) struct Landings {
    starts: Vec<Option<usize>>,
    end: usize,
}

impl Landings {
    /// Places with room for the largest blocks, behind the cells of the largest part; none if they cannot be counted. Where all
    /// images of the team reach each other by load and store, only for directions along the last axis, as others have longer
    /// runs.
    pub(super) fn new<const D: usize>(
        blocks: &Blocks<D>,
        halo: Halo<D>,
        is_direct: bool,
    ) -> Option<Self> {
        // The longest blocks come first.
        let layout = Layout::new(blocks.block_shape(0), halo);
        let mut end = Layout::cells(blocks.block_shape(0), &halo)?;
        let mut starts = vec![None; lanes(D)];
        for (number, place) in starts.iter_mut().enumerate() {
            let way = direction::<D>(number);
            if way[D - 1] != 0 || !is_direct && way != [0; D] {
                *place = Some(end);
                let margin = layout.margin(way, &halo);
                end = end.checked_add(margin.iter().map(|cells| cells.len()).product())?;
            }
        }
        Some(Self { starts, end })
    }

    /// The place for the direction with that number, if it has one.
    pub(super) fn of(&self, number: usize) -> Option<usize> {
        self.starts[number]
    }

    /// The cell behind the last place.
    pub(super) fn end(&self) -> usize {
        self.end
    }
}
