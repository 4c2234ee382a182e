//! Where cells land that come packed, from images that are not reached by load and store.

use super::blocks::Blocks;
use super::halo::Halo;
use super::layout::Layout;
use super::plan::{direction, lanes};

/// A place behind the cells of each part for those that arrive in each direction, the same on all images.
#[derive(Debug)]
pub(super) struct Landings {
    starts: Vec<usize>,
    end: usize,
}

impl Landings {
    /// Places with room for the largest blocks, from cell `start` of a part on; none if they cannot be counted.
    pub(super) fn new<const D: usize>(
        start: usize,
        blocks: &Blocks<D>,
        halo: Halo<D>,
    ) -> Option<Self> {
        // The longest blocks come first.
        let layout = Layout::new(blocks.block_shape(0), halo);
        let mut end = start;
        let starts = (0..lanes(D)).map(|number| {
            let way = direction::<D>(number);
            let start = end;
            if way != [0; D] {
                let margin = layout.margin(way, &halo);
                end = end.checked_add(margin.iter().map(|cells| cells.len()).product())?;
            }
            Some(start)
        });
        let starts = starts.collect::<Option<_>>()?;
        Some(Self { starts, end })
    }

    /// The place for the direction with that number.
    pub(super) fn of(&self, number: usize) -> usize {
        self.starts[number]
    }

    /// The cell behind the last place.
    pub(super) fn end(&self) -> usize {
        self.end
    }
}
