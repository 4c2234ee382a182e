//! Receive windows: the memory in which packed cells arrive.

use super::blocks::Blocks;
use super::halo::Halo;
use super::layout::Layout;
use super::plan::{direction, lanes};

/// A window behind the cells of each part for each direction in which packed cells arrive, the same on all images.
#[derive(Debug)]
pub(super) struct ReceiveWindows {
    starts: Vec<Option<usize>>,
    end: usize,
}

impl ReceiveWindows {
    /// Windows with room for the largest blocks, behind the cells of the largest part; none if the cells cannot be counted. If
    /// all images of the team reach each other by load and store, there are windows only for directions along the last axis: in
    /// the others, runs are too long to be packed.
    pub(super) fn new<const D: usize>(
        blocks: &Blocks<D>,
        halo: Halo<D>,
        is_direct: bool,
    ) -> Option<Self> {
        // The longest blocks come first.
        let layout = Layout::new(blocks.block_shape(0), halo);
        let mut end = Layout::cells(blocks.block_shape(0), &halo)?;
        let mut starts = vec![None; lanes(D)];
        for (number, start) in starts.iter_mut().enumerate() {
            let way = direction::<D>(number);
            if way[D - 1] != 0 || !is_direct && way != [0; D] {
                *start = Some(end);
                let margin = layout.margin(way, &halo);
                end = end.checked_add(margin.iter().map(|cells| cells.len()).product())?;
            }
        }
        Some(Self { starts, end })
    }

    /// The window for direction `number`, if it has one.
    pub(super) fn of(&self, number: usize) -> Option<usize> {
        self.starts[number]
    }

    /// The cell behind the last window.
    pub(super) fn end(&self) -> usize {
        self.end
    }
}
