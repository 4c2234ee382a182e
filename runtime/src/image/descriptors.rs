//! Allocates descriptors and their payloads in the image's own heap, and keeps freed small blocks for reuse.

use std::collections::VecDeque;

use crate::call::Call;
use crate::heap::RaggedBlock;
use crate::image::Image;
use crate::image::descriptor::{ALIGN, DescriptorBuilder};
use crate::lockfree::log::Reclaimable;

/// Up to this size a descriptor has its payload inside. Small descriptors, and all without their payloads, come in
/// sizes that are powers of two, and their blocks are reused.
const SMALL: usize = 4096;

/// The smallest of these sizes.
const SMALLEST: usize = 256;

/// Descriptors with separate payloads are allocated in batches of this size. One that lay behind a long payload would,
/// while it is needed, keep the payload's memory from merging with its neighbourhood.
const REFILL: usize = 16;

/// Most bytes of spare blocks.
const SPARE_BYTES: usize = 1 << 18;

/// What the memory is for, in error texts.
pub(crate) const SUBJECT: &str = "values of an asynchronous collective";

/// The descriptors that an image has posted to one team, and spare blocks.
#[derive(Debug, Default)]
pub(crate) struct Descriptors {
    /// The number of the first descriptor that is not reclaimed.
    first: u64,
    slots: VecDeque<Slot>,
    /// The separate payloads that are not reclaimed, oldest first.
    payloads: VecDeque<Payload>,
    spares: Vec<Slot>,
    spare_bytes: usize,
}

#[derive(Debug)]
struct Slot {
    block: RaggedBlock,
    size: usize,
}

#[derive(Debug)]
struct Payload {
    /// The number of its descriptor.
    number: u64,
    slot: Slot,
}

/// Where a descriptor is to be written: offsets in the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    pub(crate) descriptor: usize,
    /// The offset of a separate payload.
    pub(crate) payload: Option<usize>,
}

impl Descriptors {
    /// Whether everything is reclaimed.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.payloads.is_empty()
    }

    /// Whether there are separate payloads.
    pub(crate) fn has_payloads(&self) -> bool {
        !self.payloads.is_empty()
    }

    /// Allocates the next descriptor and its payload.
    ///
    /// # Errors
    /// The number of bytes for which the heap has no room.
    pub(crate) fn take(
        &mut self,
        image: &Image,
        builder: &DescriptorBuilder<'_>,
        call: &Call,
    ) -> Result<Offsets, usize> {
        let (bare, size) = (builder.bare_size(), builder.payload_size());
        if size <= SMALL - bare {
            let descriptor = self.take_small(image, bare + size, call)?;
            return Ok(Offsets {
                descriptor,
                payload: None,
            });
        }
        self.refill_spares(image, bare, call);
        let slot = Slot::new(image, size, call)?;
        let payload = slot.block.offset();
        let descriptor = match self.take_small(image, bare, call) {
            Ok(record) => record,
            Err(bytes) => {
                slot.free(image);
                return Err(bytes);
            }
        };
        let number = self.first + self.slots.len() as u64 - 1;
        self.payloads.push_back(Payload { number, slot });
        image
            .unreclaimed_bytes
            .set(image.unreclaimed_bytes.get() + size);
        Ok(Offsets {
            descriptor,
            payload: Some(payload),
        })
    }

    /// Refills the spare blocks of `size` bytes if there are none, as far as the heap has room.
    fn refill_spares(&mut self, image: &Image, size: usize, call: &Call) {
        let size = rounded(size);
        if self.spares.iter().any(|spare| spare.size == size) {
            return;
        }
        for _ in 0..REFILL {
            let Ok(slot) = Slot::new(image, size, call) else {
                return;
            };
            self.spare_bytes += size;
            self.spares.push(slot);
        }
    }

    fn take_small(&mut self, image: &Image, size: usize, call: &Call) -> Result<usize, usize> {
        let size = rounded(size);
        let spare = self.spares.iter().rposition(|spare| spare.size == size);
        let slot = match spare {
            Some(index) => {
                self.spare_bytes -= size;
                self.spares.swap_remove(index)
            }
            None => Slot::new(image, size, call)?,
        };
        let offset = slot.block.offset();
        self.slots.push_back(slot);
        Ok(offset)
    }

    /// Frees the descriptors and payloads that no image needs.
    pub(crate) fn reclaim(&mut self, image: &Image, reclaimable: Reclaimable) {
        // An image that has released a descriptor has finished with its payload.
        let finished = reclaimable.payloads.max(reclaimable.records);
        let is_over = |payload: &Payload| payload.number < finished;
        while self.payloads.front().is_some_and(is_over)
            && let Some(payload) = self.payloads.pop_front()
        {
            image
                .unreclaimed_bytes
                .set(image.unreclaimed_bytes.get() - payload.slot.size);
            payload.slot.free(image);
        }
        while self.first < reclaimable.records
            && let Some(slot) = self.slots.pop_front()
        {
            self.first += 1;
            if self.spare_bytes + slot.size <= SPARE_BYTES {
                self.spare_bytes += slot.size;
                self.spares.push(slot);
            } else {
                slot.free(image);
            }
        }
    }

    /// Frees the spare blocks.
    pub(crate) fn free_spares(&mut self, image: &Image) {
        self.spare_bytes = 0;
        for slot in self.spares.drain(..) {
            slot.free(image);
        }
    }
}

/// The size of the block for a small descriptor of `size` bytes.
fn rounded(size: usize) -> usize {
    size.next_power_of_two().max(SMALLEST)
}

impl Slot {
    /// Allocates `size` bytes, or returns `size` if there is no room.
    fn new(image: &Image, size: usize, call: &Call) -> Result<Self, usize> {
        let block = image.allocate_ragged(size, ALIGN, SUBJECT, call.caller());
        block.map(|block| Self { block, size }).map_err(|_| size)
    }

    fn free(self, image: &Image) {
        // SAFETY: `Slot::new` allocated the block with this image, `self` is consumed so it is freed once, and no image
        // reads it any more: it was never posted, or all have released it.
        unsafe { image.free_ragged(self.block) };
    }
}
