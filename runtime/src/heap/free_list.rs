//! The free bytes of a heap: first fit from the low end, adjacent holes merged.
//!
//! The result depends only on the live blocks and the requests, so images with the same live blocks find the same
//! offsets.

use std::collections::BTreeMap;

/// The free bytes of a heap that grows upwards from an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FreeList {
    bottom: usize,
    /// Length of each hole below `top`, by its offset. Holes never touch each other or `top`.
    holes: BTreeMap<usize, usize>,
    top: usize,
}

impl FreeList {
    /// All bytes from `bottom` on.
    pub(crate) fn from(bottom: usize) -> Self {
        Self {
            bottom,
            top: bottom,
            holes: BTreeMap::new(),
        }
    }

    /// The first offset above every live block.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// Bytes in live blocks.
    pub(crate) fn used(&self) -> usize {
        self.top - self.bottom - self.holes.values().sum::<usize>()
    }

    /// The lowest offset from `from` on, a multiple of `align`, at which `size` bytes are free that end at or below
    /// `limit`.
    pub(crate) fn find(
        &self,
        size: usize,
        align: usize,
        from: usize,
        limit: usize,
    ) -> Option<usize> {
        let fits = |start: usize, end: usize| {
            let offset = start.max(from).checked_next_multiple_of(align)?;
            (offset.checked_add(size)? <= end.min(limit)).then_some(offset)
        };
        self.holes
            .iter()
            .find_map(|(&start, &length)| fits(start, start + length))
            .or_else(|| fits(self.top, usize::MAX))
    }

    /// Takes `size` bytes at `offset`, which are free.
    pub(crate) fn take(&mut self, offset: usize, size: usize) {
        let (start, end) = if offset >= self.top {
            let start = std::mem::replace(&mut self.top, offset + size);
            (start, offset + size)
        } else {
            let hole = self.holes.range(..=offset).next_back();
            let (&start, &length) = hole.expect("the bytes are free");
            self.holes.remove(&start);
            (start, start + length)
        };
        assert!(offset + size <= end, "the bytes are free");
        if start < offset {
            self.holes.insert(start, offset - start);
        }
        if offset + size < end {
            self.holes.insert(offset + size, end - offset - size);
        }
    }

    /// Takes `size` bytes at a multiple of `align`, ending at or below `limit`.
    pub(crate) fn allocate(&mut self, size: usize, align: usize, limit: usize) -> Option<usize> {
        let offset = self.find(size, align, 0, limit)?;
        self.take(offset, size);
        Some(offset)
    }

    /// Frees a block that `allocate` returned.
    pub(crate) fn free(&mut self, offset: usize, size: usize) {
        let mut start = offset;
        let mut end = offset + size;
        if let Some((&before, &length)) = self.holes.range(..offset).next_back()
            && before + length == offset
        {
            self.holes.remove(&before);
            start = before;
        }
        if let Some(length) = self.holes.remove(&end) {
            end += length;
        }
        if end == self.top {
            self.top = start;
        } else {
            self.holes.insert(start, end - start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn live_blocks_are_aligned_disjoint_and_below_the_limit(
            requests in prop::collection::vec((1usize..300, 0u32..7, any::<prop::sample::Index>()), 1..200),
        ) {
            let limit = 8192;
            let mut list = FreeList::default();
            let mut live: Vec<(usize, usize)> = Vec::new();
            for (size, align, victim) in requests {
                let align = 1 << align;
                match list.allocate(size, align, limit) {
                    Some(offset) => {
                        prop_assert_eq!(offset % align, 0);
                        prop_assert!(offset + size <= limit);
                        for &(other, length) in &live {
                            prop_assert!(offset + size <= other || other + length <= offset);
                        }
                        live.push((offset, size));
                    }
                    None => {
                        let (offset, size) = live.swap_remove(victim.index(live.len()));
                        list.free(offset, size);
                    }
                }
                prop_assert_eq!(list.used(), live.iter().map(|block| block.1).sum::<usize>());
            }
            for (offset, size) in live {
                list.free(offset, size);
            }
            prop_assert_eq!(list, FreeList::default());
        }
    }

    #[test]
    fn a_freed_hole_is_used_before_the_heap_grows() {
        let mut list = FreeList::default();
        let first = list.allocate(100, 1, 1000).unwrap();
        list.allocate(100, 1, 1000).unwrap();
        list.free(first, 100);
        assert_eq!(list.allocate(60, 1, 1000), Some(0));
        assert_eq!(list.allocate(40, 1, 1000), Some(60));
        assert_eq!(list.allocate(40, 1, 1000), Some(200));
        assert_eq!(list.allocate(761, 1, 1000), None);
    }
}
