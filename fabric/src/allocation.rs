//! Allocating in the heaps: what the images agree on, and how.

use std::panic::Location;
use std::sync::atomic::Ordering;

use crate::agreement::Header;
use crate::call::Call;
use crate::heap::exhausted::AllocError;
use crate::heap::{Block, Heap, MAX_ALIGN, Purpose, RaggedBlock};
use crate::image::Image;

/// The steps of an allocation after its first rendezvous.
const RETRY: usize = 1;
const COMMIT: usize = 2;

/// The first step of a creation after its allocation.
pub const FILLED: usize = 3;

impl Image {
    /// Collective. Takes a block of `size` bytes at the same offset of every image's heap. The bytes
    /// hold anything.
    ///
    /// # Errors
    /// If it does not fit or an image gets no memory; then on all images alike, and nothing changed.
    ///
    /// # Safety
    /// All images that make this call ask for the same size and alignment.
    pub unsafe fn allocate(
        &self,
        call: &Call,
        size: usize,
        align: usize,
    ) -> Result<Block, AllocError> {
        assert!(
            align <= MAX_ALIGN,
            "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
        );
        let purpose = Purpose {
            subject: call.subject(),
            caller: call.caller(),
        };
        let mut heap = self.heap.borrow_mut();
        heap.allocations += 1;
        let allocation = heap.allocations;
        let parity = (allocation & 1) as usize;
        self.control(self.index).floor[parity].store(heap.floor() as u64, Ordering::Relaxed);
        drop(heap);
        // SAFETY: this image's floor is published.
        unsafe { self.meet(call) };

        let mut heap = self.heap.borrow_mut();
        let limit = (0..self.images)
            .map(|image| self.control(image).floor[parity].load(Ordering::Relaxed) as usize)
            .min()
            .unwrap_or(0);
        heap.release_limbo();
        heap.collect_dropped(|block| {
            (0..self.images).all(|image| self.header(image, block).is_dropped_at(allocation))
        });
        let mut block = heap.take(size, align, limit, purpose);
        if block.is_none() && heap.has_limbo() {
            drop(heap);
            // SAFETY: this image reads no more headers of dropped blocks.
            unsafe { self.meet(&call.at_step(RETRY)) };
            heap = self.heap.borrow_mut();
            heap.release_limbo();
            block = heap.take(size, align, limit, purpose);
        }
        let Some(block) = block else {
            return Err(self.exhausted(&heap, size, purpose));
        };
        if let Some((offset, length)) = heap.uncommitted(&block) {
            drop(heap);
            self.commit_on_all(call, &block, size, offset, length)?;
        }
        self.header(self.index, &block).revive();
        Ok(block)
    }

    fn commit_on_all(
        &self,
        call: &Call,
        block: &Block,
        size: usize,
        offset: usize,
        length: usize,
    ) -> Result<(), AllocError> {
        let parity = (self.heap.borrow().allocations & 1) as usize;
        let result = self
            .job
            .region
            .commit_heap(self.index, offset, length, self.images);
        self.control(self.index).committed[parity]
            .store(u32::from(result.is_ok()), Ordering::Relaxed);
        // SAFETY: this image's success is published.
        unsafe { self.meet(&call.at_step(COMMIT)) };
        let mut heap = self.heap.borrow_mut();
        let without = (0..self.images)
            .find(|&image| self.control(image).committed[parity].load(Ordering::Relaxed) == 0);
        let Some(image) = without else {
            heap.set_committed(offset, length);
            return Ok(());
        };
        heap.untake(block);
        Err(AllocError::NoMemory {
            requested: size,
            subject: call.subject(),
            image,
            reason: result
                .err()
                .map_or_else(|| "see its report".into(), |error| error.to_string()),
            holders: heap.holders(),
        })
    }

    fn exhausted(&self, heap: &Heap, size: usize, purpose: Purpose) -> AllocError {
        AllocError::HeapExhausted {
            requested: size,
            subject: purpose.subject,
            heap: heap.bytes(),
            used: heap.used(),
            waiting: heap.waiting(),
            holders: heap.holders(),
        }
    }

    /// Local. Notes that this image will not touch `block` again. The memory is used again after a
    /// later [`allocate`](Self::allocate), once every image has said so.
    ///
    /// # Safety
    /// This image allocated the block, has not freed it before, and will not touch it again.
    pub unsafe fn free(&self, block: Block) {
        let mut heap = self.heap.borrow_mut();
        self.header(self.index, &block)
            .mark_dropped(heap.allocations);
        heap.drop_block(block);
    }

    /// Local. Takes a block of `size` bytes in this image's heap alone. The bytes hold anything.
    ///
    /// # Errors
    /// If it does not fit or there is no memory.
    pub fn allocate_ragged(
        &self,
        size: usize,
        align: usize,
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Result<RaggedBlock, AllocError> {
        assert!(
            align <= MAX_ALIGN,
            "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
        );
        let purpose = Purpose { subject, caller };
        let mut heap = self.heap.borrow_mut();
        let Some(block) = heap.take_ragged(size, align, purpose) else {
            return Err(self.exhausted(&heap, size, purpose));
        };
        if let Some((offset, length)) = heap.uncommitted_ragged(&block) {
            if let Err(error) = self.job.region.commit_heap(self.index, offset, length, 1) {
                heap.free_ragged(block);
                return Err(AllocError::NoMemory {
                    requested: size,
                    subject,
                    image: self.index,
                    reason: error.to_string(),
                    holders: heap.holders(),
                });
            }
            heap.set_ragged_committed(length);
        }
        Ok(block)
    }

    /// Local. Frees a ragged block at once: no image may touch it any more.
    ///
    /// # Safety
    /// This image allocated the block and has not freed it before, and no image will touch it again.
    pub unsafe fn free_ragged(&self, block: RaggedBlock) {
        self.heap.borrow_mut().free_ragged(block);
    }

    fn header(&self, image: usize, block: &Block) -> &Header {
        // SAFETY: `Heap::take` left room for a header before the block's first byte, at a multiple of
        // the header's alignment, and the pages were committed before any image got the block. A header
        // is one atomic, for which all bytes are valid, and no reference to this memory as anything
        // else exists: blocks hand out the bytes from `offset` on, and are used again only after all
        // images stopped reading the header (agreement.rs).
        unsafe {
            &*self
                .heap(image)
                .add(block.offset - size_of::<Header>())
                .cast::<Header>()
        }
    }
}
