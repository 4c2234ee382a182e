//! Memory for records: taken from the image's own heap, and used again.

use std::collections::VecDeque;

use crate::call::Call;
use crate::heap::RaggedBlock;
use crate::image::Image;
use crate::record::ALIGN;

/// Records of at most this size are used again; the sizes between are rounded up to powers of two.
const SMALL: usize = 4096;

/// The smallest size.
const SMALLEST: usize = 256;

/// Most bytes that are kept to be used again.
const SPARE_BYTES: usize = 1 << 18;

/// What records are for, in the words of an error about memory.
pub(crate) const SUBJECT: &str = "values of an asynchronous collective";

/// The records that an image has posted to one team, and blocks for more.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// The number of the first that was not taken back.
    first: u64,
    blocks: VecDeque<Place>,
    spares: Vec<Place>,
    spare_bytes: usize,
}

#[derive(Debug)]
struct Place {
    block: RaggedBlock,
    size: usize,
}

impl Records {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// A place for `size` bytes, for a record that follows the others. Returns its offset in the heap.
    pub(crate) fn take(&mut self, image: &Image, size: usize, call: &Call) -> Option<usize> {
        let size = if size <= SMALL {
            size.next_power_of_two().max(SMALLEST)
        } else {
            size
        };
        let spare = self.spares.iter().rposition(|spare| spare.size == size);
        let place = match spare {
            Some(index) => {
                self.spare_bytes -= size;
                self.spares.swap_remove(index)
            }
            None => Place {
                block: image
                    .allocate_ragged(size, ALIGN, SUBJECT, call.caller())
                    .ok()?,
                size,
            },
        };
        let offset = place.block.offset();
        self.blocks.push_back(place);
        Some(offset)
    }

    /// Takes back the records before number `end`, which nobody needs.
    pub(crate) fn take_back(&mut self, image: &Image, end: u64) {
        while self.first < end
            && let Some(place) = self.blocks.pop_front()
        {
            self.first += 1;
            if place.size <= SMALL && self.spare_bytes + place.size <= SPARE_BYTES {
                self.spare_bytes += place.size;
                self.spares.push(place);
            } else {
                // SAFETY: this image took the block for a record, which nobody reads any more.
                unsafe { image.free_ragged(place.block) };
            }
        }
    }

    /// Frees what is kept to be used again.
    pub(crate) fn give_up_spares(&mut self, image: &Image) {
        self.spare_bytes = 0;
        for place in self.spares.drain(..) {
            // SAFETY: this image took the block for a record, which nobody reads any more.
            unsafe { image.free_ragged(place.block) };
        }
    }
}
