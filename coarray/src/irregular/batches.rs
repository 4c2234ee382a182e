//! Items that wait, image by image, until there are enough to travel together.

use std::mem;

/// How many items for an image wait before they travel.
const BATCH: usize = 1024;

/// Indices on an image, and an item for each.
type Batch<I> = (Vec<usize>, Vec<I>);

/// What waits for each image.
pub(super) struct Batches<I>(Vec<Batch<I>>);

impl<I> Batches<I> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds an item. Returns what waits for its image if that is enough.
    pub(super) fn push(&mut self, image: usize, index: usize, item: I) -> Option<Batch<I>> {
        if image >= self.0.len() {
            self.0.resize_with(image + 1, Default::default);
        }
        let batch = &mut self.0[image];
        batch.0.push(index);
        batch.1.push(item);
        let next = || (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        (batch.0.len() == BATCH).then(|| mem::replace(batch, next()))
    }

    /// All that waits, with the images.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (usize, Batch<I>)> {
        let waiting = mem::take(&mut self.0).into_iter().enumerate();
        waiting.filter(|(_, (indices, _))| !indices.is_empty())
    }
}
