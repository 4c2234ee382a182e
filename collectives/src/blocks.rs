//! Blocks of elements, one after the other, and the windows of them that fit a buffer.
//!
//! A *window* of a sequence is a range of its elements. A *slab* is the same range of elements from every block.

use std::ops::Range;

/// The ranges of the blocks at positions 0, 1, ... in a sequence of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// All have the same length.
    Equal(usize),
    /// Where each begins, and where the last one ends.
    Starts(Vec<usize>),
}

impl Blocks {
    /// `blocks` blocks of the same length.
    ///
    /// # Panics
    /// If all elements together are more than can be counted.
    #[track_caller]
    pub(crate) fn equal(blocks: usize, length: usize) -> Self {
        if blocks.checked_mul(length).is_none() {
            too_long();
        }
        Self::Equal(length)
    }

    /// Blocks of these lengths.
    ///
    /// # Panics
    /// If all elements together are more than can be counted.
    #[track_caller]
    pub(crate) fn of(lengths: impl Iterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut end = 0_usize;
        for length in lengths {
            end = end.checked_add(length).unwrap_or_else(|| too_long());
            starts.push(end);
        }
        Self::Starts(starts)
    }

    /// The range of the blocks at these positions.
    pub(crate) fn range(&self, positions: Range<usize>) -> Range<usize> {
        match self {
            Self::Equal(length) => positions.start * length..positions.end * length,
            Self::Starts(starts) => starts[positions.start]..starts[positions.end],
        }
    }

    /// The range of the block at a position.
    pub(crate) fn block(&self, position: usize) -> Range<usize> {
        self.range(position..position + 1)
    }

    /// The blocks at `positions` that have elements in `window`: their positions, and the ranges of these elements in them.
    pub(crate) fn within(
        &self,
        positions: Range<usize>,
        window: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        positions.filter_map(move |position| {
            let block = self.block(position);
            let part = overlap(&block, &window);
            (!part.is_empty()).then(|| (position, part.start - block.start..part.end - block.start))
        })
    }

    /// The blocks that consist of elements `window` of each block, or of as many of these as it has.
    pub(crate) fn slab(&self, window: &Range<usize>) -> Self {
        let inside = |length: usize| overlap(&(0..length), window).len();
        match self {
            Self::Equal(length) => Self::Equal(inside(*length)),
            Self::Starts(starts) => {
                let lengths = starts.windows(2).map(|ends| ends[1] - ends[0]);
                Self::of(lengths.map(inside))
            }
        }
    }

    /// Windows that cover each of the first `blocks` blocks, such that each [slab](Self::slab) has at most `most` elements; at
    /// least one window. `blocks` is at most `most`.
    pub(crate) fn slabs(&self, blocks: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let start = next?;
            let longer = |end: usize| match self {
                Self::Equal(length) => blocks * usize::from(*length > end),
                Self::Starts(starts) => {
                    let ends = starts.windows(2);
                    ends.filter(|ends| ends[1] - ends[0] > end).count()
                }
            };
            let end = start + most / longer(start).max(1);
            next = (longer(end) > 0).then_some(end);
            Some(start..end)
        })
    }

    /// The length of the longest of the first `blocks` blocks.
    pub(crate) fn longest(&self, blocks: usize) -> usize {
        let lengths = (0..blocks).map(|position| self.block(position).len());
        match self {
            Self::Equal(length) => *length,
            Self::Starts(_) => lengths.max().unwrap_or_default(),
        }
    }
}

/// Windows of at most `most` elements over `range`; at least one, so that the images pass a barrier.
#[inline]
pub(crate) fn windows(range: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let windows = range.len().div_ceil(most).max(1);
    (0..windows).map(move |number| {
        let start = range.start + number * most;
        start..range.end.min(start.saturating_add(most))
    })
}

/// Slice `number` of `length` elements that are divided among `images`.
pub(crate) fn slice(length: usize, images: usize, number: usize) -> Range<usize> {
    length * number / images..length * (number + 1) / images
}

/// The intersection of two ranges, maybe empty.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let end = one.end.min(other.end);
    one.start.max(other.start).min(end)..end
}

/// A vector with room for exactly `length` elements.
///
/// # Panics
/// If there is no memory for it.
#[track_caller]
pub(crate) fn room_for<T>(length: usize) -> Vec<T> {
    let mut room = Vec::new();
    reserve_room(&mut room, length);
    room
}

/// Makes room in `vector` for `more` elements.
///
/// # Panics
/// If there is too little memory.
#[track_caller]
pub(crate) fn reserve_room<T>(vector: &mut Vec<T>, more: usize) {
    if vector.try_reserve_exact(more).is_err() {
        panic!("no memory for {more} elements from other images");
    }
}

#[cold]
#[track_caller]
fn too_long() -> ! {
    panic!("the elements of all images together are more than can be counted")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [[usize; 5]; 5] = [
        [0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1],
        [100, 0, 3, 0, 1],
        [0, 17, 17, 18, 0],
        [0, 0, 0, 0, 1000],
    ];

    #[test]
    fn slabs_take_every_element_once_and_are_short_enough() {
        for lengths in LENGTHS {
            let blocks = Blocks::of(lengths.into_iter());
            for most in 5..40 {
                let mut taken = [0; 5];
                for window in blocks.slabs(5, most) {
                    let slab = blocks.slab(&window);
                    assert!(slab.range(0..5).len() <= most, "{lengths:?} {most}");
                    for (position, taken) in taken.iter_mut().enumerate() {
                        let length = slab.block(position).len();
                        assert!(length == 0 || *taken == window.start);
                        *taken += length;
                    }
                }
                assert_eq!(taken, lengths);
            }
        }
    }

    #[test]
    fn windows_cover_a_range_without_gaps() {
        for length in 0..30 {
            for most in 1..10 {
                let mut end = 3;
                for window in windows(3..3 + length, most) {
                    assert!(window.start == end && window.len() <= most);
                    end = window.end;
                }
                assert_eq!(end, 3 + length);
            }
        }
    }

    #[test]
    fn equal_blocks_are_as_blocks_of_equal_lengths() {
        let (equal, listed) = (Blocks::equal(5, 7), Blocks::of([7; 5].into_iter()));
        assert_eq!(equal.range(1..4), listed.range(1..4));
        assert_eq!(equal.longest(5), listed.longest(5));
        assert!(equal.slabs(5, 11).eq(listed.slabs(5, 11)));
        assert!(equal.within(1..5, 10..20).eq(listed.within(1..5, 10..20)));
        assert!(listed.within(1..5, 10..20).eq([(1, 3..7), (2, 0..6)]));
    }

    #[test]
    #[should_panic(expected = "the elements of all images together are more than can be counted")]
    fn equal_blocks_that_are_too_many_elements_are_refused() {
        Blocks::equal(3, usize::MAX / 2);
    }

    #[test]
    #[should_panic(expected = "the elements of all images together are more than can be counted")]
    fn blocks_that_are_too_many_elements_are_refused() {
        Blocks::of([usize::MAX, 1].into_iter());
    }

    #[test]
    #[should_panic(expected = "no memory for 9223372036854775807 elements from other images")]
    fn too_many_elements_from_others_are_refused() {
        room_for::<u64>(isize::MAX as usize);
    }
}
