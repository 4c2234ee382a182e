//! How the elements of an operation are divided into blocks.

use std::ops::Range;

use crate::blocks::{Blocks, slice};

/// The blocks of an operation, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    division: Division,
    count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Division {
    Blocks(Blocks),
    /// So many elements in slices of about the same length.
    Slices(usize),
    /// So many elements, of which each block but the last has `most`.
    Windows {
        length: usize,
        most: usize,
    },
}

impl Layout {
    /// The first `count` of these blocks.
    pub(crate) fn of(blocks: Blocks, count: usize) -> Self {
        let division = Division::Blocks(blocks);
        Self { division, count }
    }

    /// `count` blocks of `length` elements.
    pub(crate) fn equal(count: usize, length: usize) -> Self {
        Self::of(Blocks::Equal(length), count)
    }

    /// `length` elements in `count` slices.
    pub(crate) fn slices(count: usize, length: usize) -> Self {
        let division = Division::Slices(length);
        Self { division, count }
    }

    /// `length` elements in `count` blocks, of which each but the last has `most`.
    pub(super) fn windows(count: usize, most: usize, length: usize) -> Self {
        let division = Division::Windows { length, most };
        Self { division, count }
    }

    /// Where the elements of these blocks are. Behind the last block comes the first again.
    pub(crate) fn elements(&self, blocks: &Range<usize>) -> Range<usize> {
        let start = |block: usize| match block < self.count {
            true => self.start(block),
            false => self.length() + self.start(block - self.count),
        };
        start(blocks.start)..start(blocks.end)
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.count
    }

    /// The number of elements of all blocks.
    pub(crate) fn length(&self) -> usize {
        self.start(self.count)
    }

    fn start(&self, block: usize) -> usize {
        match &self.division {
            Division::Blocks(blocks) => blocks.range(0..block).end,
            Division::Slices(length) => slice(*length, self.count, block).start,
            Division::Windows { length, most } => (most * block).min(*length),
        }
    }
}
